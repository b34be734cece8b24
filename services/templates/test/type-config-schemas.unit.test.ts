import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { completeTypeConfig, typeConfigProblems, typeConfigSchemas } from "../domain/type-config.ts";

const types = ["STATIC", "GENERATED", "CONSENT"] as const;

describe("typeConfigSchemas", () => {
  test.each(types)("of %s says to clients what is checked here", (type) => {
    const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(typeConfigSchemas[type]);
    expect(isValid(completeTypeConfig(type))).toBe(true);
    expect(isValid({ unknown: 1 })).toBe(false);
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), (a, b) => {
        const config = {
          variables: [{ key: "a", label: a, default: b }],
          missing: "EMPTY",
          purposes: a,
          documents: [b],
        };
        const fields = Object.keys(typeConfigSchemas[type].properties as JsonObject);
        const known = Object.fromEntries(
          Object.entries(config).filter(([field]) => fields.includes(field)),
        ) as JsonObject;
        // Some rules go beyond the schema, but what the schema refuses is never accepted.
        if (typeConfigProblems(type, known).length === 0) expect([known, isValid(known)]).toEqual([known, true]);
      }),
    );
  });
});
