import { randomInt } from "node:crypto";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomDigits = 22;

/** `dep_` and 22 base62 digits: 131 random bits, unique without asking the database and not to be guessed. */
export const newDeploymentKey = (): string =>
  `dep_${Array.from({ length: randomDigits }, () => digits[randomInt(digits.length)]).join("")}`;

export const isDeploymentKey = (text: string): boolean => /^dep_[0-9A-Za-z]{22}$/.test(text);
