import type { FieldProblem } from "#platform/errors.ts";
import { compileLinearPattern, newPatternWork, type PatternWork, refusalOfPattern } from "#platform/linear-pattern.ts";
import { problem } from "../problems.ts";
import { characters } from "../text.ts";
import {
  closedObject,
  described,
  flag,
  httpsUrl,
  type JsonSchema,
  listOf,
  oneOf,
  text,
  topLevel,
} from "./check-schema.ts";

/** Configuration of a GENERATED template. */
export interface GeneratedConfig {
  readonly variables: readonly Variable[];
  /** What becomes of a placeholder without a value. */
  readonly missing: "ERROR" | "EMPTY";
}

/** A value that is filled in for each person. */
export interface Variable {
  readonly key: string;
  readonly label?: string;
  readonly type: "STRING" | "NUMBER" | "DATE" | "BOOLEAN" | "ENUM";
  readonly required: boolean;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly default?: string | number | boolean;
  readonly pii: boolean;
}

/** Placeholders that need no declaration. */
export const predefinedVariables = ["fullName", "email", "company", "title", "date"] as const;

const maxVariables = 100;

const variable = closedObject(
  {
    key: described(
      { type: "string", pattern: "^[a-zA-Z][a-zA-Z0-9_.]{0,63}$" },
      "Unique; the text has it as {{key}}. Predefined without a declaration: fullName, email, company, title, date.",
    ),
    label: text(255),
    type: { ...oneOf("STRING", "NUMBER", "DATE", "BOOLEAN", "ENUM"), default: "STRING" },
    required: flag(true),
    maxLength: described({ type: "integer", minimum: 1, maximum: 10_000 }, "Of STRING, in characters."),
    pattern: described(
      text(200),
      "For STRING: a pattern that must match the whole value. JavaScript syntax without assertions, references and named groups.",
    ),
    enum: described({ ...listOf(text(255), 100), minItems: 1, uniqueItems: true }, "For ENUM (required): the values."),
    default: described({ type: ["string", "number", "boolean"] }, "Taken when no value is given. DATE is YYYY-MM-DD."),
    pii: described(flag(true), "Whether the value says something about the person."),
  },
  ["key"],
);

export const generatedSchema: JsonSchema = topLevel(
  "Configuration of a GENERATED template",
  closedObject({
    variables: { ...described(listOf(variable, maxVariables), "The merge fields of the text."), default: [] },
    missing: described({ ...oneOf("ERROR", "EMPTY"), default: "ERROR" }, "What becomes of a field without a value."),
  }),
);

/** What a schema cannot say. */
export function generatedProblems(config: GeneratedConfig): FieldProblem[] {
  const work = newPatternWork();
  return [
    ...repetitions("variables", "key", config.variables),
    ...config.variables.flatMap((variable, index) => variableProblems(`variables[${index}]`, variable, work)),
  ];
}

function variableProblems(path: string, variable: Variable, work: PatternWork): FieldProblem[] {
  const { type } = variable;
  const problems: FieldProblem[] = [];
  for (const property of ["maxLength", "pattern"] as const) {
    if (variable[property] !== undefined && type !== "STRING") {
      problems.push(problem(`${path}.${property}`, "NOT_APPLICABLE", "belongs to variables of the type STRING"));
    }
  }
  if (variable.enum !== undefined && type !== "ENUM") {
    problems.push(problem(`${path}.enum`, "NOT_APPLICABLE", "belongs to variables of the type ENUM"));
  }
  if (variable.enum === undefined && type === "ENUM") {
    problems.push(problem(`${path}.enum`, "REQUIRED", "is required for the type ENUM"));
  }
  const refusal = refusalOfPattern(variable.pattern ?? "");
  if (refusal !== undefined) problems.push(problem(`${path}.pattern`, "INVALID_PATTERN", refusal));
  if (problems.length > 0 || variable.default === undefined) return problems;
  const complaint = valueComplaint(variable, variable.default, work);
  return complaint === undefined ? [] : [problem(`${path}.default`, "INVALID_DEFAULT", complaint)];
}

/** Why this cannot be a value of the variable; undefined when it can. */
function valueComplaint(variable: Variable, value: string | number | boolean, work: PatternWork): string | undefined {
  switch (variable.type) {
    case "STRING":
      return typeof value === "string" ? textComplaint(variable, value, work) : "must be a string";
    case "NUMBER":
      return typeof value === "number" ? undefined : "must be a number";
    case "BOOLEAN":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "DATE":
      return typeof value === "string" && isDate(value) ? undefined : "must be a date in the form YYYY-MM-DD";
    case "ENUM":
      return typeof value === "string" && variable.enum?.includes(value) ? undefined : "must be one of the enum";
  }
}

function textComplaint(variable: Variable, value: string, work: PatternWork): string | undefined {
  const { maxLength, pattern } = variable;
  if (maxLength !== undefined && characters(value) > maxLength) return `must have at most ${maxLength} characters`;
  if (pattern === undefined) return undefined;
  const compiled = compileLinearPattern(pattern);
  return compiled.kind === "pattern" && compiled.matches(value, work) ? undefined : "must match the pattern";
}

function isDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  // JavaScript reads the 30th of February as the 2nd of March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

/** Configuration of a STATIC template. */
export interface StaticConfig {
  readonly documents?: readonly LinkedDocument[];
  readonly displayMode?: "INLINE" | "MODAL" | "LINK" | "FULL_PAGE";
  readonly downloadable: boolean;
}

/** A document that belongs to the text and is shown beside it. */
interface LinkedDocument {
  readonly name: string;
  readonly order?: number;
  readonly url?: string;
  readonly contentHash?: string;
  readonly mustRead: boolean;
}

const document = closedObject(
  {
    name: described(text(255), "Unique; presentation.documentsOpened of an acceptance names it."),
    order: described({ type: "integer", minimum: 0, maximum: 1000 }, "Lower ones come first."),
    url: httpsUrl,
    contentHash: described(
      { type: "string", pattern: "^sha256:[0-9a-f]{64}$" },
      "Of the bytes behind the url, so that a later change of them can be proved.",
    ),
    mustRead: flag(false),
  },
  ["name"],
);

export const staticSchema: JsonSchema = topLevel(
  "Configuration of a STATIC template",
  closedObject({
    documents: described(listOf(document, 50), "Documents that belong to the text."),
    displayMode: described(oneOf("INLINE", "MODAL", "LINK", "FULL_PAGE"), "How the text is meant to be shown."),
    downloadable: described(flag(true), "Whether the person may download the text."),
  }),
);

/** What a schema cannot say. */
export const staticProblems = (config: StaticConfig): FieldProblem[] =>
  repetitions("documents", "name", config.documents ?? []);

/** A problem for each item whose key an earlier one has. */
export function repetitions<Key extends string>(
  list: string,
  key: Key,
  items: readonly Readonly<Record<Key, string>>[],
): FieldProblem[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    if (seen.has(item[key])) {
      return [problem(`${list}[${index}].${key}`, "NOT_UNIQUE", "must differ from those before it")];
    }
    seen.add(item[key]);
    return [];
  });
}
