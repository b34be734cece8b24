import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { textOf } from "#platform/restricted-html/outline.ts";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import type { HtmlNode } from "#platform/restricted-html/tree.ts";
import { anyCharacter } from "#platform/test/code-points.ts";
import { RenderError } from "../renderer/render-job.ts";
import { checkTemplate } from "../templating/check-job.ts";
import { printRules } from "../templating/print-style.ts";
import { renderTemplate } from "../templating/render-template.ts";

type Data = Readonly<Record<string, unknown>>;

const render = (content: string, data: Data = {}, more: { format?: "html" | "markdown"; locale?: string } = {}) =>
  renderTemplate({
    template: { format: more.format ?? "html", content },
    data,
    locale: more.locale ?? "de-DE",
    timeZone: "Europe/Berlin",
    now: new Date("2026-03-31T23:30:00Z"),
  });

const failureOf = (content: string, data: Data = {}) => {
  try {
    render(content, data);
  } catch (error) {
    if (error instanceof RenderError) return { code: error.code, message: error.message, ...error.details };
    throw error;
  }
  return undefined;
};

describe("renderTemplate", () => {
  test.each<[string, Data, string]>([
    ["{{ a }}", { a: "<b>&\"'" }, "&lt;b&gt;&amp;&quot;&#39;"],
    ["{% if a.b %}x{% else %}y{% endif %}", {}, "y"],
    ["{{ a | default: 'x' }}", {}, "x"],
    ["{% unless a %}x{% endunless %}", { a: false }, "x"],
    ["{% case a %}{% when 1, 2 %}x{% when 'b' or 'c' %}y{% else %}z{% endcase %}", { a: "c" }, "y"],
    ["{% for x in a limit: 2 offset: 1 reversed %}{{ x }}{{ forloop.index }}{% endfor %}", { a: [1, 2, 3, 4] }, "3122"],
    [
      "{% for x in (1..n) %}{% if x == 2 %}{% continue %}{% elsif x == 4 %}{% break %}{% endif %}{{ x }}{% endfor %}",
      { n: 9 },
      "13",
    ],
    ["{% for x in a %}{% else %}none{% endfor %}", { a: [] }, "none"],
    ["{% assign x = a | append: '!' %}{{ x | upcase }}", { a: "hi" }, "HI!"],
    ["{{ a.size }} {{ a.first }} {{ a.last }} {{ a[1] }} {{ a | size }}", { a: [1, 2, 3] }, "3 1 3 2 3"],
    [
      "{{ a | plus: 0.2 }} {{ b | round: 2 }} {{ 7 | divided_by: 2 }} {{ 7 | modulo: 3 }}",
      { a: 0.1, b: 1.005 },
      "0.3 1.01 3.5 1",
    ],
    ['{{ a | money: "EUR" }} {{ a | number: 2 }} {{ a | number }}', { a: 1234.5 }, "1.234,50&nbsp;€ 1.234,50 1.234,5"],
    [
      "{{ a | date }} {{ a | date: 'short' }} {{ a | date: '%d.%m.%Y %A %B %%' }}",
      { a: "2026-03-31" },
      "31. März 2026 31.03.26 31.03.2026 Dienstag März %",
    ],
    [
      "{{ a | date: 'short', 'short' }} {{ a | date: '%H:%M %-I %p' }}",
      { a: "2026-03-31T23:30:00Z" },
      "01.04.26, 01:30 01:30 1 AM",
    ],
    ["{{ 'now' | date: '%Y-%m-%d' }}", {}, "2026-04-01"],
    ["{{ a | newline_to_br }}", { a: "x\r\n<y>\nz" }, "x<br>&lt;y&gt;<br>z"],
    [
      "<a href='{{ a }}' title='{{ b }}'>x</a>",
      { a: "https://a.b/?c=1&d='", b: "x\ny" },
      "<a href='https://a.b/?c=1&amp;d=&#39;' title='x y'>x</a>",
    ],
    [
      "{{ a | where: 'ok' | map: 'n' | sort | join: ', ' }}",
      { a: [{ n: 3, ok: true }, { n: 1, ok: 1 }, { n: 2 }] },
      "1, 3",
    ],
    [
      "{{ a | split: ',' | uniq | reverse | join: '' }}{{ a | truncate: 3 }}{{ a | slice: -1 }}",
      { a: "a,b,a,c" },
      "cbaa,…c",
    ],
    ["{{ a | replace: '$', '$&' }}{{ a | capitalize }}", { a: "a$" }, "a$&amp;A$"],
    ["{% comment %}{{ nope }}{% endcomment %}{% # note %}x", {}, "x"],
  ])("renders %j with %j", (content, data, html) => {
    expect(checkTemplate({ format: "html", content }).findings).toEqual([]);
    expect(render(content, data)).toBe(html);
  });

  test("makes tables and lists of loops in Markdown", () => {
    const content =
      "|a|b|\n|-|-:|\n{% for x in y %}\n|{{ x }}|**{{ x }}**|\n{% endfor %}\n\n{% for x in y %}\n1. {{ x }}\n{% endfor %}";
    const html = render(content, { y: ["|", "1. *"] }, { format: "markdown" });
    expect(html.replaceAll("\n", "")).toBe(
      '<table><thead><tr><th>a</th><th align="right">b</th></tr></thead><tbody><tr><td>|</td><td align="right"><strong>|</strong></td></tr>' +
        '<tr><td>1. *</td><td align="right"><strong>1. *</strong></td></tr></tbody></table><ol><li>|</li><li>1. *</li></ol>',
    );
  });

  test("the same job gives the same bytes, whatever the time", () => {
    const content = "{{ 'now' | date: 'full', 'full' }} {{ a | money: 'JPY' }}";
    expect(render(content, { a: 5 })).toBe(render(content, { a: 5 }));
  });

  test.each<[string, Data, object]>([
    [
      "a\n{{ a.b }}",
      { a: {} },
      { code: "GEN_INVALID_DATA", path: "/a/b", expected: "required", line: "2", column: "4" },
    ],
    ["{{ constructor }}{{ toString }}", {}, { code: "GEN_INVALID_DATA", path: "/constructor" }],
    [
      "{% for i in a %}{{ i.x.y }}{% endfor %}",
      { a: [{ x: { y: 1 } }, {}] },
      { code: "GEN_INVALID_DATA", path: "/a/1/x" },
    ],
    ["{% for i in a %}{{ i }}{% endfor %}", { a: "x" }, { code: "GEN_INVALID_DATA", path: "/a", expected: "array" }],
    ["{{ a }}", { a: { b: 1 } }, { code: "GEN_INVALID_DATA", path: "/a", expected: "string" }],
    ["{{ a | times: 2 }}", { a: "x" }, { code: "GEN_INVALID_DATA", path: "/a", expected: "number" }],
    ["{{ a | date }}", { a: "soon" }, { code: "GEN_INVALID_DATA", path: "/a" }],
    [
      "<a href='{{ a }}'>x</a>",
      { a: "javascript:alert(1)" },
      { code: "GEN_INVALID_DATA", path: "/a", line: "1", column: "10" },
    ],
    [
      "<img src='{{ a }}' alt=''>",
      { a: "asset:0190b0c0-0000-7000-8000-000000000001" },
      { code: "GEN_INVALID_DATA", path: "/a" },
    ],
    ["<{{ a }}>", { a: "b" }, { code: "GEN_TEMPLATE_ERROR", column: "2" }],
    ["<p {{ a }}>x</p>", { a: "class='lead'" }, { code: "GEN_TEMPLATE_ERROR", column: "4" }],
    ["\n{% nope %}", {}, { code: "GEN_TEMPLATE_ERROR", line: "2", column: "1" }],
    ["{% if a %}<b>{% endif %}{{ a }}", { a: 1 }, { code: "GEN_TEMPLATE_ERROR" }],
  ])("says of %j with %j what is wrong", (content, data, failure) => {
    expect(failureOf(content, data)).toMatchObject(failure);
  });

  test.each([
    ["loops without end", "{% for a in (1..1000000000) %}{% for b in (1..1000000000) %}x{% endfor %}{% endfor %}"],
    ["empty loops", "{% for a in (1..1000000000) %}{% for b in (1..1000000000) %}{% endfor %}{% endfor %}"],
    ["ranges beyond numbers", "{% for a in (100000000000000000..100000000000000002) %}x{% endfor %}"],
    ["growing texts", `{% assign a = "x" %}{% for i in (1..1000000) %}{% assign a = a | append: a %}{% endfor %}`],
    [
      "growing replacements",
      `{% assign a = "xx" %}{% for i in (1..1000000) %}{% assign a = a | replace: "x", "xxxxxxxx" %}{% endfor %}`,
    ],
    [
      "growing lists",
      `{% assign a = "x,y" | split: "," %}{% for i in (1..1000000) %}{% assign a = a | concat: a %}{% endfor %}`,
    ],
    ["growing numbers", `{% assign a = 2 %}{% for i in (1..1000000) %}{% assign a = a | times: a %}{% endfor %}`],
  ])("stops %s", (_name, content) => {
    const start = performance.now();
    expect(failureOf(content)).toMatchObject({ code: "GEN_TEMPLATE_ERROR", line: "1" });
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});

describe("a value", () => {
  const nasty = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 12 }),
    fc.string({ unit: fc.constantFrom("\ud800", "\udc00", "a", "\u202e", "\u0000", "\r"), maxLength: 4 }),
    fc.constantFrom(
      "{{ a }}",
      "{% if %}",
      "<script>x</script>",
      "#panic()",
      "*bold*",
      "|",
      "&lt;",
      "\"'>",
      "שלום",
      "😀",
      "</p>",
      "- x\n- y",
      "](x)",
      "`",
      "# h",
      "\n\n\n",
      "    x",
      "<!--",
      "xq0z",
      "$&",
    ),
  );
  const values = fc.array(nasty, { maxLength: 4 }).map((parts) => parts.join(""));
  const templates = {
    html: "<h1>{{ a }}</h1><p class='lead' >x {{ a }}<b>{{ a }}</b></p><table><tr><td>{{ a }}</td></tr></table>",
    markdown:
      "# {{ a }}\n\nx {{ a }}**{{ a }}** _{{ a }}_ `{{ a }}`\n\n- {{ a }}\n\n|h|\n|-|\n|{{ a }}|\n\n> {{ a }}\n\n    {{ a }}\n\n[{{ a }}](https://a.b)",
  };
  const shapeOf = (nodes: readonly HtmlNode[]): unknown[] =>
    nodes.flatMap((node) => (node.kind === "text" ? [] : [[node.name, node.attributes, shapeOf(node.children)]]));
  const treeOf = (html: string) => {
    const { tree, findings } = parseRestrictedHtml(html, printRules);
    if (tree === undefined) throw new TypeError(findings[0]?.message);
    return tree;
  };
  /** Line ends are those of HTML, and what cannot be shown is shown as such. */
  const shown = (value: string) =>
    value
      .replaceAll(/\r\n?/g, "\n")
      .replaceAll(/[[\p{Cc}--[\t\n\r]]\u202a-\u202e\u2066-\u2069\p{Surrogate}]/gv, "\ufffd");

  test.each(["html", "markdown"] as const)("is text in %s, whatever it holds", (format) => {
    const content = templates[format];
    expect(checkTemplate({ format, content }).findings).toEqual([]);
    const shape = shapeOf(treeOf(render(content, { a: "harmless" }, { format })));
    fc.assert(
      fc.property(values, (a) => {
        const tree = treeOf(render(content, { a }, { format }));
        expect(shapeOf(tree)).toEqual(shape);
        const count = content.split("{{ a }}").length - 1;
        if (a !== "") expect(textOf(tree).split(shown(a)).length - 1).toBeGreaterThanOrEqual(count);
      }),
      { numRuns: 200 },
    );
  });

  test("is text in attributes", () => {
    const content =
      "<p><a href='https://a.b/{{ b }}' title='{{ a }}'>x</a><img src='data:image/png;base64,AA==' alt=\"{{ a }}\"></p>";
    fc.assert(
      fc.property(values, (a) => {
        const [p] = treeOf(render(content, { a, b: "x" }));
        const [link, image] = p?.kind === "element" ? p.children : [];
        const alt = image?.kind === "element" ? image.attributes.find(({ name }) => name === "alt")?.value : undefined;
        expect(link?.kind === "element" && link.attributes.length).toBe(2);
        expect(alt).toBe(shown(a).replaceAll("\n", " "));
      }),
      { numRuns: 200 },
    );
  });
});
