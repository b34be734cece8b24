import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { isStorable } from "#platform/json-object.ts";
import { problem, refusals } from "#platform/problems.ts";
import type { Agreement, JsonObject } from "./agreement.ts";
import type { Change, DecisionContext } from "./change.ts";

export { problem };

/** Errors travel in HTTP/2 trailers, which have little room. */
const maxProblems = 50;

export const { invalid, refuse } = refusals("VALIDATION_FAILED", maxProblems);

/** What is wrong with a text that may have so many characters. */
export function textProblems(text: string, maxLength: number, field: string): readonly FieldProblem[] {
  if (!isStorable(text)) return [problem(field, "NOT_ALLOWED", "has characters that are no text")];
  // No text has more characters than code units, which cost nothing to count.
  if (text.length <= maxLength || lengthOf(text) <= maxLength) return [];
  return [problem(field, "TOO_LONG", `must have at most ${maxLength} characters`)];
}

/** The first characters of a text; none is cut in half. */
export const firstCharacters = (text: string, count: number): string =>
  text.length <= count ? text : Array.from(text).slice(0, count).join("");

/** What a program says of itself, as long as it is told of: longer ones are made up, or of no use to anybody. */
export const boundedClaim = (text: string): string => firstCharacters(storable(text), 300);

/** How many characters a text has, as people count them: a pair of surrogates is one. */
export const lengthOf = (text: string): number => Array.from(text).length;

/** A text with U+FFFD in place of what the database does not store. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\uFFFD");

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
