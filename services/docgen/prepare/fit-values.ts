import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { findMergeFields } from "#platform/merge-fields.ts";
import { invalidData } from "../domain/problems.ts";
import type { Finding } from "../templating/template-source.ts";

/** A value that a GENERATED text requires. */
interface Variable {
  readonly key: string;
  readonly type: "string" | "number" | "boolean";
  readonly choices: readonly unknown[] | undefined;
  readonly isRequired: boolean;
  readonly fallback: JsonValue | undefined;
}

/**
 * The texts for the merge fields of a GENERATED template. The data has a value under the key of its field, as it does
 * where people accept such a text. Throws GEN_INVALID_DATA for each value that is missing or of another type.
 */
export function fitValues(typeConfig: JsonObject, content: string, data: JsonObject): [key: string, value: string][] {
  const keys = new Set(findMergeFields(content).fields.map(({ key }) => key));
  const declared = variablesOf(typeConfig);
  const findings: Finding[] = [];
  const values = [...keys].map((key): [string, string] => {
    const variable = declared.get(key) ?? { ...plain, key };
    const value = presentValue(data, key) ?? variable.fallback;
    const expected = expectation(variable, value, typeConfig.missing === "EMPTY");
    if (expected !== undefined) findings.push(finding(key, value, expected));
    return [key, value === undefined ? "" : String(value)];
  });
  if (findings.length > 0) throw invalidData(findings);
  return values;
}

const plain = { type: "string", choices: undefined, isRequired: true, fallback: undefined } as const;

/** A blank counts as missing: a contract with a blank for a name binds nobody. */
function presentValue(data: JsonObject, key: string): JsonValue | undefined {
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  return value === null || (typeof value === "string" && value.trim() === "") ? undefined : value;
}

/** The templates service has validated the configuration, so anything unexpected is not a variable. */
function variablesOf({ variables }: JsonObject): Map<string, Variable> {
  const known = new Map<string, Variable>();
  for (const value of Array.isArray(variables) ? variables : []) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || typeof value.key !== "string") continue;
    const { key, type } = value;
    known.set(key, {
      key,
      type: type === "NUMBER" ? "number" : type === "BOOLEAN" ? "boolean" : "string",
      choices: Array.isArray(value.enum) ? value.enum : undefined,
      isRequired: value.required !== false,
      fallback: presentValue(value, "default"),
    });
  }
  return known;
}

/** The expected type that the value does not have. */
function expectation(variable: Variable, value: JsonValue | undefined, mayMiss: boolean): string | undefined {
  const { type, choices, isRequired } = variable;
  if (value === undefined) return isRequired && !mayMiss ? type : undefined;
  if (typeof value !== type) return type;
  return choices === undefined || choices.includes(value) ? undefined : `one of ${choices.join(", ")}`.slice(0, 200);
}

const finding = (key: string, value: JsonValue | undefined, expected: string): Finding => ({
  code: value === undefined ? "required" : "type",
  message: value === undefined ? `${key} is missing.` : `${key} must be ${expected}.`,
  line: 0,
  column: 0,
  path: `/${key}`,
  expected,
});
