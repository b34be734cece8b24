import type { FieldProblem } from "#platform/errors.ts";
import { compileLinearPattern, newPatternWork, type PatternWork, refusalOfPattern } from "#platform/linear-pattern.ts";
import { problem } from "../problems.ts";
import { characters } from "../text.ts";
import { repetitions } from "./repetitions.ts";
import { closedObject, described, flag, type JsonSchema, listOf, oneOf, text, topLevel } from "./schema-parts.ts";

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

export const maxVariables = 100;

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
      "Of STRING: what the whole value must match. JavaScript syntax without assertions, references and named groups.",
    ),
    enum: described(
      { ...listOf(text(255), 100), minItems: 1, uniqueItems: true },
      "Of ENUM, and required for it: the values.",
    ),
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
