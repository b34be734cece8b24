import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { JsonSchema } from "#api/kinds.ts";
import { schemaCompiler } from "../../gateway/http/validate.ts";
import { buildOpenApi } from "../../gateway/openapi/build.ts";
import { allRoutes } from "../../gateway/routes/index.ts";

import { mutated } from "./mutations.ts";
import { readOperations } from "./operations.ts";
import { validValues } from "./values.ts";

const seed = Math.floor(Math.random() * 2 ** 31);
const operations = readOperations(JSON.parse(JSON.stringify(buildOpenApi(allRoutes))));
const compile = schemaCompiler();
const schemas: [string, JsonSchema][] = operations.flatMap(({ operationId, parameters, body }) => [
  ...parameters.map(({ name, schema }): [string, JsonSchema] => [`${operationId} ${name}`, schema]),
  ...(body === undefined ? [] : [[`${operationId} body`, body.schema] satisfies [string, JsonSchema]]),
]);
const different = [
  ...new Map(schemas.map(([name, schema]) => [JSON.stringify(schema), [name, schema] as const])).values(),
];
/** As it arrives: what cannot be written as JSON is no value of a request. */
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe(`values made from schemas (seed ${seed})`, () => {
  test.each(different)("those for %s are what it allows", (_name, schema) => {
    const validate = compile(schema);
    const refused = fc
      .sample(validValues(schema), { seed, numRuns: 60 })
      .filter((value) => validate(sent(value)).length > 0);
    expect(refused).toEqual([]);
  });

  test("nearly all bodies that were changed are refused", () => {
    const bodies = operations.flatMap(({ body }) => (body === undefined ? [] : [body.schema]));
    const verdicts = bodies.flatMap((schema) => {
      const validate = compile(schema);
      return fc
        .sample(mutated(validValues(schema)), { seed, numRuns: 50 })
        .map((value) => validate(sent(value)).length > 0);
    });
    expect(verdicts.filter((isRefused) => isRefused).length / verdicts.length).toBeGreaterThan(0.5);
  });

  test("one seed makes the same values again", () => {
    const [, schema] = different.find(([name]) => name.endsWith("body")) ?? ["", {}];
    const once = () =>
      fc.sample(mutated(validValues(schema)), { seed, numRuns: 20 }).map((value) => JSON.stringify(value));
    expect(once()).toEqual(once());
  });

  test.each<[string, JsonSchema]>([
    [
      "a choice of shapes",
      {
        oneOf: [
          { type: "integer", minimum: 5 },
          { type: "string", minLength: 3 },
        ],
      },
    ],
    ["a constant", { const: "x" }],
    [
      "one of two properties",
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string" } },
        oneOf: [{ required: ["a"] }, { required: ["b"] }],
      },
    ],
    ["a list with bounds", { type: "array", minItems: 2, maxItems: 4, items: { type: "boolean" } }],
    ["a pattern", { type: "string", pattern: "^[a-z]{2,4}(-[0-9]+)?$" }],
    ["a closed object", { type: "object", properties: { a: { type: "null" } }, additionalProperties: false }],
  ])("%s is understood", (_name, schema) => {
    const validate = compile(schema);
    const refused = fc
      .sample(validValues(schema), { seed, numRuns: 200 })
      .filter((value) => validate(sent(value)).length > 0);
    expect(refused).toEqual([]);
  });
});

describe("hostile values", () => {
  test("keep keys that are no ordinary ones, and change nothing but the value", () => {
    const values = fc.sample(mutated(fc.constant({ name: "x" })), { seed, numRuns: 2_000 });
    expect(values.some((value) => Object.hasOwn(Object(value), "__proto__"))).toBe(true);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(values.some((value) => JSON.stringify(value).includes("\\ud800"))).toBe(true);
  });
});
