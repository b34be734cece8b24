import { DomainError } from "#platform/errors.ts";
import type { Agreement, JsonObject } from "./agreement.ts";
import type { Change, DecisionContext } from "./change.ts";

/** Only drafts and templates can be changed. Throws ENVELOPE_CANNOT_BE_MODIFIED. */
export function requireModifiable({ status }: Pick<Agreement, "status">): void {
  if (status !== "created" && status !== "template") throw new DomainError("ENVELOPE_CANNOT_BE_MODIFIED");
}

/** A change of a draft or a template; the details say what was changed. */
export const modified = (agreement: Agreement, { actor, now }: DecisionContext, details: JsonObject): Change => ({
  agreement: { ...agreement, modifiedAt: after(agreement.modifiedAt, now) },
  audit: [{ action: "agreement.modified", actor, details }],
  events: [{ kind: agreement.status === "template" ? "template.modified" : "agreement.modified" }],
  jobs: [],
});

/** Never the same time twice: it tells two states apart. */
const after = (last: Date, now: Date): Date => (now > last ? now : new Date(last.getTime() + 1));

/** Throws ENVELOPE_CONFLICT unless it is still as it was at that time. */
export function requireUnmodified({ modifiedAt }: Pick<Agreement, "modifiedAt">, since: Date): void {
  if (modifiedAt.getTime() !== since.getTime()) throw new DomainError("ENVELOPE_CONFLICT");
}
