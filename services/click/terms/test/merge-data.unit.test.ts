import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseFragment } from "parse5";
import { DomainError } from "#platform/errors.ts";
import { prepareMerge } from "#platform/restricted-html/merge-html.ts";
import { contentToHtml } from "#platform/restricted-html/read-content.ts";
import { mergeText } from "../../render/compose.ts";
import { fitData } from "../merge-data.ts";
import type { Terms } from "../terms.ts";

function outcomeOf(variable: JsonObject, value?: JsonValue, missing = "ERROR"): unknown {
  const config = { variables: [{ key: "k", ...variable }], missing };
  try {
    const { values } = fitData(config, [], value === undefined ? {} : { k: value });
    return values.get("k");
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.code).toBe("CLICK_DATA_INVALID");
    expect(error.details.map(({ field }) => field)).toEqual(["data.k"]);
    return { code: error.details[0]?.code };
  }
}

const refused = (code: string) => ({ code });

describe("fitData", () => {
  test.each<[string, JsonObject, JsonValue | undefined, unknown]>([
    ["a string", {}, "Ann", "Ann"],
    ["no string", {}, 7, refused("TYPE")],
    ["nothing", {}, undefined, refused("REQUIRED")],
    ["null", {}, null, refused("REQUIRED")],
    ["blanks", {}, " \t", refused("REQUIRED")],
    ["nothing that may be missing", { required: false }, undefined, ""],
    ["a default", { default: "D" }, undefined, "D"],
    ["a value before a default", { default: "D" }, "V", "V"],
    ["as long as allowed", { maxLength: 3 }, "ä𝒳c", "ä𝒳c"],
    ["too long", { maxLength: 3 }, "abcd", refused("MAX_LENGTH")],
    ["too long for anything", {}, "x".repeat(10_001), refused("MAX_LENGTH")],
    ["what the pattern wants", { pattern: "[a-z]+" }, "abc", "abc"],
    ["not what the pattern wants", { pattern: "[a-z]+" }, "abc1", refused("PATTERN")],
    ["a pattern that tries for ever", { pattern: "(a+)+b" }, "a".repeat(5_000), refused("PATTERN")],
    ["lines", {}, "a\nb\tc", "a\nb\tc"],
    ["a control character", {}, "a\u0000b", refused("CHARACTERS")],
    ["letters that run backwards", {}, "abc\u202Egpj", refused("CHARACTERS")],
    ["half a character", {}, "a\uD800", refused("CHARACTERS")],
    ["a number", { type: "NUMBER" }, 12.5, "12.5"],
    ["the default 0", { type: "NUMBER", default: 0 }, undefined, "0"],
    ["a number as text", { type: "NUMBER" }, "12", refused("TYPE")],
    ["a date", { type: "DATE" }, "2028-02-29", "2028-02-29"],
    ["no date", { type: "DATE" }, "2026-02-29", refused("TYPE")],
    ["a time", { type: "DATE" }, "2026-02-28T00:00:00Z", refused("TYPE")],
    ["false", { type: "BOOLEAN" }, false, "false"],
    ["a word for false", { type: "BOOLEAN" }, "false", refused("TYPE")],
    ["one of them", { type: "ENUM", enum: ["a", "b"] }, "b", "b"],
    ["none of them", { type: "ENUM", enum: ["a", "b"] }, "c", refused("ENUM")],
    ["an object", {}, { a: 1 }, refused("TYPE")],
    ["a list", {}, ["a"], refused("TYPE")],
  ])("%s", (_what, variable, value, expected) => {
    expect(outcomeOf(variable, value)).toEqual(expected);
  });

  test("nothing is missed when what is missing is left empty", () => {
    expect(outcomeOf({}, undefined, "EMPTY")).toBe("");
    expect(outcomeOf({}, 7, "EMPTY")).toEqual(refused("TYPE"));
  });

  test("what the text uses without a declaration is a required string", () => {
    expect(() => fitData({}, ["fullName"], {})).toThrow(DomainError);
    expect(fitData({}, ["fullName"], { fullName: "Ann", other: "x" }).data).toEqual({ fullName: "Ann" });
  });

  test("names that objects have by nature are names like any other", () => {
    const keys = ["constructor", "toString", "hasOwnProperty", "__proto__"];
    for (const key of keys) expect(() => fitData({ variables: [{ key }] }, [], {})).toThrow(DomainError);
    const given = JSON.parse('{"constructor": "a", "__proto__": "b"}') as JsonObject;
    const { values } = fitData({}, ["constructor", "__proto__"], given);
    expect([...values.values()]).toEqual(["a", "b"]);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  test("a template that is made to take long is refused in time, and one of many usual patterns is not", () => {
    const variables = Array.from({ length: 100 }, (_, n) => ({ key: `k${n}`, pattern: "(?:.?){500}b" }));
    const given = (value: string) => Object.fromEntries(variables.map(({ key }) => [key, value]));
    const from = performance.now();
    expect(() => fitData({ variables }, [], given("a".repeat(4_000)))).toThrow(DomainError);
    expect(performance.now() - from).toBeLessThan(5_000);
    const usual = variables.map(({ key }) => ({ key, pattern: "[\\p{L}\\p{M}' -]{1,400}" }));
    expect(fitData({ variables: usual }, [], given("Änne Müller")).values.size).toBe(100);
  });

  test("tells of a hundred problems at most", () => {
    const used = Array.from({ length: 300 }, (_, n) => `k${n}`);
    try {
      fitData({}, used, {});
      throw new Error("it fitted");
    } catch (error) {
      expect((error as DomainError).details).toHaveLength(100);
    }
  });
});

const content = {
  HTML: '<h1>{{a}}</h1><p>To <strong>{{b}}</strong>, <a href="https://x.example/">{{a}}</a>{{b}}</p><pre>{{a}}</pre>',
  MARKDOWN: "# {{a}}\n\nTo **{{b}}**, [{{a}}](https://x.example/){{b}}\n\n- {{a}}\n\n| x |\n| - |\n| {{b}} |\n",
  TEXT: "{{a}}\n\nTo {{b}}, {{a}}{{b}}",
};

interface Node {
  readonly nodeName: string;
  readonly attrs?: readonly { readonly name: string; readonly value: string }[];
  readonly value?: string;
  readonly childNodes?: readonly Node[];
}

/** What a browser makes of it: the elements and attributes alone, and the text alone. */
function seenBy(html: string): { readonly markup: string; readonly text: string } {
  let markup = "";
  let text = "";
  const walk = (node: Node): void => {
    if (node.nodeName === "#text") {
      text += node.value ?? "";
      return;
    }
    markup += `<${node.nodeName}${(node.attrs ?? []).map(({ name, value }) => ` ${name}=${value}`).join("")}>`;
    for (const child of node.childNodes ?? []) walk(child);
    markup += "</>";
  };
  walk(parseFragment(html) as Node);
  return { markup, text };
}

const hostile = fc.oneof(
  fc.string({ minLength: 1, unit: "grapheme" }),
  fc.constantFrom(
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</p><p>",
    "--><!--",
    "&lt;b&gt;",
    "&#60;b>",
    "' onmouseover='x()",
    '"><b>',
    "{{a}}",
    "{{b}}{{a}}",
    "$&$1$'",
    "**bold** [x](javascript:x())",
    "<![CDATA[",
    "</pre><b>",
    "\r\n<b>",
    "&",
    "&amp",
    "#x41;",
    "amp;lt;",
  ),
);

describe("mergeText", () => {
  const terms = { typeConfig: {}, type: "GENERATED" } as unknown as Terms;

  test.each(["HTML", "MARKDOWN", "TEXT"] as const)("values of %s become text and never markup", (format) => {
    const html = contentToHtml(format, content[format]);
    const merge = prepareMerge(html);
    const plain = seenBy(mergeText(merge, terms, { a: "A", b: "B" }).html);
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        fc.pre([a, b].every((value) => value.trim() !== "" && !/\p{Cc}|[\u202A-\u202E\u2066-\u2069]/u.test(value)));
        const seen = seenBy(mergeText(merge, terms, { a, b }).html);
        expect(seen.markup).toBe(plain.markup);
        const fields = seenBy(html).text.split(/\{\{([ab])\}\}/);
        const expected = fields.map((part, n) => (n % 2 === 0 ? part : part === "a" ? a : b)).join("");
        expect(seen.text).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });

  test("gives the same bytes and the same hash for the same values", () => {
    const merge = prepareMerge(content.HTML);
    const [one, two] = [1, 2].map(() => mergeText(merge, terms, { a: "A", b: "B" }));
    expect(one).toEqual(two);
  });
});
