import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Bundle } from "./bundle.ts";
import type { KeyFile } from "./installation.ts";

/** The file that people download and run. */
export const verifierFile = join(resolve(import.meta.dirname, "../../.."), "web/dist/verify-bundle.mjs");

export interface Finding {
  readonly check: string;
  readonly record?: string;
  readonly status: "PASS" | "FAIL" | "NOT PRESENT" | "ERASED";
  readonly message: string;
}

export interface Result {
  readonly ok: boolean;
  readonly checks: readonly Finding[];
}

export type VerifyBundle = (bundle: string | Bundle, options?: { keys?: KeyFile | Bundle }) => Promise<Result>;

export const loadVerifier = async (): Promise<VerifyBundle> =>
  ((await import(pathToFileURL(verifierFile).href)) as { verifyBundle: VerifyBundle }).verifyBundle;

export const failures = ({ checks }: Result): string[] =>
  checks
    .filter(({ status }) => status === "FAIL")
    .map(({ check, record, message }) => `${check} ${record ?? "-"}: ${message}`);

/** The statuses of a check, of all records it was made for. */
export const statusesOf = ({ checks }: Result, check: string): string[] =>
  checks.filter((finding) => finding.check === check).map(({ status }) => status);
