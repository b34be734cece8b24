import { describe, expect, test } from "@jest/globals";
import { maxHtmlFindings, parseRestrictedHtml } from "../parse.ts";
import { documentRules } from "../rules.ts";
import { renderSafeHtml } from "../serialize.ts";
import { hasUnsafeCharacter } from "../text.ts";

/** `severity code line:column snippet` of each finding. */
const findingsOf = (source: string): string[] =>
  parseRestrictedHtml(source).findings.map(
    ({ severity, code, line, column, snippet }) => `${severity} ${code} ${line}:${column} ${snippet}`,
  );

describe("parseRestrictedHtml", () => {
  test.each([
    "",
    "Plain text.",
    "<p>Be kind.</p>",
    "<h1>Terms</h1>\n<h2>1. Scope</h2>\n<p>They hold for <em>all</em> <strong>services</strong>.<br>Really.</p>",
    "<ul>\n<li>One</li>\n<li>Two<ol start='3' type=A><li>Three</li></ol></li>\n</ul>",
    "<dl><dt>Term</dt><dd>Meaning</dd></dl>",
    '<a href="https://example.com/terms?a=1&amp;b=2#c" target="_blank" rel="noopener noreferrer">Terms</a>',
    "<a href='mailto:legal@example.com?subject=Terms'>Mail</a> <a href='tel:+49-30-1234'>Call</a> <a href='#s1'>1</a>",
    "<a href=https://münchen.example/straße>IRI</a>",
    "<table><caption>c</caption><colgroup><col span=2></colgroup><thead><tr><th scope=col>a</th></tr></thead><tbody><tr><td colspan=2 align=right>b</td></tr></tbody></table>",
    "<table>\n<tr>\n<td>x</td>\n</tr>\n</table>",
    "<blockquote cite='https://example.com'><p>x</p></blockquote><pre>\n\n  a\n\tb</pre><hr>",
    "<section id='s-1.2:a_b' class='a b' lang=de dir=ltr title='t'><article><p>x</p></article></section>",
    "<p>&lt;script&gt; &amp; &euro; &#8364; &#x20AC; &nbsp;</p>",
    "<p>H<sub>2</sub>O E=mc<sup>2</sup> <q>q</q> <time datetime='2026-11-20'>today</time> <abbr title='x'>y</abbr></p>",
    "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>",
    "<P CLASS=x>UPPER</P>",
    "<br/><hr />",
    "مرحبا <bdi>שלום</bdi> \u200f\u200e\u061c",
  ])("finds nothing in %j", (source) => {
    const { findings, tree } = parseRestrictedHtml(source);
    expect(findings).toEqual([]);
    expect(tree).toBeDefined();
  });

  test.each<[string, string[]]>([
    ["<script>a < b && c</script>", ["ERROR ELEMENT_FORBIDDEN 1:1 <script>"]],
    ["a\n<p>b</p><video></video>", ["ERROR ELEMENT_FORBIDDEN 2:9 <video>"]],
    ["a</iframe>", ["ERROR ELEMENT_FORBIDDEN 1:2 </iframe>"]],
    ["<!doctype html>a", ["ERROR ELEMENT_FORBIDDEN 1:1 <!doctype html>"]],
    ["<p\r\n  onclick='x()'>a</p>", ["ERROR ATTRIBUTE_FORBIDDEN 2:3 onclick='x()'"]],
    ["<p style=color:red>a</p>", ["ERROR ATTRIBUTE_FORBIDDEN 1:4 style=color:red"]],
    ["<p href='#'>a</p>", ["ERROR ATTRIBUTE_FORBIDDEN 1:4 href='#'"]],
    [
      "<td colspan=0></td>".replace("<td", "<table><tr><td").concat("</tr></table>"),
      ["ERROR ATTRIBUTE_FORBIDDEN 1:16 colspan=0"],
    ],
    ["<a href='http://a.b'>a</a>", ["ERROR URL_FORBIDDEN 1:4 href='http://a.b'"]],
    ["<a href='/a'>a</a>", ["ERROR URL_FORBIDDEN 1:4 href='/a'"]],
    ["<a href='//a.b'>a</a>", ["ERROR URL_FORBIDDEN 1:4 href='//a.b'"]],
    ["<img alt=x src=https://a.b/c.png>", ["ERROR REMOTE_RESOURCE 1:12 src=https://a.b/c.png"]],
    ["<img src='data:image/png;base64,AA'>", ["ERROR URL_FORBIDDEN 1:6 src='data:image/png;base64,AA'"]],
    ["<img src=' java\nscript:x'>", ["ERROR URL_FORBIDDEN 1:6 src=' java\nscript:x'"]],
    ["a<!-- b -->", ["ERROR COMMENT_FORBIDDEN 1:2 <!-- b -->"]],
    ["<![CDATA[a]]>", ["ERROR COMMENT_FORBIDDEN 1:1 <![CDATA[a]]>"]],
    ["<?a?>", ["ERROR COMMENT_FORBIDDEN 1:1 <?a?>"]],
    ["a\u202eb", ["ERROR CONTROL_CHARACTER 1:2 \ufffd"]],
    ["a &#x202E; b", ["ERROR CONTROL_CHARACTER 1:3 &#x202E;"]],
    ["<p title='&#8238;'>a</p>", ["ERROR CONTROL_CHARACTER 1:4 title='&#8238;'"]],
  ])("refuses %j", (source, expected) => {
    expect(findingsOf(source)).toEqual(expected);
    expect(parseRestrictedHtml(source).tree).toBeUndefined();
  });

  test.each<[string, string[]]>([
    ["<p>a<p>b", ["WARNING MALFORMED_HTML 1:1 <p>", "WARNING MALFORMED_HTML 1:5 <p>"]],
    ["<ul><li>a<li>b</ul>", ["WARNING MALFORMED_HTML 1:5 <li>", "WARNING MALFORMED_HTML 1:10 <li>"]],
    ["<table><tr><td>a</table>", ["WARNING MALFORMED_HTML 1:8 <tr>", "WARNING MALFORMED_HTML 1:12 <td>"]],
    ["a &copy b", ["WARNING MALFORMED_HTML 1:8  "]],
    ["a &unknown; b", ["WARNING MALFORMED_HTML 1:11 ;"]],
    ["a <3", ["WARNING MALFORMED_HTML 1:4 3"]],
    ["<a href='#'title=x>a</a>", ["WARNING MALFORMED_HTML 1:12 t"]],
  ])("only warns of %j, which shows what it says", (source, expected) => {
    expect(findingsOf(source)).toEqual(expected);
    expect(parseRestrictedHtml(source).tree).toBeDefined();
  });

  test.each<[string, string[]]>([
    ["<b><i>a</b></i>", ["ERROR MALFORMED_HTML 1:4 <i>", "ERROR MALFORMED_HTML 1:12 </i>"]],
    ["<p>a <b>b</p>", ["ERROR MALFORMED_HTML 1:6 <b>"]],
    ["<div>a", ["ERROR MALFORMED_HTML 1:1 <div>"]],
    ["<a href='#'>a", ["ERROR MALFORMED_HTML 1:1 <a href='#'>"]],
    ["a</div>", ["ERROR MALFORMED_HTML 1:2 </div>"]],
    ["<p>a</p></p>", ["ERROR MALFORMED_HTML 1:9 </p>"]],
    ["<table><b>a</b></table>", ["ERROR MALFORMED_HTML 1:1 <table>"]],
    ["<a href='#'>a<a href='#'>b</a></a>", ["ERROR MALFORMED_HTML 1:14 <a href='#'>"]],
    ["<p title=a title=b>c</p>", ["ERROR MALFORMED_HTML 1:17 ="]],
    ["a<p", ["ERROR MALFORMED_HTML 1:3 p"]],
  ])("refuses %j, which browsers nest in another way or which reaches beyond its end", (source, expected) => {
    expect(findingsOf(source)).toEqual(expected);
    expect(parseRestrictedHtml(source).tree).toBeUndefined();
  });

  test("gives the tree that browsers make", () => {
    const { tree = [] } = parseRestrictedHtml(
      "<table><col><tr><td a>x<td>y &amp; z</table>".replace(" a>", " lang=en>"),
    );
    expect(renderSafeHtml(tree)).toBe(
      '<table><colgroup><col></colgroup><tbody><tr><td lang="en">x</td><td>y &amp; z</td></tr></tbody></table>',
    );
  });

  test("tells where the parts of the tree stand in the source", () => {
    const source = "<p>a &amp; <b lang=en>b</b></p>";
    expect(parseRestrictedHtml(source).tree).toEqual([
      {
        kind: "element",
        name: "p",
        attributes: [],
        source: { offset: 0, length: 3 },
        children: [
          { kind: "text", text: "a & ", source: { offset: 3, length: 8 } },
          {
            kind: "element",
            name: "b",
            attributes: [{ name: "lang", value: "en" }],
            source: { offset: 11, length: 11 },
            children: [{ kind: "text", text: "b", source: { offset: 22, length: 1 } }],
          },
        ],
      },
    ]);
  });

  test("takes nesting up to its limit and refuses one more", () => {
    const nested = (depth: number) => `${"<div>".repeat(depth)}x${"</div>".repeat(depth)}`;
    expect(parseRestrictedHtml(nested(documentRules.maxDepth)).findings).toEqual([]);
    const [finding] = parseRestrictedHtml(nested(documentRules.maxDepth + 1)).findings;
    expect(finding).toMatchObject({ code: "MALFORMED_HTML", severity: "ERROR", offset: 500 });
  });

  test("keeps a bounded number of findings of each severity", () => {
    const { findings } = parseRestrictedHtml("<x><p>&a;".repeat(1000));
    for (const severity of ["ERROR", "WARNING"]) {
      expect(findings.filter((finding) => finding.severity === severity)).toHaveLength(maxHtmlFindings);
    }
  });

  test("quotes at most 80 characters, whole ones, and none that is unsafe", () => {
    const [long] = parseRestrictedHtml(`<x title='${"a".repeat(69)}😀${"b".repeat(100)}'>`).findings;
    expect(long?.snippet).toHaveLength(80);
    expect(long?.snippet.isWellFormed()).toBe(true);
    for (const { message, snippet } of parseRestrictedHtml("<\u202ex\u0007 on\u202ey=1>").findings) {
      expect(hasUnsafeCharacter(message + snippet)).toBe(false);
    }
  });

  test("names the element or attribute that a finding is about", () => {
    const names = parseRestrictedHtml("<input checked><p onclick=1></p>").findings.map((finding) => finding.name);
    expect(names).toEqual(["input", "checked", "p", "onclick"].filter((name) => name !== "p"));
  });

  test("obeys other rules", () => {
    const rules = {
      ...documentRules,
      elements: { p: {}, img: { src: { kind: "resource" } } },
      resourceSchemes: ["data"],
    } as const;
    expect(parseRestrictedHtml("<p>a</p><img src='data:image/png;base64,AA'>", rules).findings).toEqual([]);
    expect(parseRestrictedHtml("<b>a</b>", rules).findings).toMatchObject([{ code: "ELEMENT_FORBIDDEN" }]);
  });
});
