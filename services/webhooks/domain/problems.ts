import type { FieldProblem } from "#platform/errors.ts";
import { isStorable } from "#platform/json-object.ts";
import { problem, refusals } from "#platform/problems.ts";

export { problem };

/** Errors travel in HTTP/2 trailers, which have little room. */
const maxProblems = 50;

export const { refuse } = refusals("VALIDATION_FAILED", maxProblems);

/** The proto's rules limit the length. */
export const textProblems = (field: string, text: string): readonly FieldProblem[] =>
  isStorable(text) ? [] : [problem(field, "NOT_ALLOWED", "contains characters that cannot be stored as text")];

/** A kind of event that integrations can be told of. */
export interface EventTypeInfo {
  /** Such as agreement.completed. */
  readonly type: string;
  /** What such events are called on the bus. */
  readonly subject: string;
  readonly description: string;
  /** The data of such an event. */
  readonly example: object;
}
