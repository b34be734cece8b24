import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { compileLinearPattern, newPatternWork, type PatternWork } from "#platform/linear-pattern.ts";
import { memberPath } from "#platform/problems.ts";
import { parseTimestamp } from "../accept/accept-body.ts";

type VariableType = "STRING" | "NUMBER" | "DATE" | "BOOLEAN" | "ENUM";

/** A value that a GENERATED text asks for. */
interface Variable {
  readonly key: string;
  readonly type: VariableType;
  readonly required: boolean;
  /** In Unicode characters. */
  readonly maxLength: number;
  readonly pattern: string | undefined;
  readonly allowed: readonly string[] | undefined;
  readonly fallback: JsonValue | undefined;
}

/** Values that fit the variables of a template. */
export interface MergeData {
  /** The text of each variable; empty for one that may be missing and is. */
  readonly values: ReadonlyMap<string, string>;
  /** The values as they were given, defaults included, and nothing that no variable asks for. */
  readonly data: JsonObject;
}

/**
 * Fits values to the variables of a GENERATED template and to what its text uses besides them, such as the predefined
 * fullName. Throws CLICK_DATA_INVALID with a detail for each value that is missing or does not fit. Takes some 5 ms for the
 * worst of patterns.
 */
export function fitData(typeConfig: JsonObject, used: Iterable<string>, given: JsonObject): MergeData {
  const isMissingAllowed = typeConfig.missing === "EMPTY";
  const problems: FieldProblem[] = [];
  const work = newPatternWork();
  const values = new Map<string, string>();
  const data: JsonObject = Object.create(null) as JsonObject;
  for (const variable of variablesOf(typeConfig, used)) {
    const { key, fallback, required } = variable;
    const raw = presentValue(given, key) ?? fallback;
    if (raw === undefined) {
      values.set(key, "");
      if (required && !isMissingAllowed) problems.push(problem(key, "REQUIRED", "is required"));
      continue;
    }
    const found = problemOf(variable, raw, work);
    if (found !== undefined) problems.push(found);
    values.set(key, String(raw));
    data[key] = raw;
  }
  if (problems.length > 0) throw new DomainError("CLICK_DATA_INVALID", { details: problems.slice(0, maxProblems) });
  return { values, data: { ...data } };
}

const maxProblems = 100;

/** Blank is missing: a contract with a blank for a name binds nobody. */
function presentValue(given: JsonObject, key: string): JsonValue | undefined {
  const value = Object.hasOwn(given, key) ? given[key] : undefined;
  return value === null || (typeof value === "string" && value.trim() === "") ? undefined : value;
}

const defaultMaxLength = 10_000;

function variablesOf(typeConfig: JsonObject, used: Iterable<string>): Variable[] {
  const declared = Array.isArray(typeConfig.variables) ? typeConfig.variables.flatMap(readVariable) : [];
  const keys = new Set(declared.map(({ key }) => key));
  const implied = [...new Set(used)].filter((key) => !keys.has(key)).map((key) => ({ ...plain, key }));
  return [...declared, ...implied];
}

const plain: Variable = {
  key: "",
  type: "STRING",
  required: true,
  maxLength: defaultMaxLength,
  pattern: undefined,
  allowed: undefined,
  fallback: undefined,
};

/** The templates service has checked the configuration, so anything else than expected is no variable. */
function readVariable(value: JsonValue): Variable[] {
  if (!isJsonObject(value) || typeof value.key !== "string") return [];
  const { key, type, maxLength, pattern } = value;
  return [
    {
      key,
      type: types.find((one) => one === type) ?? "STRING",
      required: value.required !== false,
      maxLength: typeof maxLength === "number" ? maxLength : defaultMaxLength,
      pattern: typeof pattern === "string" ? pattern : undefined,
      allowed: Array.isArray(value.enum) ? value.enum.filter((one) => typeof one === "string") : undefined,
      fallback: presentValue(value, "default"),
    },
  ];
}

/** Whether values have to match patterns, which may take some time. */
export const hasPatterns = ({ variables }: JsonObject): boolean =>
  Array.isArray(variables) &&
  variables.some((variable) => isJsonObject(variable) && typeof variable.pattern === "string");

const isJsonObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const types: readonly VariableType[] = ["STRING", "NUMBER", "DATE", "BOOLEAN", "ENUM"];

function problemOf(variable: Variable, value: JsonValue, work: PatternWork): FieldProblem | undefined {
  const { key, type, maxLength, pattern, allowed } = variable;
  if (!typeChecks[type](value)) return problem(key, "TYPE", `must be ${typeNames[type]}`);
  if (typeof value !== "string") return undefined;
  if (!isPlainText(value)) return problem(key, "CHARACTERS", "has characters that do not belong into a text");
  if (characters(value) > maxLength) return problem(key, "MAX_LENGTH", `must have at most ${maxLength} characters`);
  if (allowed !== undefined && !allowed.includes(value)) {
    return problem(key, "ENUM", `must be one of ${allowed.join(", ")}`.slice(0, 500));
  }
  if (pattern !== undefined && !matches(pattern, value, work)) return problem(key, "PATTERN", `must match ${pattern}`);
  return undefined;
}

const typeChecks: Readonly<Record<VariableType, (value: JsonValue) => boolean>> = {
  STRING: (value) => typeof value === "string",
  NUMBER: (value) => typeof value === "number" && Number.isFinite(value),
  DATE: (value) => typeof value === "string" && isDate(value),
  BOOLEAN: (value) => typeof value === "boolean",
  ENUM: (value) => typeof value === "string",
};

const typeNames: Readonly<Record<VariableType, string>> = {
  STRING: "a string",
  NUMBER: "a number",
  DATE: "a date in the form YYYY-MM-DD",
  BOOLEAN: "true or false",
  ENUM: "a string",
};

const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== undefined;

/** Controls other than blanks are invisible, and directional ones let a text read otherwise than it is written. */
const isPlainText = (text: string): boolean =>
  text.isWellFormed() && !/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u.test(text.replaceAll(/[\t\n\r]/g, ""));

/** Counted without a copy of a text that is far too long. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function matches(pattern: string, text: string, work: PatternWork): boolean {
  const compiled = compileLinearPattern(pattern);
  return compiled.kind === "pattern" && compiled.matches(text, work);
}

const problem = (key: string, code: string, message: string): FieldProblem => ({
  field: memberPath("data", key),
  code,
  message,
});
