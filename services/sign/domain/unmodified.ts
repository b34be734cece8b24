import { DomainError } from "#platform/errors.ts";
import type { Agreement } from "./agreement.ts";

/** Throws ENVELOPE_CONFLICT unless it is still as it was at that time. */
export function requireUnmodified({ modifiedAt }: Pick<Agreement, "modifiedAt">, since: Date): void {
  if (modifiedAt.getTime() !== since.getTime()) throw new DomainError("ENVELOPE_CONFLICT");
}
