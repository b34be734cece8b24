import { describe, expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { checkData } from "../templating/check-data.ts";
import { checkTemplate } from "../templating/check-job.ts";
import { isDay, isTime } from "../templating/filters/value-filters.ts";

const schemaOf = (content: string) => {
  const { schema } = checkTemplate({ format: "html", content });
  if (schema === undefined) throw new TypeError("the template has findings");
  return schema;
};

const invoice = schemaOf(
  '{{ number }}{{ on | date }}{% for i in items %}{{ i.name }}{{ i.price | money: "EUR" }}{% endfor %}{{ note | default: "" }}',
);

describe("checkData", () => {
  test("finds nothing in data that fit", () => {
    const data = { number: 1, on: "2026-02-28", items: [{ name: "a", price: 1.5, more: [] }], note: null, extra: {} };
    expect(checkData(invoice, data)).toEqual([]);
  });

  test("tells each mistake with its path and what was expected", () => {
    const data = { on: "2026-02-30", items: [{ name: "a", price: "1" }, null], note: [] };
    expect(checkData(invoice, data).map(({ code, path, expected }) => [code, path, expected])).toEqual([
      ["required", "/number", "string"],
      ["wrong_type", "/on", "date"],
      ["wrong_type", "/items/0/price", "number"],
      ["wrong_type", "/items/1", "object"],
      ["wrong_type", "/note", "string"],
    ]);
    expect(checkData(invoice, data)[2]?.message).toBe("data.items[0].price must be a number.");
  });

  test("tells 20 mistakes of a million", () => {
    expect(
      checkData(invoice, { number: 1, on: "2026-01-01", items: Array.from({ length: 500_000 }, () => 0) }),
    ).toHaveLength(20);
  });

  test("sees own keys only, and paths as JSON pointers", () => {
    const schema = schemaOf('{{ constructor }}{{ toString.length }}{{ x["a/b~c"] | upcase }}');
    const data = JSON.parse('{"__proto__": {"constructor": "x"}, "x": {"a/b~c": []}}');
    expect(checkData(schema, data).map(({ path }) => path)).toEqual(["/constructor", "/toString", "/x/a~1b~0c"]);
  });

  test("refuses what is nested too deeply", () => {
    let data: unknown = 1;
    for (let depth = 0; depth < 90; depth += 1) data = [data];
    expect(checkData({}, { data })).toEqual([expect.objectContaining({ code: "too_deep" })]);
  });

  test("has the verdict of a general validator", () => {
    const ajv = new Ajv2020({ ownProperties: true, strict: false, formats: { date: isDay, "date-time": isTime } });
    const validate = ajv.compile(invoice);
    const scalar = fc.constantFrom(null, true, 0, 1.5, "", "a", "2026-01-31", "2026-13-31", "2026-01-31T10:00:00Z");
    const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.record({ name: scalar }));
    const items = fc.array(fc.record({ name: value, price: value }, { requiredKeys: [] }), { maxLength: 3 });
    const data = fc.record(
      { number: value, on: value, items: fc.oneof(items, value), note: value },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(data, (given) => {
        expect(checkData(invoice, given).length === 0).toBe(validate(given));
      }),
      { numRuns: 500 },
    );
  });
});
