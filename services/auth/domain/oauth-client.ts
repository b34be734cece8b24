import { randomBase62 } from "./secrets.ts";

const clientIdPattern = /^cl_[0-9A-Za-z]{22}$/;

/** `cl_` and 22 base62 digits: 131 random bits, unique without asking the database. */
export const makeClientId = (): string => `cl_${randomBase62(22)}`;

/** `cs_` and 43 base62 digits: 256 random bits. */
export const makeClientSecret = (): string => `cs_${randomBase62(43)}`;

export const isClientId = (value: string): boolean => clientIdPattern.test(value);
