import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { findMergeFields, maxMergeFieldProblems } from "../merge-fields.ts";

/** Fields as `key@offset`, problems as `mistake@offset+length`. */
function read(text: string): string[] {
  const { fields, problems } = findMergeFields(text);
  return [
    ...fields.map(({ key, offset }) => `${key}@${offset}`),
    ...problems.map(({ mistake, offset, length }) => `${mistake}@${offset}+${length}`),
  ];
}

describe("findMergeFields", () => {
  test.each<[string, string[]]>([
    ["", []],
    ["no fields { } {a} } {", []],
    ["{{a}}", ["a@0"]],
    ["x {{fullName}}, {{company.name_2}}{{Z}}", ["fullName@2", "company.name_2@16", "Z@34"]],
    [`{{${"a".repeat(64)}}}`, [`${"a".repeat(64)}@0`]],
    ["{ {{a}} }", ["a@2"]],
  ])("reads %j", (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test.each<[string, string[]]>([
    ["{{", ["UNBALANCED@0+2"]],
    ["a }} b", ["UNBALANCED@2+2"]],
    ["{{a", ["UNBALANCED@0+2"]],
    ["{{a} }", ["UNBALANCED@0+2"]],
    ["{{a {{b}}", ["b@4", "UNBALANCED@0+2"]],
    ["{{a}} }}", ["a@0", "UNBALANCED@6+2"]],
    ["{{{a}}}", ["TRIPLE_BRACES@0+7"]],
    ["{{{a}}", ["TRIPLE_BRACES@0+6"]],
    ["{{a}}}", ["TRIPLE_BRACES@0+6"]],
    ["{{{{a}}}}", ["TRIPLE_BRACES@0+9"]],
    ["{{{{", ["UNBALANCED@0+4"]],
    ["{{}}", ["MALFORMED@0+4"]],
    ["{{ a }}", ["MALFORMED@0+7"]],
    ["{{1a}}", ["MALFORMED@0+6"]],
    ["{{a-b}}", ["MALFORMED@0+7"]],
    ["{{ä}}", ["MALFORMED@0+5"]],
    ["{{a\nb}}", ["MALFORMED@0+7"]],
    [`{{${"a".repeat(65)}}}`, ["MALFORMED@0+69"]],
    ["{{#if a}}x{{/if}}", ["LOGIC@0+9", "LOGIC@10+7"]],
    ["{{^a}}", ["LOGIC@0+6"]],
    ["{{> partial}}", ["LOGIC@0+13"]],
    ["{{&a}}", ["LOGIC@0+6"]],
    ["{{! comment }}", ["LOGIC@0+14"]],
    ["{{=<% %>=}}", ["LOGIC@0+11"]],
    ["{{a | upper}}", ["LOGIC@0+13"]],
    ["{{else if a}}", ["LOGIC@0+13"]],
    ["{{call(a)}}", ["LOGIC@0+11"]],
    ["{% if a %}x{% endif %}", ["LOGIC@0+10", "LOGIC@11+11"]],
    ["{%", ["LOGIC@0+2"]],
  ])("refuses %j", (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test("finds every field that is written, and nothing else in a text without braces", () => {
    const key = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_.]{0,63}$/);
    const text = fc.string().map((value) => value.replaceAll(/[{}]/g, ""));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, key)), text, (parts, last) => {
        const written = parts.map(([before, name]) => `${before}{{${name}}}`).join("") + last;
        const { fields, problems } = findMergeFields(written);
        expect(problems).toEqual([]);
        expect(fields.map((field) => field.key)).toEqual(parts.map(([, name]) => name));
        for (const { key: name, offset, length } of fields) {
          expect(written.slice(offset, offset + length)).toBe(`{{${name}}}`);
        }
      }),
    );
  });

  test("leaves no double brace unexplained", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("{", "}", "a", " ", "#") }), (text) => {
        const { fields, problems } = findMergeFields(text);
        const explained = [...fields, ...problems].sort((a, b) => a.offset - b.offset);
        let rest = "";
        let end = 0;
        for (const { offset, length } of explained) {
          expect(offset).toBeGreaterThanOrEqual(end);
          rest += `${text.slice(end, offset)}|`;
          end = offset + length;
        }
        expect(rest + text.slice(end)).not.toMatch(/\{\{|\}\}/);
      }),
    );
  });

  test("tells a bounded number of problems", () => {
    expect(findMergeFields("{{ ".repeat(10_000)).problems).toHaveLength(maxMergeFieldProblems);
  });
});
