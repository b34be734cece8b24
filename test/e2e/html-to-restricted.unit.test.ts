import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import { printRules } from "../../services/docgen/templating/print-style.ts";
import { documentToHtml, htmlToRestricted } from "../../services/sign/intake/document-to-html.ts";

const findingsOf = (html: string) => parseRestrictedHtml(html, printRules).findings;

describe("HTML is turned into restricted HTML", () => {
  test.each([
    [
      "<h1>A <b>b</b></h1><p style='x'>c<script>d</script><i>e</i>f",
      "<h1>A <strong>b</strong></h1>\n<p>c<em>e</em>f</p>",
    ],
    ["<div>a<div>b</div>c<br>d<br></div>", "<p>a</p>\n<p>b</p>\n<p>c<br>d</p>"],
    ["<b><p>a <blink>b</blink></p></b>", "<p><strong>a b</strong></p>"],
    ["<span style='color:white'>**signature_1**</span>", "<p>**signature_1**</p>"],
    ["**sig<span>nature</span>_1**", "<p>**signature_1**</p>"],
    [
      "<ul>x<li>a<ul><li>b</ul><li><p>c</p><p>d</p></ul>",
      "<ul><li>x</li><li><p>a</p>\n<ul><li>b</li></ul></li><li><p>c</p>\n<p>d</p></li></ul>",
    ],
    [
      "<table border=1><tr><th colspan=2>a<td rowspan=9>b<tr><td>c</table>",
      '<table><tbody><tr><th colspan="2">a</th><td rowspan="2">b</td></tr><tr><td>c</td></tr></tbody></table>',
    ],
    [
      "<table><caption>t</caption><thead><tr><td>a</thead><tr><td>b</table>",
      "<p>t</p>\n<table><thead><tr><td>a</td></tr></thead><tbody><tr><td>b</td></tr></tbody></table>",
    ],
    ["<pre>\n a\n  b</pre>", "<pre> a\n  b</pre>"],
    ["<pre><br>\n\na</pre>", "<pre>a</pre>"],
    ["<pre></br>\n", ""],
    [
      "<a href='https://a.example/?b=1&amp;c'>x</a><a href='javascript:1'>y</a>",
      '<p><a href="https://a.example/?b=1&amp;c">x</a>y</p>',
    ],
    ["a&#x202e;b&lt;i&gt;\u0007<svg><text>c</text></svg>", "<p>ab&lt;i&gt;</p>"],
    ["<title>a</title><style>b</style><!-- c -->", ""],
  ])("%s", (source, expected) => {
    const html = documentToHtml(Buffer.from(source), "html");
    expect(html).toBe(expected);
    expect(findingsOf(html)).toEqual([]);
  });

  test("however it is written", () => {
    const tags =
      "a b p div span table tr td th thead tbody caption ul ol li h1 h6 pre br hr blockquote u em script q".split(" ");
    const token = fc.oneof(
      fc.constantFrom(...tags).map((tag) => `<${tag}>`),
      fc.constantFrom(...tags).map((tag) => `</${tag}>`),
      fc.constantFrom(
        " ",
        "\n",
        "text",
        "&amp;",
        "&#0;",
        "<",
        "\u00a0",
        "\u202e",
        "**sign_1**",
        "<td colspan=3 rowspan=5>",
      ),
    );
    const seed = Date.now() % 2_147_483_647;
    const sources = fc.array(token, { maxLength: 40 }).map((tokens) => tokens.join(""));
    fc.assert(
      fc.property(sources, (source) => {
        const html = htmlToRestricted(source);
        expect(findingsOf(html)).toEqual([]);
        expect(htmlToRestricted(html)).toBe(html);
      }),
      { seed, numRuns: 500 },
    );
  });

  test("also when it is nested without end", () => {
    for (const tag of ["div", "b", "ul><li", "table><tr><td", "blockquote"]) {
      expect(findingsOf(htmlToRestricted(`${`<${tag}>`.repeat(3_000)}a`))).toEqual([]);
    }
  });
});

test("text is read as UTF-8, as UTF-16 with its mark, or else as windows-1252", () => {
  expect(documentToHtml(Buffer.from("\ufeffé"), "text")).toBe("<p>é</p>\n");
  expect(documentToHtml(Buffer.from("\ufeffé", "utf16le"), "text")).toBe("<p>é</p>\n");
  expect(documentToHtml(Buffer.from([0x80, 0xe9]), "text")).toBe("<p>€é</p>\n");
});
