import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { defaultTreeAdapter, html as htmlNames, parseFragment, serialize } from "parse5";
import { anyCharacter } from "#platform/test/code-points.ts";
import { filledLength, fillMerge, prepareMerge } from "../merge-html.ts";
import { parseRestrictedHtml } from "../parse.ts";
import { contentToHtml } from "../read-content.ts";
import { dangersOf } from "./shown-page.ts";

const fill = (html: string, values: Readonly<Record<string, string>>): string =>
  fillMerge(prepareMerge(html), new Map(Object.entries(values)));

describe("prepareMerge", () => {
  test("tells the keys, each once, and keeps the rest", () => {
    const merge = prepareMerge("<p>{{a}} and {{b.c_1}}, {{a}}</p>");
    expect(merge.keys).toEqual(["a", "b.c_1"]);
    expect(merge.texts).toEqual(["<p>", " and ", ", ", "</p>"]);
    expect(prepareMerge("<p>x</p>")).toEqual({ keys: [], texts: ["<p>x</p>"], fields: [] });
  });

  test.each([
    "{{a",
    "a}}",
    "{{{a}}}",
    "{{#if a}}b{{/if}}",
    "{{ a }}",
    "<p title='{{a}}'>x</p>",
    "<p {{a}}>x</p>",
    "<{{a}}>x",
    "x <{{a}}",
    "<p>1 <{{a}}</p>",
    "<p title={{a}}>x</p>",
    "x</{{a}}>",
    "<!-- {{a}} -->",
    "<!--{{a}}",
    "&{{a}}",
    "&#{{a}}",
    "&l{{a}}",
    "&#x3{{a}};",
    "<p title=x{{a}}",
  ])("refuses %j, where a value could be more than text", (html) => {
    expect(() => prepareMerge(html)).toThrow(RangeError);
  });

  test.each(["{{a}}", "<p>{{a}}</p>", "&amp;{{a}}", "a & {{a}}", "<b>x</b>{{a}}<b>y</b>", "1 < {{a}} > 2"])(
    "takes %j",
    (html) => {
      expect(prepareMerge(html).keys).toEqual(["a"]);
    },
  );
});

describe("fillMerge", () => {
  test("escapes values and leaves out what is absent", () => {
    expect(fill("<p>{{a}}{{b}}</p>", { a: `<b onclick="x('y')">&amp;` })).toBe(
      "<p>&lt;b onclick=&quot;x(&#39;y&#39;)&quot;&gt;&amp;amp;</p>",
    );
  });

  test("takes a value as it is, even when it looks like a field", () => {
    expect(fill("{{a}}{{b}}", { a: "{{b}}$&", b: "1" })).toBe("{{b}}$&amp;1");
  });

  test("takes keys that objects have by themselves for what they are", () => {
    expect(fill("{{constructor}}{{toString}}", { constructor: "1", "": "2" })).toBe("1");
  });

  const body = defaultTreeAdapter.createElement("body" as never, htmlNames.NS.HTML, []);
  const hostileValue = fc.oneof(
    fc.string(),
    fc.string({ unit: anyCharacter }).filter((value) => !/[\ue000\ue001]/.test(value)),
    fc.constantFrom(
      "<script>alert(1)</script>",
      "</p><p>",
      "lt;",
      "#60;",
      "<!--",
      "-->",
      "'",
      '"',
      "&",
      "\r\n",
      "\u0000",
      "=",
      "]]>",
      "\ud800",
    ),
  );
  const template = fc.letrec<{ nodes: string; node: string }>((tie) => ({
    nodes: fc.array(tie("node"), { maxLength: 3 }).map((nodes) => nodes.join("")),
    node: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom("{{a}}", "{{b}}", "{{a}}{{b}}", "&amp;", "x", "\n", " ", "<", "&", "</", "&#1"),
      fc
        .tuple(fc.constantFrom("b", "i title='y'", "pre", "ul", "span"), tie("nodes"))
        .map(([tag, inside]) => `<${tag}>${inside}</${tag.split(" ")[0]}>`),
      tie("nodes").map((inside) => `<table><tr><td>${inside}</td></tr></table>`),
    ),
  })).nodes;

  test("a value never becomes markup, and reads as it was given", () => {
    let merged = 0;
    fc.assert(
      fc.property(template, hostileValue, hostileValue, (html, a, b) => {
        if (parseRestrictedHtml(html).tree === undefined || !isMergeable(html)) return;
        merged += 1;
        const filled = fill(html, { a, b });
        // With values that cannot be anything but text the tree is the one that it must be in any case.
        const expected = serialize(parseFragment(body, fill(html, { a: "\ue000", b: "\ue001" }), {}))
          .replaceAll("\ue000", () => serialized(a))
          .replaceAll("\ue001", () => serialized(b));
        expect(withoutLineFeedsInPre(serialize(parseFragment(body, filled, {})))).toBe(withoutLineFeedsInPre(expected));
        expect(dangersOf(filled)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
    expect(merged).toBeGreaterThan(200);
  });

  test("a value is only text in Markdown and in plain text too", () => {
    fc.assert(
      fc.property(fc.constantFrom("MARKDOWN", "TEXT"), hostileValue, (format, a) => {
        const html = contentToHtml(format, "# Hello {{a}}\n\n- *{{a}}* & `{{a}}`\n\n[x](https://a.b) {{a}}");
        expect(prepareMerge(html).fields).toHaveLength(4);
        expect(dangersOf(fill(html, { a }))).toEqual([]);
      }),
    );
  });

  /** Browsers drop U+0000 in text, and so have one kind of line end. */
  const serialized = (value: string): string =>
    value
      .toWellFormed()
      .replaceAll("\u0000", "")
      .replaceAll("&", "&amp;")
      .replaceAll("\u00a0", "&nbsp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll(/\r\n?/g, "\n");
});

describe("filledLength", () => {
  test("tells the length before anything is filled in", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const merge = prepareMerge("<p>{{a}} {{b}} {{a}} {{c}}</p>");
        const values = new Map([
          ["a", a],
          ["b", b],
        ]);
        expect(filledLength(merge, values)).toBe(fillMerge(merge, values).length);
      }),
    );
  });
});

function isMergeable(html: string): boolean {
  try {
    return prepareMerge(html).fields.length > 0;
  } catch {
    return false;
  }
}

/** Browsers drop one right after <pre>. */
const withoutLineFeedsInPre = (html: string): string => html.replaceAll(/(<pre>)\n+/g, "$1");
