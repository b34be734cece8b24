import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import type { HtmlNode } from "#platform/restricted-html/tree.ts";
import { agreementText } from "../../accept/test/agreement-texts.ts";
import { printedText } from "../pdf/shown-text.ts";

const treeOf = (html: string): readonly HtmlNode[] => {
  const { tree, findings } = parseRestrictedHtml(html);
  if (tree === undefined) throw new Error(`${html}: ${findings[0]?.message}`);
  return tree;
};
const print = (html: string): string => printedText(treeOf(html));

describe("the text of an agreement in print", () => {
  test.each([
    ["<p>Be <b>kind</b> &amp; fair.</p>", "<p>Be <strong>kind</strong> &amp; fair.</p>"],
    ["Text beside <p>a paragraph</p>", "<p>Text beside </p>\n<p>a paragraph</p>"],
    ["<h1>Terms</h1><h5>Small</h5>", "<h4>Terms</h4>\n<h6>Small</h6>"],
    ["<p><del>old</del> <ins>new</ins> <mark>!</mark></p>", "<p><s>old</s> <u>new</u> <strong>!</strong></p>"],
    ["a<hr>b", '<p>a</p>\n<p class="center">* * *</p>\n<p>b</p>'],
    ["<ins><p>a</p><p>b</p></ins>", "<p><u>a</u></p>\n<p><u>b</u></p>"],
    ["<dl><dt>Term</dt><dd>Meaning</dd></dl>", "<p><strong>Term</strong></p>\n<blockquote><p>Meaning</p></blockquote>"],
    ["<figure><img alt='A map'><figcaption>Where</figcaption></figure>", "<p>[A map]</p>\n<p>Where</p>"],
    ["<p><q>So</q> <kbd>Enter</kbd> 1<wbr>2</p>", "<p>“So” <code>Enter</code> 1\u200b2</p>"],
    ["<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></p>", "<p>漢(kan)</p>"],
    [
      "<p><a href='https://a.example/'>a</a> <a href='tel:+1'>b</a> <a href='#c'>c</a></p>",
      '<p><a href="https://a.example/">a</a> b c</p>',
    ],
    ["<ul><li>a</li><li><p>b</p><p>c</p></li></ul>", "<ul><li>a</li><li><p>b</p><p>c</p></li></ul>"],
    ["<ol start='3' type='a'><li>c</li></ol>", '<ol start="3" type="a"><li>c</li></ol>'],
    ["<ol reversed><li>b</li><li>a</li></ol>", "<ul><li>2. b</li><li>1. a</li></ul>"],
    ["<ol><li value='7'>g</li><li>h</li></ol>", "<ul><li>7. g</li><li>8. h</li></ul>"],
    [
      "<table><caption>Prices</caption><thead><tr><th scope='col'>A</th></tr></thead><tfoot><tr><td>sum</td></tr></tfoot><tbody><tr><td rowspan='2'>1</td></tr></tbody></table>",
      '<p><strong>Prices</strong></p>\n<table><thead><tr><th>A</th></tr></thead><tbody><tr><td rowspan="2">1</td></tr><tr><td>sum</td></tr></tbody></table>',
    ],
    ["<pre>\n\n a\n b</pre>", "<pre>\n\n a\n b</pre>"],
    ["<ul><li><h2>In a list</h2></li></ul>", "<ul><li><p><strong>In a list</strong></p></li></ul>"],
    ["<p>#panic() $x$ *a* [b] \\ @c</p>", "<p>#panic() $x$ *a* [b] \\ @c</p>"],
  ])("of %j is %j", (html, printed) => {
    expect(print(html)).toBe(printed);
  });

  test("of lists within lists without end keeps the text and loses frames", () => {
    const depth = 45;
    const html = `${"<ul><li>x".repeat(depth)}${"</li></ul>".repeat(depth)}`;
    const printed = print(html);
    expect(printed.match(/x/g)).toHaveLength(depth);
    expect(printed.match(/<ul>/g)).toHaveLength(10);
  });

  test("has every letter of it, in its order, whatever the text is made of", () => {
    fc.assert(
      fc.property(agreementText, (html) => {
        const { tree } = parseRestrictedHtml(html);
        fc.pre(tree !== undefined);
        const printed = printedText(tree ?? []);
        const shown = textOf(parseRestrictedHtml(printed).tree ?? []);
        // A rule is printed as three stars, which may stand beside stars of the text.
        const lettersBesideRules = (text: string): string => lettersOf(text).replaceAll("***", "");
        expect(lettersBesideRules(shown)).toBe(lettersBesideRules(textOf(tree ?? [])));
      }),
      { numRuns: 400 },
    );
  });
});

const textOf = (nodes: readonly HtmlNode[]): string =>
  nodes.map((node) => (node.kind === "text" ? node.text : textOf(node.children))).join("");

/** Blanks are shown as the typesetter likes. */
const lettersOf = (text: string): string => text.replaceAll(/[\s\u200b]/g, "");
