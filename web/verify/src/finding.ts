/** The checks, in the order in which they are reported. */
export const checkNames = [
  "BUNDLE_SIGNATURE",
  "KEYS",
  "CONTENT_HASH",
  "PDF_HASH",
  "RENDER_HASH",
  "WORDS_HASH",
  "CHANGES",
  "DEPLOYMENT_HASH",
  "SCREENSHOT_HASH",
  "TERMS_HASH",
  "POLICY_HASH",
  "POLICY",
  "SIGNATURE",
  "KEY_VALIDITY",
  "LEAF",
  "DISCLOSURES",
  "INCLUSION",
  "CHECKPOINT",
  "ANCHOR_INCLUSION",
  "ANCHOR_CHECKPOINT",
  "TIMESTAMP",
  "TIMESTAMP_TRUST",
  "COSIGNATURES",
  "RENDER_TOKEN",
] as const;

export type CheckName = (typeof checkNames)[number];
export type Status = "PASS" | "FAIL" | "NOT PRESENT" | "ERASED";

/** What a check came to. */
export interface Outcome {
  readonly status: Status;
  readonly message: string;
}

export interface Finding extends Outcome {
  readonly check: CheckName;
  /** The record that was looked at; absent when it was the bundle as a whole. */
  readonly record?: string;
}

export const pass = (message: string): Outcome => ({ status: "PASS", message });
export const notPresent = (message: string): Outcome => ({ status: "NOT PRESENT", message });
export const erased = (message: string): Outcome => ({ status: "ERASED", message });

/** Makes a check. Whatever goes wrong while it is made is a failure, so that no input is too broken to be judged. */
export async function find(
  check: CheckName,
  record: string | undefined,
  work: () => Outcome | Promise<Outcome>,
): Promise<Finding> {
  const named = record === undefined ? { check } : { check, record };
  try {
    return { ...named, ...(await work()) };
  } catch (error) {
    const message = error instanceof Problem ? error.message : "what is to be checked is malformed";
    return { ...named, status: "FAIL", message: sentence(message) };
  }
}

const sentence = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;

/** Why a check fails, in words for readers of the result. Everything malformed, missing or wrong becomes a failure. */
export class Problem extends Error {}

/** Ends the check that is being made. */
export function fail(message: string): never {
  throw new Problem(message);
}

/** Ends the check unless the condition holds. */
export function ensure(condition: boolean, message: string): asserts condition {
  if (!condition) fail(message);
}
