import {
  type Expression,
  type FilteredValueToken,
  type Liquid,
  type PropertyAccessToken,
  type Token,
  Tokenizer,
  type TopLevelToken,
  TypeGuards,
} from "liquidjs";
import type { FilterArgument, FilterSpec } from "./filters/filter-spec.ts";
import { filterSpecs } from "./filters/filter-specs.ts";
import { dateFormatProblem, dateStyles, isCurrency, isStyle } from "./filters/value-filters.ts";
import { liquidLimits, nameOf } from "./liquid-state.ts";
import { type PlacedFinding, quoted } from "./place-findings.ts";

type Report = (code: string, message: string, offset: number) => void;

/** Checks what stands in an output or in a tag: its form, its filters and their arguments. */
export function checkExpressions(liquid: Liquid, token: TopLevelToken): PlacedFinding[] {
  const findings: PlacedFinding[] = [];
  const report: Report = (code, message, offset) => findings.push({ code, message, offset });
  try {
    if (TypeGuards.isOutputToken(token)) {
      const [begin, end] = token.contentRange;
      checkFilteredValue(read(liquid, token.input, begin, end), "output", report);
    } else if (TypeGuards.isTagToken(token)) {
      checkTag(liquid, token, report);
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    report("syntax_error", syntaxMessage(error), offsetOf(error) ?? token.begin);
  }
  return findings;
}

/** Where liquidjs says that something is wrong. */
export const offsetOf = (error: unknown): number | undefined => {
  const token = (error as { token?: { begin?: unknown } }).token;
  return typeof token?.begin === "number" ? token.begin : undefined;
};

/** The message of liquidjs without the place that it appends. */
export const syntaxMessage = (error: Error): string => {
  if (error instanceof RangeError) return "The expression is too deep.";
  const message = error.message.replace(/, line:\d+, col:\d+$/, "").slice(0, 200);
  return `The Liquid is not correct here: ${message.toWellFormed()}`;
};

const read = (liquid: Liquid, input: string, begin: number, end: number): FilteredValueToken => {
  const tokenizer = new Tokenizer(input, liquid.options.operators, undefined, [begin, end]);
  return tokenizer.readFilteredValue();
};

type TagToken = Extract<TopLevelToken, { readonly args: string }>;

const withoutArguments: ReadonlySet<string> = new Set([
  "else",
  "endif",
  "endunless",
  "endcase",
  "endfor",
  "break",
  "continue",
]);

const conditions: ReadonlySet<string> = new Set(["if", "elsif", "unless", "case"]);

function checkTag(liquid: Liquid, token: TagToken, report: Report): void {
  const end = token.contentRange[1];
  const begin = end - token.args.length;
  if (conditions.has(token.name)) {
    checkFilteredValue(read(liquid, token.input, begin, end), "condition", report);
  } else if (token.name === "assign") {
    const assigned = /^[\w-]+\s*=/.exec(token.args)?.[0];
    if (assigned === undefined) report("syntax_error", "Write a name and = after assign.", begin);
    else checkFilteredValue(read(liquid, token.input, begin + assigned.length, end), "assign", report);
  } else if (token.name === "for") {
    checkLoop(token, begin, report);
  } else if (token.name === "when") {
    checkValues(liquid, token.input, [begin, end], report);
  } else if (token.args !== "" && withoutArguments.has(token.name)) {
    report("syntax_error", `The tag ${token.name} takes nothing.`, begin);
  }
}

function checkFilteredValue(value: FilteredValueToken, place: "output" | "condition" | "assign", report: Report): void {
  if (value.initial.postfix.length + value.filters.length > liquidLimits.expression) {
    report("too_complex", `An expression has more than ${liquidLimits.expression} parts.`, value.begin);
    return;
  }
  checkOperands(value.initial, value.begin, report);
  for (const token of value.initial.postfix) checkValue(token, report);
  for (const [index, filter] of value.filters.entries()) {
    const spec = Object.hasOwn(filterSpecs, filter.name) ? filterSpecs[filter.name] : undefined;
    if (spec === undefined) {
      report("unknown_filter", `There is no filter ${quoted(filter.name)}.`, filter.begin);
      continue;
    }
    if (spec.isLast && (place !== "output" || index < value.filters.length - 1)) {
      report("misplaced_filter", `The filter ${filter.name} must be the last one of an output.`, filter.begin);
    }
    const problem = argumentProblem(filter, spec);
    if (problem !== undefined) report("invalid_argument", problem, filter.begin);
    for (const argument of filter.args) if (!Array.isArray(argument)) checkValue(argument, report);
  }
}

/** Liquid itself takes the first of several values and drops the rest. */
function checkOperands({ postfix }: Expression, begin: number, report: Report): void {
  let operands = 0;
  for (const token of postfix) {
    if (!TypeGuards.isOperatorToken(token)) operands += 1;
    else if (token.operator !== "not") operands -= 1;
    if (operands < 1) break;
  }
  if (operands === 1) return;
  const place = postfix.at(-1)?.begin ?? begin;
  report("syntax_error", "Values and operators do not match here.", place);
}

function checkLoop(token: TagToken, begin: number, report: Report): void {
  const tokenizer = new Tokenizer(token.input, undefined, undefined, [begin, token.contentRange[1]]);
  const variable = tokenizer.readIdentifier();
  const word = tokenizer.readIdentifier();
  const collection = tokenizer.readValue();
  if (variable.content === "" || word.content !== "in" || collection === undefined) {
    report("syntax_error", "Write a loop as {% for item in items %}.", token.begin);
    return;
  }
  if (TypeGuards.isRangeToken(collection)) {
    checkValue(collection.lhs, report);
    checkValue(collection.rhs, report);
  } else checkValue(collection, report);
  for (const { name, value, begin: place } of tokenizer.readHashes()) {
    const isKnown = name.content === "reversed" ? value === undefined : loopOptions.has(name.content);
    const isNumber = name.content === "reversed" || TypeGuards.isNumberToken(value) || isPath(value);
    if (!isKnown || !isNumber) report("syntax_error", "A loop may have limit: 1, offset: 1 and reversed.", place);
    else if (value !== undefined) checkValue(value, report);
  }
  tokenizer.skipBlank();
  if (!tokenizer.end()) report("syntax_error", "The loop has something else at its end.", tokenizer.p);
}

const loopOptions: ReadonlySet<string> = new Set(["limit", "offset"]);

const isPath = (value: Token | undefined): boolean =>
  value !== undefined && TypeGuards.isPropertyAccessToken(value) && value.getText() !== "continue";

/** `when 1, 2 or 3` */
function checkValues(liquid: Liquid, input: string, range: [number, number], report: Report): void {
  const tokenizer = new Tokenizer(input, liquid.options.operators, undefined, range);
  do {
    checkValue(tokenizer.readValueOrThrow(), report);
    tokenizer.skipBlank();
    if (tokenizer.end()) return;
  } while (isSeparator(tokenizer));
  report("syntax_error", "Write a comma or the word or between values.", tokenizer.p);
}

function isSeparator(tokenizer: Tokenizer): boolean {
  if (tokenizer.peek() === ",") {
    tokenizer.advance();
    return true;
  }
  return tokenizer.readIdentifier().content === "or";
}

function checkValue(token: Token, report: Report): void {
  if (TypeGuards.isRangeToken(token)) {
    report("syntax_error", "A range may stand in a loop only: {% for i in (1..3) %}.", token.begin);
  } else if (TypeGuards.isPropertyAccessToken(token)) {
    checkPath(token, report);
  }
}

const loopFacts: ReadonlySet<unknown> = new Set([
  ...["index", "index0", "rindex", "rindex0", "first", "last", "length"],
]);

function checkPath(token: PropertyAccessToken, report: Report): void {
  const names = token.props.map(nameOf);
  if (token.variable !== undefined) {
    report("syntax_error", "Only names have properties.", token.begin);
  } else if (names.length > liquidLimits.path) {
    report("too_complex", `A path has more than ${liquidLimits.path} names.`, token.begin);
  } else if (names.includes("") || names.includes("__proto__") || typeof names[0] !== "string") {
    report("syntax_error", "This is not the name of a value.", token.begin);
  } else if (names[0] === "forloop" && (names.length !== 2 || !loopFacts.has(names[1]))) {
    report("unknown_property", `Available are forloop.${[...loopFacts].join(", forloop.")}.`, token.begin);
  } else {
    for (const prop of token.props) checkValue(prop, report);
  }
}

/** A filter as liquidjs reads it: `name: value, key: value`. */
interface FilterUse {
  readonly name: string;
  readonly args: readonly (Token | [string?, Token?])[];
}

/** What is wrong with the arguments of a filter; undefined when there is nothing. */
function argumentProblem({ name, args }: FilterUse, spec: FilterSpec): string | undefined {
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

/** Checks literals of the template. Values of the data are checked during rendering. */
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
