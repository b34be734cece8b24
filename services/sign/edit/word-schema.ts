import type { JsonObject, JsonValue, MessageInitShape } from "@bufbuild/protobuf";
import { type WordField, type WordFieldSchema, WordFieldType } from "#gen/assent/sign/v1/sign_pb.ts";
import type { FieldProblem } from "#platform/errors.ts";
import { problem } from "../agreement/problems.ts";

type FieldInit = MessageInitShape<typeof WordFieldSchema>;

/** The fields that data of this schema have, those of objects under the names of their tags: `customer.name`. */
export const fieldsOf = (schema: JsonObject, path = ""): FieldInit[] =>
  propertiesOf(schema).flatMap(({ name, property, isRequired }): FieldInit[] => {
    const field = { name: path + name, required: isRequired };
    const type = typeOf(property);
    if (type === "object") return fieldsOf(property, `${path}${name}.`);
    if (type !== WordFieldType.LIST) return [{ ...field, type }];
    return [{ ...field, type, rows: [{ fields: fieldsOf(rowOf(property)) }] }];
  });

/** What is wrong with values, by the names of fields in words: requests have fields in lists. */
interface Problems {
  readonly place: string;
  readonly found: FieldProblem[];
}

/** Data of this schema from texts, with what is wrong: fields that are missing, unknown, named twice or of another kind. */
export function dataOf(
  schema: JsonObject,
  fields: readonly WordField[],
  place: string,
): { readonly data: JsonObject; readonly problems: readonly FieldProblem[] } {
  const problems = { place, found: [] as FieldProblem[] };
  return { data: readRow(schema, fields, "", problems), problems: problems.found };
}

/** All fields of a list, or of the whole file; `within` says which in words. */
function readRow(schema: JsonObject, fields: readonly WordField[], within: string, problems: Problems): JsonObject {
  const { place, found } = problems;
  const values = new Map<string, WordField>();
  for (const field of fields) {
    if (values.has(field.name)) found.push(problem(place, "DUPLICATE", `has ${within}${field.name} twice`));
    values.set(field.name, field);
  }
  const data = readObject(schema, { values, within, problems }, "");
  for (const name of values.keys()) {
    found.push(problem(place, "UNKNOWN", `has ${within}${name}, which is no field of the file`));
  }
  return data;
}

interface Row {
  /** Without those that were read. */
  readonly values: Map<string, WordField>;
  readonly within: string;
  readonly problems: Problems;
}

function readObject(schema: JsonObject, row: Row, path: string): JsonObject {
  const { values, within, problems } = row;
  const entries: [string, JsonValue][] = [];
  for (const { name, property, isRequired } of propertiesOf(schema)) {
    if (typeOf(property) === "object") {
      const inner = readObject(property, row, `${path}${name}.`);
      if (isRequired || Object.keys(inner).length > 0) entries.push([name, inner]);
      continue;
    }
    const field = values.get(path + name);
    values.delete(path + name);
    const called = `${within}${path}${name}`;
    const value = field && readValue(property, field, called, problems);
    if (value !== undefined) entries.push([name, value]);
    else if (isRequired) problems.found.push(problem(problems.place, "REQUIRED", `needs a value for ${called}`));
  }
  return Object.fromEntries(entries);
}

function readValue(property: JsonObject, field: WordField, called: string, problems: Problems): JsonValue | undefined {
  const { value, rows } = field;
  const type = typeOf(property);
  if (type === WordFieldType.LIST) {
    const row = rowOf(property);
    return rows.map(({ fields }, index): JsonValue => {
      const read = readRow(row, fields, `${called}[${index}].`, problems);
      return row === property.items ? read : (read.value ?? "");
    });
  }
  if (type === WordFieldType.TEXT) return value;
  const said = value.trim();
  if (type === WordFieldType.CONDITION) return /^(true|false)$/i.test(said) ? said.toLowerCase() === "true" : value;
  if (said === "") return undefined;
  if (type === WordFieldType.DATE) return said;
  if (/^-?\d{1,15}(\.\d{1,15})?$/.test(said)) return Number(said);
  problems.found.push(problem(problems.place, "TYPE", `needs a number such as 1250.5 for ${called}`));
  return 0;
}

/** A list of plain values has rows of a single field. */
function rowOf({ items }: JsonObject): JsonObject {
  const item = isObject(items) ? items : {};
  return typeOf(item) === "object" ? item : { properties: { value: item }, required: ["value"] };
}

function typeOf(schema: JsonObject): WordFieldType | "object" {
  const types = [schema.type].flat().filter((type) => type !== "null");
  if (types.includes("object")) return "object";
  if (types.includes("array")) return WordFieldType.LIST;
  if (schema.anyOf !== undefined) return WordFieldType.DATE;
  if (types.includes("string")) return WordFieldType.TEXT;
  return types.includes("number") ? WordFieldType.NUMBER : WordFieldType.CONDITION;
}

function propertiesOf({ properties, required }: JsonObject) {
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) =>
    isObject(property) ? [{ name, property, isRequired: needed.has(name) }] : [],
  );
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
