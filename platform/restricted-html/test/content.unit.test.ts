import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { canonicalJson } from "../../canonical-json.ts";
import { readPdfText, writePdfText } from "../../pdf-text.ts";
import { contentToHtml, readContent, UnsafeContentError } from "../read-content.ts";
import { dangersOf } from "./shown-page.ts";

const errorsOf = (source: string): string[] =>
  readContent("MARKDOWN", source)
    .findings.filter((finding) => finding.severity === "ERROR")
    .map(({ code, line, column, snippet }) => `${code} ${line}:${column} ${snippet}`);

describe("the content of a PDF", () => {
  const hash = `sha256:${"0".repeat(64)}`;
  const page = (...text: string[]) => ({ width: 612, height: 792.5, text });
  const pdf = (...pages: ReturnType<typeof page>[]) => writePdfText({ hash, size: 7, pages });

  test("is shown as what its pages say, with nothing of it as markup", () => {
    const content = pdf(page("<b>Terms</b>", "a & b"), page());
    expect(contentToHtml("PDF", content)).toBe(
      "<section>\n<p>&lt;b&gt;Terms&lt;/b&gt;</p>\n<p>a &amp; b</p>\n</section>\n<section>\n</section>\n",
    );
    expect(readPdfText(content)).toEqual({ hash, size: 7, pages: [page("<b>Terms</b>", "a & b"), page()] });
    expect(readContent("PDF", pdf(page())).shown).toMatchObject({ isBlank: true });
  });

  test("is canonical JSON", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.string({ unit: "grapheme", minLength: 1 })), { minLength: 1 }), (texts) => {
        const content = pdf(...texts.map((text) => page(...text)));
        expect(canonicalJson(JSON.parse(content))).toBe(content);
        expect(readPdfText(content)?.pages.map(({ text }) => text)).toEqual(texts);
      }),
    );
  });

  test.each([
    ["no JSON", "<p>Terms</p>"],
    ["no object", "null"],
    ["another kind", pdf(page("x")).replace("assent.pdf-text", "assent.pdf")],
    ["another version", pdf(page("x")).replace('"v":1', '"v":2')],
    ["a blank more", pdf(page("x")).replace('"v":1', '"v": 1')],
    ["a member more", pdf(page("x")).replace('"v":1', '"v":1,"w":1')],
    ["a hash that is none", pdf(page("x")).replace("sha256:0", "sha256:g")],
    ["no size", pdf(page("x")).replace('"size":7', '"size":0')],
    ["a page without a side", pdf(page("x")).replace("792.5", "0")],
    ["no page", pdf()],
    ["too many pages", pdf(...Array.from({ length: 201 }, () => page("x")))],
    ["an empty paragraph", pdf(page(""))],
    ["a character that nobody sees", pdf(page("a\u202eb"))],
  ])("with %s is refused", (_what, content) => {
    expect(() => contentToHtml("PDF", content)).toThrow(UnsafeContentError);
  });
});

describe("contentToHtml", () => {
  test.each([["<p>Be kind.</p>"], ["a\r\nb\rc <b>é</b> &copy; &#x41;"], ["<p>unclosed<table><tr><td>x</table>"]])(
    "shows the HTML %j as it is",
    (content) => {
      expect(contentToHtml("HTML", content)).toBe(content);
    },
  );

  test.each([
    ["Hello", "<p>Hello</p>\n"],
    ["a\nb\r\nc\rd", "<p>a<br>\nb<br>\nc<br>\nd</p>\n"],
    ["a\n\n \t\n\nb\n", "<p>a</p>\n<p>b</p>\n"],
    [`<b>"&'</b>`, "<p>&lt;b&gt;&quot;&amp;&#39;&lt;/b&gt;</p>\n"],
    ["{{fullName}} agrees", "<p>{{fullName}} agrees</p>\n"],
    [" \n ", ""],
  ])("shows the text %j as paragraphs", (content, html) => {
    expect(contentToHtml("TEXT", content)).toBe(html);
  });

  test.each([
    ["# Terms\n\nBe *kind* & **fair**.", "<h1>Terms</h1>\n<p>Be <em>kind</em> &amp; <strong>fair</strong>.</p>"],
    ["1. a\n2. b\n   - c", "<ol>\n<li>a</li>\n<li>b\n<ul>\n<li>c</li>\n</ul>\n</li>\n</ol>"],
    ["[t](https://a.b 'x') <tel:+1>", '<p><a href="https://a.b" title="x">t</a> <a href="tel:+1">tel:+1</a></p>'],
    [
      "|a|b|\n|-|:-:|\n|1|{{x}}|",
      '<table>\n<thead>\n<tr>\n<th>a</th>\n<th align="center">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align="center">{{x}}</td>\n</tr>\n</tbody>\n</table>',
    ],
    ["a < b, `<script>` and \\<b>", "<p>a &lt; b, <code>&lt;script&gt;</code> and &lt;b&gt;</p>"],
    [
      "```html\n<script>alert(1)</script>\n```",
      '<pre><code class="language-html">&lt;script&gt;alert(1)&lt;/script&gt;\n</code></pre>',
    ],
  ])("shows the Markdown %j", (content, html) => {
    expect(contentToHtml("MARKDOWN", content)).toBe(html);
    expect(dangersOf(html)).toEqual([]);
  });

  test("throws with the findings for what must not be shown, in every format", () => {
    for (const [format, content] of [
      ["HTML", "<b>"],
      ["MARKDOWN", "<b>"],
      ["TEXT", "a\u202eb"],
    ] as const) {
      expect(() => contentToHtml(format, content)).toThrow(UnsafeContentError);
    }
    expect(() => contentToHtml("HTML", "a\n<script>")).toThrow(
      expect.objectContaining({ findings: [expect.objectContaining({ code: "ELEMENT_FORBIDDEN", line: 2 })] }),
    );
  });
});

describe("readContent", () => {
  test.each<[string, string[]]>([
    ["a <b>c</b>", ["ELEMENT_FORBIDDEN 1:3 <b>", "ELEMENT_FORBIDDEN 1:7 </b>"]],
    ["a\n\n<script>alert(1)</script>\n\nb", ["ELEMENT_FORBIDDEN 3:1 <script>alert(1)</script>"]],
    ["<div onclick=alert(1)>\n\na", ["ELEMENT_FORBIDDEN 1:1 <div onclick=alert(1)>"]],
    ["a <!-- b --> c", ["COMMENT_FORBIDDEN 1:3 <!-- b -->"]],
    ["<?php ?>", ["COMMENT_FORBIDDEN 1:1 <?php ?>"]],
    ["a <![CDATA[b]]>", ["COMMENT_FORBIDDEN 1:3 <![CDATA[b]]>"]],
    ["[a](javascript:alert(1))", ["URL_FORBIDDEN 1:1 [a](javascript:alert(1))"]],
    ["[a](JaVaScRiPt:alert(1))", ["URL_FORBIDDEN 1:1 [a](JaVaScRiPt:alert(1))"]],
    ["[a](&#106;avascript:alert(1))", ["URL_FORBIDDEN 1:1 [a](&#106;avascript:alert(1))"]],
    ["[a](java\\script:alert(1))", ["URL_FORBIDDEN 1:1 [a](java\\script:alert(1))"]],
    ["[a](<javascript:alert(1)>)", ["URL_FORBIDDEN 1:1 [a](<javascript:alert(1)>)"]],
    ["[a][b]\n\n[b]: vbscript:x", ["URL_FORBIDDEN 1:1 [a][b]"]],
    ["[ok](https://a.b) <javascript:alert(1)>", ["URL_FORBIDDEN 1:19 <javascript:alert(1)>"]],
    ["[a](data:text/html,x)", ["URL_FORBIDDEN 1:1 [a](data:text/html,x)"]],
    ["[a](//evil.example)", ["URL_FORBIDDEN 1:1 [a](//evil.example)"]],
    ["[a](/path)", ["URL_FORBIDDEN 1:1 [a](/path)"]],
    ["[a](http://a.b)", ["URL_FORBIDDEN 1:1 [a](http://a.b)"]],
    ["[a]()", ["URL_FORBIDDEN 1:1 [a]()"]],
    ["x ![a](https://a.b/c.png)", ["REMOTE_RESOURCE 1:3 ![a](https://a.b/c.png)"]],
    ["![a](data:image/png;base64,AA)", ["URL_FORBIDDEN 1:1 ![a](data:image/png;base64,AA)"]],
    ["![a](javascript:alert(1))", ["URL_FORBIDDEN 1:1 ![a](javascript:alert(1))"]],
    ["a &#x202e; b", ["CONTROL_CHARACTER 1:3 &#x202e;"]],
    ["a \u2067 b", ["CONTROL_CHARACTER 1:3 \ufffd"]],
    ["|a|\n|-|\n|1|2|", ["MALFORMED_HTML 3:3 |2|"]],
    ["[<https://a.b>](#c)", ["MALFORMED_HTML 1:2 <https://a.b>"]],
    ["\ufeffa <b>", ["ELEMENT_FORBIDDEN 1:4 <b>"]],
    ["\tcode\n\n> a\n> <b>", ["ELEMENT_FORBIDDEN 4:3 <b>"]],
  ])("refuses the Markdown %j and tells where", (source, expected) => {
    expect(errorsOf(source)).toEqual(expected);
    expect(readContent("MARKDOWN", source).shown).toBeUndefined();
  });

  test("refuses Markdown that nests too deeply", () => {
    expect(errorsOf(">".repeat(101))).toContainEqual(expect.stringContaining("MALFORMED_HTML"));
  });

  test.each(["HTML", "MARKDOWN", "TEXT"] as const)("knows blank %s", (format) => {
    for (const blank of ["", " \n\t", "\u00a0\u200b\u2060\ufeff"]) {
      expect(readContent(format, blank).shown?.isBlank).toBe(true);
    }
    expect(readContent(format, "a").shown?.isBlank).toBe(false);
  });

  test("knows markup without text as blank", () => {
    expect(readContent("HTML", "<p>&nbsp;</p><hr><ul><li> </li></ul>").shown?.isBlank).toBe(true);
    expect(readContent("MARKDOWN", "# \n\n---\n\n- ").shown?.isBlank).toBe(true);
  });

  test("tells headings and links with their places in the content", () => {
    const html = readContent("HTML", "<h1>A</h1><p><a href='#b'>b <i>c</i></a></p><h3>D</h3>").shown?.outline;
    expect(html).toMatchObject({
      headings: [
        { level: 1, source: { offset: 0, length: 4 } },
        { level: 3, source: { offset: 44, length: 4 } },
      ],
      links: [{ text: "b c", source: { offset: 13, length: 13 } }],
    });
    const markdown = readContent("MARKDOWN", "A\n=\n\nx [b *c*](#b)\n\n### D").shown?.outline;
    expect(markdown).toMatchObject({
      headings: [
        { level: 1, source: { offset: 0, length: 3 } },
        { level: 3, source: { offset: 20, length: 5 } },
      ],
      links: [{ text: "b c", source: { offset: 7, length: 11 } }],
    });
  });

  test("tells which language marks hold for all of the content", () => {
    const languagesOf = (content: string) =>
      readContent("HTML", content).shown?.outline.languages.map(({ language, isOfAll }) => [language, isOfAll]);
    expect(languagesOf("\n<div lang=de>a <b lang=en>b</b></div> ")).toEqual([
      ["de", true],
      ["en", false],
    ]);
    expect(languagesOf("<p lang=de>a</p><p lang=en>b</p>")).toEqual([
      ["de", false],
      ["en", false],
    ]);
  });

  test("leads from the visible text back to the source", () => {
    const content = "<p>I <b>do</b> not</p><p>agree</p>";
    const text = readContent("HTML", content).shown?.text;
    expect(text?.text).toBe("\nI do not\n\nagree\n");
    for (const word of ["I", "do", "not", "agree"]) {
      const start = text?.text.indexOf(word) ?? -1;
      const { offset = 0, length = 0 } = text?.sourceOf(start, start + word.length) ?? {};
      expect(content.slice(offset, offset + length)).toBe(word);
    }
  });
});
