import { pointerPath } from "#platform/problems.ts";
import { isDay, isTime } from "./filters/value-filters.ts";
import { pointerOf } from "./liquid-state.ts";
import type { Finding, JsonSchema } from "./template-source.ts";

const maxFindings = 20;
const maxDepth = 32;

/**
 * What is wrong with data by a schema: at most 20 findings, in the order of the data. Reads the keywords that schemas of
 * templates have: type, properties, required, items, anyOf and format. A general validator would make code of each
 * schema and tell a million mistakes of a list of a million numbers.
 */
export function checkData(schema: JsonSchema, data: unknown): readonly Finding[] {
  const findings: Finding[] = [];
  checkValue(schema, data, { findings, path: [] });
  return findings;
}

interface Place {
  readonly findings: Finding[];
  readonly path: readonly string[];
}

function checkValue(schema: JsonSchema, value: unknown, place: Place): void {
  const { findings, path } = place;
  if (findings.length >= maxFindings) return;
  if (path.length > maxDepth) {
    findings.push(
      finding("too_deep", path, `at most ${maxDepth} levels`, `The data are nested more than ${maxDepth} deep`),
    );
  } else if (!isOfType(schema, value)) {
    const expected = expectedOf(schema);
    findings.push(finding("wrong_type", path, expected, `${nameOf(path)} must be ${articled(expected)}`));
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (findings.length >= maxFindings) return;
      checkValue(objectOf(schema.items), item, { findings, path: [...path, String(index)] });
    }
  } else if (typeof value === "object" && value !== null) {
    checkObject(schema, value as Record<string, unknown>, place);
  }
}

function checkObject(schema: JsonSchema, value: Readonly<Record<string, unknown>>, { findings, path }: Place): void {
  const properties = objectOf(schema.properties);
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  for (const name of required) {
    if (typeof name !== "string" || Object.hasOwn(value, name)) continue;
    if (findings.length >= maxFindings) return;
    const at = [...path, name];
    const own = Object.hasOwn(properties, name) ? objectOf(properties[name]) : {};
    findings.push(finding("required", at, expectedOf(own), `${nameOf(at)} is missing`));
  }
  for (const [name, item] of Object.entries(value)) {
    const own = Object.hasOwn(properties, name) ? objectOf(properties[name]) : {};
    checkValue(own, item, { findings, path: [...path, name] });
  }
}

const finding = (code: string, path: readonly string[], expected: string, message: string): Finding => ({
  code,
  message: `${message}.`,
  line: 0,
  column: 0,
  path: pointerOf(path),
  expected,
});

const objectOf = (value: unknown): JsonSchema =>
  typeof value === "object" && value !== null ? (value as JsonSchema) : {};

function isOfType(schema: JsonSchema, value: unknown): boolean {
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isA(type, value))) return false;
  const { anyOf, format } = schema;
  if (Array.isArray(anyOf) && !anyOf.some((option) => isOfType(objectOf(option), value))) return false;
  return typeof format !== "string" || typeof value !== "string" || hasFormat(format, value);
}

const typesOf = ({ type }: JsonSchema): readonly unknown[] =>
  Array.isArray(type) ? type : type === undefined ? [] : [type];

function isA(type: unknown, value: unknown): boolean {
  if (value === null) return type === "null";
  if (Array.isArray(value)) return type === "array";
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function hasFormat(format: string, text: string): boolean {
  if (format === "date") return isDay(text);
  return format !== "date-time" || isTime(text);
}

/** The type that messages ask for: the first one. The others are accepted too. */
function expectedOf(schema: JsonSchema): string {
  const [type] = typesOf(schema);
  if (Array.isArray(schema.anyOf)) return "date";
  return typeof type === "string" ? type : "any value";
}

const articled = (expected: string): string => `${/^[aeiou]/.test(expected) ? "an" : "a"} ${expected}`;

/** Names in data may be long and have any characters. */
const nameOf = (path: readonly string[]): string =>
  path.length === 0 ? "The data" : pointerPath("data", pointerOf(path)).slice(0, 100).toWellFormed();
