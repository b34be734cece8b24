import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { canonicalize } from "json-canonicalize";
import { canonicalJson } from "../canonical-json.ts";
import { anyCharacter } from "./code-points.ts";

describe("canonicalJson", () => {
  test("gives what another implementation of RFC 8785 gives", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
      { numRuns: 2_000 },
    );
  });

  // RFC 8785 §3.2.3.
  test("sorts keys by UTF-16 code units", () => {
    const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 };
    expect(Object.values(JSON.parse(canonicalJson(value)) as object)).toEqual([4, 2, 6, 7, 1, 5, 3]);
    expect(canonicalJson({ "9": 0, "10": 0 })).toBe('{"10":0,"9":0}');
  });

  // RFC 8785 §3.2.2.
  test("writes numbers, literals and texts as ECMAScript does", () => {
    const numbers: unknown = JSON.parse("[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001,-0]");
    const value = { numbers, string: '\u20ac$\u000f\nA\'B"\\\\"/', literals: [null, true, false] };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test("sorts a body that has a property named toJSON or __proto__ as any other", () => {
    expect(canonicalJson(JSON.parse('{"toJSON":1,"b":{"__proto__":2,"a":3}}'))).toBe(
      '{"b":{"__proto__":2,"a":3},"toJSON":1}',
    );
  });

  test("leaves out what is undefined and obeys toJSON", () => {
    expect(canonicalJson({ b: undefined, a: [undefined], at: new Date(0) })).toBe(
      '{"a":[null],"at":"1970-01-01T00:00:00.000Z"}',
    );
  });

  test.each([[Number.NaN], [Number.POSITIVE_INFINITY], [() => 1], [undefined], [1n]])("throws for %p", (value) => {
    expect(() => canonicalJson({ list: value === undefined ? Symbol("none") : value })).toThrow(TypeError);
  });
});
