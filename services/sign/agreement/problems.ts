import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { isStorable } from "#platform/json-object.ts";
import { problem, refusals } from "#platform/problems.ts";
import type { Agreement, JsonObject } from "./agreement.ts";
import type { Change, DecisionContext } from "./change.ts";

export { problem };

/** Errors travel in HTTP/2 trailers, whose size is limited. */
const maxProblems = 50;

export const { invalid, refuse } = refusals("VALIDATION_FAILED", maxProblems);

/** The problem of a text that is longer than the limit or cannot be stored. */
export function textProblems(text: string, maxLength: number, field: string): readonly FieldProblem[] {
  if (!isStorable(text)) return [problem(field, "NOT_ALLOWED", "contains characters that cannot be stored as text")];
  // A text never has more characters than UTF-16 code units, and those cost nothing to count.
  if (text.length <= maxLength || lengthOf(text) <= maxLength) return [];
  return [problem(field, "TOO_LONG", `must have at most ${maxLength} characters`)];
}

/** The first characters of a text, without splitting a surrogate pair. */
export const firstCharacters = (text: string, count: number): string =>
  text.length <= count ? text : Array.from(text).slice(0, count).join("");

/**
 * Cuts what a program says about itself, such as a user agent, to the length that we store: longer ones are
 * made up or of no use.
 */
export const boundedClaim = (text: string): string => firstCharacters(storable(text), 300);

/** The length in code points: a surrogate pair counts as one. */
export const lengthOf = (text: string): number => Array.from(text).length;

/** Replaces what Postgres cannot store with U+FFFD. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\uFFFD");

/** Only drafts and templates can be changed. Throws ENVELOPE_CANNOT_BE_MODIFIED. */
export function requireModifiable({ status }: Pick<Agreement, "status">): void {
  if (status !== "created" && status !== "template") throw new DomainError("ENVELOPE_CANNOT_BE_MODIFIED");
}

/** A change of a draft or template; the details say what changed. */
export const draftModified = (agreement: Agreement, { actor, now }: DecisionContext, details: JsonObject): Change => ({
  agreement: { ...agreement, modifiedAt: after(agreement.modifiedAt, now) },
  audit: [{ action: "agreement.modified", actor, details }],
  events: [{ kind: agreement.status === "template" ? "template.modified" : "agreement.modified" }],
  jobs: [],
});

/** Strictly later than the last time, because clients use the time to tell two states apart. */
export const after = (last: Date, now: Date): Date => (now > last ? now : new Date(last.getTime() + 1));

/** Throws ENVELOPE_CONFLICT if the agreement has changed since that time. */
export function requireUnmodified({ modifiedAt }: Pick<Agreement, "modifiedAt">, since: Date): void {
  if (modifiedAt.getTime() !== since.getTime()) throw new DomainError("ENVELOPE_CONFLICT");
}
