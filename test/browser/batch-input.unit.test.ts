import { describe, expect, test } from "@jest/globals";
import { type DataField, fieldsOf, readBatchInput } from "../../web/dashboard/src/pages/generation/batch-input.ts";

const fields: DataField[] = [
  { path: "customer.name", types: ["string", "number", "boolean"], isRequired: true },
  { path: "price", types: ["number"], isRequired: true },
  { path: "isNew", types: ["boolean"], isRequired: false },
];
const read = (text: string) => readBatchInput(text, fields);

describe("what is pasted for a batch", () => {
  test("is a table whose first line names the values, and numbers are what the template takes as numbers", () => {
    expect(read("ref,customer.name,price,isNew\r\nrow-1,007,12.5,true\r\n\r\nrow-2,Ada,cheap,\r\n")).toEqual({
      rows: [
        { ref: "row-1", data: { customer: { name: "007" }, price: 12.5, isNew: true } },
        { ref: "row-2", data: { customer: { name: "Ada" }, price: "cheap" } },
      ],
    });
  });

  test("has quoted cells with separators, quotation marks and several lines", () => {
    const text = 'customer.name;price\n"Bücher; ""Söhne""\nBerlin";3\n;4\n';
    expect(read(text)).toEqual({
      rows: [{ data: { customer: { name: 'Bücher; "Söhne"\nBerlin' }, price: 3 } }, { data: { price: 4 } }],
    });
    expect(read('customer.name\tprice\n""\t3')).toEqual({ rows: [{ data: { price: 3 } }] });
  });

  test("is a list of data, or of items as the API takes them", () => {
    const items = [{ ref: "row-1", data: { price: 1 } }, { ref: "A", price: 2 }, { price: 3 }];
    expect(read(JSON.stringify(items))).toEqual({
      rows: [{ ref: "row-1", data: { price: 1 } }, { ref: "A", data: { ref: "A", price: 2 } }, { data: { price: 3 } }],
    });
  });

  test.each([
    ["", { kind: "empty" }],
    ["customer.name,price", { kind: "empty" }],
    ['{"price":1}', { kind: "no_list" }],
    ["[{]", { kind: "bad_json" }],
    ["[{},3]", { kind: "bad_item", index: 1 }],
    ['name,price\n"Ada\nBerlin,3', { kind: "bad_quotes", line: 2 }],
    ['name,price\n"Ada\nBerlin",3\nBob', { kind: "wrong_cells", line: 4 }],
    [`name\n${"Ada\n".repeat(501)}`, { kind: "too_many", count: 501 }],
  ])("is refused with its place: %j", (text, problem) => {
    expect(read(text)).toEqual({ problem });
  });

  test("has columns of any name without harm", () => {
    const { rows } = read("__proto__.polluted,constructor\nyes,no") as { rows: { data: object }[] };
    expect(JSON.stringify(rows[0]?.data)).toBe('{"__proto__":{"polluted":"yes"},"constructor":"no"}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("knows the fields of a schema, those of lists included", () => {
    const text = { type: ["string", "number", "boolean"] };
    const item = { type: "object", required: ["price"], properties: { name: text, price: { type: "number" } } };
    const schema = {
      type: "object",
      required: ["customer", "items"],
      properties: {
        customer: { type: "object", required: ["name"], properties: { name: text } },
        items: { type: "array", items: item },
        day: { type: "string", anyOf: [{ format: "date" }, { format: "date-time" }] },
      },
    };
    expect(fieldsOf(schema)).toEqual([
      { path: "customer.name", types: text.type, isRequired: true },
      { path: "items[].name", types: text.type, isRequired: false },
      { path: "items[].price", types: ["number"], isRequired: true },
      { path: "day", types: ["date"], isRequired: false },
    ]);
  });
});
