import fc from "fast-check";
import type { JsonSchema } from "#api/kinds.ts";

import { validTexts } from "./texts.ts";

/** Lets a value of this name come from elsewhere too, such as ids that exist. */
export type Naming = (name: string, values: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>;

/** Values that a JSON Schema allows; `name` is what they are called where they stand. */
export function validValues(schema: JsonSchema, naming: Naming = asTheyAre, name = ""): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.oneOf)) return fc.oneof(...branches(schema, schema.oneOf, naming, name));
  if (Array.isArray(schema.anyOf)) return fc.oneof(...branches(schema, schema.anyOf, naming, name));
  if (Object.hasOwn(schema, "const")) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? []].flat() as string[];
  if (types.length === 0) return naming(name, anyJson);
  const ofTypes = types.map((type) => ({
    arbitrary: ofType(type, schema, naming, name),
    weight: type === "null" ? 1 : 6,
  }));
  const plain = fc.oneof(...ofTypes);
  if (!Array.isArray(schema.examples)) return naming(name, plain);
  const examples = fc.constantFrom(...schema.examples);
  return naming(name, fc.oneof({ arbitrary: plain, weight: 2 }, { arbitrary: examples, weight: 1 }));
}

const asTheyAre: Naming = (_name, values) => values;
const anyJson = fc.jsonValue({ maxDepth: 3, noUnicodeString: false } as fc.JsonSharedConstraints);

/** Each alternative over what holds for all; of several, what only another one requires is left out. */
function branches(
  { oneOf: _oneOf, anyOf: _anyOf, ...shared }: JsonSchema,
  alternatives: readonly JsonSchema[],
  naming: Naming,
  name: string,
): fc.Arbitrary<unknown>[] {
  const requiredBy = (schema: JsonSchema): string[] => (schema.required ?? []) as string[];
  return alternatives.map((alternative) => {
    const required = [...new Set([...requiredBy(shared), ...requiredBy(alternative)])];
    const others = alternatives.flatMap(requiredBy).filter((field) => !required.includes(field));
    const kept = Object.entries((shared.properties ?? {}) as object).filter(([field]) => !others.includes(field));
    const properties = { ...Object.fromEntries(kept), ...((alternative.properties ?? {}) as object) };
    const isObject = Object.keys(properties).length > 0;
    return validValues({ ...shared, ...alternative, ...(isObject ? { properties, required } : {}) }, naming, name);
  });
}

function ofType(type: string, schema: JsonSchema, naming: Naming, name: string): fc.Arbitrary<unknown> {
  if (type === "string") return validTexts(schema);
  if (type === "integer" || type === "number") return numbers(schema);
  if (type === "boolean") return fc.boolean();
  if (type === "array") return lists(schema, naming, name);
  return type === "object" ? objects(schema, naming) : fc.constant(null);
}

/** Ends of the range, small numbers, and anything between. */
function numbers({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: JsonSchema): fc.Arbitrary<number> {
  const [min, max] = [Number(minimum), Number(maximum)];
  const ends = { arbitrary: fc.constantFrom(min, max), weight: 1 };
  const isWhole = Number.isInteger(min) && Number.isInteger(max);
  if (!isWhole) return fc.oneof({ arbitrary: fc.double({ min, max, noNaN: true }), weight: 7 }, ends);
  const small = { min, max: Math.min(max, min + 20) };
  return fc.oneof({ arbitrary: fc.integer(small), weight: 6 }, ends, {
    arbitrary: fc.maxSafeInteger().map((n) => min + (Math.abs(n) % (max - min + 1))),
    weight: 1,
  });
}

function lists({ items = {}, minItems = 0, maxItems = 1_000 }: JsonSchema, naming: Naming, name: string) {
  // What a list of templateIds holds is a templateId.
  const item = validValues(items as JsonSchema, naming, name.replace(/s$/, ""));
  const min = Number(minItems);
  const few = Math.min(Number(maxItems), min + 3);
  const many = Math.min(Number(maxItems), 200);
  return fc.oneof(
    { arbitrary: fc.array(item, { minLength: min, maxLength: few }), weight: 30 },
    { arbitrary: fc.array(item, { minLength: many, maxLength: many }), weight: 1 },
  );
}

/** Few of what may be left out mostly, so that what contradicts each other does not always meet; now and then all. */
function objects(schema: JsonSchema, naming: Naming): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  if (properties.length === 0) return dictionaries(schema, naming);
  const needed = new Set((schema.required ?? []) as string[]);
  const values = Object.fromEntries(properties.map(([name, part]) => [name, validValues(part, naming, name)]));
  const optional = Object.keys(values).filter((name) => !needed.has(name));
  const ofNames = (names: readonly string[]) =>
    fc.record(Object.fromEntries([...needed, ...names].map((name) => [name, values[name] ?? anyJson])), {
      noNullPrototype: true,
    });
  const few = fc.subarray(optional, { maxLength: Math.min(3, optional.length) }).chain(ofNames);
  return fc.oneof({ arbitrary: few, weight: 8 }, { arbitrary: ofNames(optional), weight: 1 });
}

function dictionaries(
  { additionalProperties, propertyNames = {}, maxProperties = 50 }: JsonSchema,
  naming: Naming,
): fc.Arbitrary<unknown> {
  if (additionalProperties === false) return fc.constant({});
  const isOpen = typeof additionalProperties !== "object" || additionalProperties === null;
  const value = isOpen ? anyJson : validValues(additionalProperties as JsonSchema, naming);
  const key = validTexts({ maxLength: 40, ...(propertyNames as object) });
  return fc.dictionary(key, value, { maxKeys: Math.min(3, Number(maxProperties)), noNullPrototype: true });
}
