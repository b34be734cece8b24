import { DomainError } from "#platform/errors.ts";
import type { Agreement } from "./agreement.ts";

/** Only drafts and templates can be changed. Throws ENVELOPE_CANNOT_BE_MODIFIED. */
export function requireModifiable({ status }: Pick<Agreement, "status">): void {
  if (status !== "created" && status !== "template") throw new DomainError("ENVELOPE_CANNOT_BE_MODIFIED");
}
