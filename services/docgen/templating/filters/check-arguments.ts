import { type Token, TypeGuards } from "liquidjs";
import { dateFormatProblem, dateStyles, isStyle } from "./date-filter.ts";
import type { FilterArgument, FilterSpec } from "./filter-spec.ts";
import { isCurrency } from "./number-filters.ts";

/** A filter as liquidjs reads it: `name: value, key: value`. */
export interface FilterUse {
  readonly name: string;
  readonly args: readonly (Token | [string?, Token?])[];
}

/** What is wrong with the arguments of a filter; undefined when there is nothing. */
export function argumentProblem({ name, args }: FilterUse, spec: FilterSpec): string | undefined {
  if (args.some((argument) => Array.isArray(argument))) return `The filter ${name} has no arguments with names.`;
  const most = spec.arguments.length;
  if (args.length < spec.required || args.length > most) return `The filter ${name} takes ${countOf(spec)}.`;
  for (const [index, argument] of args.entries()) {
    const problem = literalProblem(spec.arguments[index], argument as Token);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function countOf({ required, arguments: { length: most } }: FilterSpec): string {
  if (most === 0) return "no arguments";
  const count = required === most ? `${most}` : `${required} to ${most}`;
  return `${count} ${most === 1 ? "argument" : "arguments"}`;
}

/** Of what stands in the template itself; a value of the data is looked at when it is there. */
function literalProblem(kind: FilterArgument | undefined, token: Token): string | undefined {
  const text = TypeGuards.isQuotedToken(token) ? token.content : undefined;
  switch (kind) {
    case "property":
      return text === undefined ? "Write the name of a property in quotation marks." : undefined;
    case "currency":
      return text === undefined || isCurrency(text) ? undefined : "A currency has three letters, such as EUR.";
    case "dateFormat":
      return text === undefined ? "Write a date format in quotation marks." : dateFormatProblem(text);
    case "timeFormat":
      return text !== undefined && isStyle(text) ? undefined : `A time format is ${dateStyles.join(", ")}.`;
    case "digits":
      return TypeGuards.isNumberToken(token) &&
        Number.isInteger(token.content) &&
        token.content >= 0 &&
        token.content <= 15
        ? undefined
        : "The number of digits must be 0 to 15.";
    default:
      return undefined;
  }
}
