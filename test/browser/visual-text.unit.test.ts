import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Command, EditorState, TextSelection } from "prosemirror-state";
import { findMergeFields } from "#platform/merge-fields.ts";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import { escapeHtml, renderSafeHtml } from "#platform/restricted-html/serialize.ts";
import type { HtmlElement, HtmlNode } from "#platform/restricted-html/tree.ts";
import { enterKey, setBlockKind, toggleList } from "../../web/dashboard/src/pages/templates/content/visual/actions.ts";
import { readClipboard, readPlainText } from "../../web/dashboard/src/pages/templates/content/visual/paste.ts";
import { readText } from "../../web/dashboard/src/pages/templates/content/visual/read.ts";
import { nodeType } from "../../web/dashboard/src/pages/templates/content/visual/schema.ts";
import { writeText } from "../../web/dashboard/src/pages/templates/content/visual/write.ts";
import { clipboards } from "./support/clipboards.ts";

/** What the visual editor makes of a text. */
function written(source: string, withFields = true): string {
  const read = readText(source, withFields);
  if (typeof read === "string") throw new Error(`${read}: ${source}`);
  read.doc.check();
  return writeText(read.doc.content);
}

const inlineNames = `a abbr b bdi br cite code del dfn em i img ins kbd mark q rp rt ruby s samp small span strong sub
  sup time u var wbr`.split(/\s+/);
const isInline = (node: HtmlNode): boolean =>
  node.kind === "text" || (inlineNames.includes(node.name) && node.children.every(isInline));

const labelOf = ({ name, attributes }: HtmlElement): string => JSON.stringify([name, attributes]);

/** A letter, or something that stands among letters, with the elements around it. */
interface Letter {
  readonly shown: string;
  readonly around: readonly HtmlElement[];
}

const isBlank = ({ shown }: Letter): boolean => /^[\t\n\r ]$/.test(shown);

function lettersOf(node: HtmlNode, isPre: boolean, around: readonly HtmlElement[]): Letter[] {
  if (node.kind === "text") return [...node.text].map((shown) => ({ shown, around }));
  const { name, children } = node;
  const html = renderSafeHtml([node]);
  const isOne =
    ["br", "wbr", "img", "ruby", "rt", "rp"].includes(name) ||
    children.length === 0 ||
    // An anchor, for one, that others refer to.
    (!isPre && html.includes("=") && /^[\t\n\r ]*$/.test(html.replaceAll(/<(?!br|wbr|img|ruby)[^>]*>/g, "")));
  if (isOne) return [{ shown: html, around }];
  return children.flatMap((child) => lettersOf(child, isPre, [...around, node]));
}

/** As browsers show it: many blanks as one, none at the ends of lines. */
function shownLetters(letters: readonly Letter[]): Letter[] {
  const shown: Letter[] = [];
  for (const letter of letters) {
    const last = shown.at(-1);
    const isAfterBlank = last === undefined || isBlank(last) || last.shown.startsWith("<br");
    if (isBlank(letter) && isAfterBlank) continue;
    shown.push(isBlank(letter) ? { ...letter, shown: " " } : letter);
  }
  const last = shown.at(-1);
  return last !== undefined && isBlank(last) ? shown.slice(0, -1) : shown;
}

/** Which elements are around each letter; those around the very same letters in any order. */
function lineOf(letters: readonly Letter[]): unknown[] {
  const numbers = new Map<HtmlElement, number>();
  return letters.map(({ shown, around }) => {
    const sorted = [...around].sort((a, b) => labelOf(a).localeCompare(labelOf(b)));
    for (const element of sorted) if (!numbers.has(element)) numbers.set(element, numbers.size);
    return [shown, ...sorted.map((element) => `${labelOf(element)} ${numbers.get(element)}`).sort()];
  });
}

/** All that a reader, a browser or a screen reader can know of a text. */
function meaning(nodes: readonly HtmlNode[], isPre = false): unknown[] {
  const parts: unknown[] = [];
  let run: Letter[] = [];
  const endRun = () => {
    const letters = isPre ? run : shownLetters(run);
    if (letters.length > 0) parts.push(lineOf(letters));
    run = [];
  };
  for (const node of nodes) {
    if (node.kind === "text" || isInline(node)) run.push(...lettersOf(node, isPre, []));
    else {
      endRun();
      parts.push([labelOf(node), meaning(node.children, node.name === "pre")]);
    }
  }
  endRun();
  return parts;
}

const meaningOf = (source: string): unknown[] => meaning(parseRestrictedHtml(source).tree ?? (["wrong"] as never));

const word = fc.oneof(
  fc.constantFrom(
    "a",
    "Be kind.",
    " ",
    "\n ",
    "  b ",
    "&amp;",
    "&lt;b&gt;",
    "&nbsp;",
    "{{fullName}}",
    "{",
    "}",
    "&#123;{a}}",
  ),
  fc.string({ maxLength: 6 }).map((text) => escapeHtml(text.replaceAll(/\p{Cc}/gu, ""))),
);
const attributes = fc
  .uniqueArray(
    fc.constantFrom(
      ['id="s.1"', "id"],
      ['class="note x"', "class"],
      ['lang="de"', "lang"],
      ['dir="rtl"', "dir"],
      ["title='\"quoted\" &amp; more'", "title"],
      ['title="&#123;&#123;a}}"', "title"],
    ),
    { maxLength: 2, selector: ([, name]) => name },
  )
  .map((chosen) => chosen.map(([attribute]) => ` ${attribute}`).join(""));
const element = (names: string, content: fc.Arbitrary<string>, own: readonly string[] = [""]) =>
  fc
    .tuple(fc.constantFrom(...names.split(" ")), attributes, fc.constantFrom(...own), content)
    .map(([name, shared, special, inside]) => `<${name}${shared}${special}>${inside}</${name}>`);

const text = fc.letrec<{ flow: string; block: string; line: string; inline: string; items: string; rows: string }>(
  (tie) => ({
    line: fc.array(tie("inline"), { maxLength: 4 }).map((parts) => parts.join("")),
    inline: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { arbitrary: word, weight: 5 },
      {
        arbitrary: element(
          "abbr b bdi cite code dfn em i kbd mark q s samp small span strong sub sup u var time",
          tie("line"),
        ),
        weight: 3,
      },
      element("ins del", tie("line"), ["", ' cite="https://a.example/" datetime="2026-01-01"']),
      element("a", word, [
        "",
        ' href="https://a.example/?b=1&amp;c"',
        ' href="#s.1" rel="nofollow"',
        ' href="mailto:a@b.example"',
      ]),
      fc.constantFrom(
        "<br>",
        '<br id="x">',
        "<wbr>",
        '<img alt="A seal" width="3">',
        "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>",
      ),
    ),
    flow: fc
      .array(fc.oneof({ arbitrary: tie("block"), weight: 3 }, tie("line"), fc.constant("\n")), { maxLength: 4 })
      .map((parts) => parts.join("")),
    block: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { arbitrary: element("p h1 h2 h3 h4 h5 h6", tie("line")), weight: 3 },
      element(
        "pre",
        tie("line").map((line) => `\n${line}`),
      ),
      element("div section article aside address blockquote figure footer header main figcaption", tie("flow")),
      element("a ins b", tie("flow")),
      fc.constantFrom("<hr>", '<hr class="wide">', "<ul></ul>", "<p>unclosed"),
      element("ul", tie("items")),
      element("ol", tie("items"), ["", ' start="3" type="a"', " reversed"]),
      element(
        "dl",
        fc.array(element("dt dd", tie("flow")), { maxLength: 3 }).map((parts) => parts.join("\n")),
      ),
      element("table", tie("rows")),
    ),
    items: fc.array(element("li", tie("flow"), ["", ' value="4"']), { maxLength: 3 }).map((parts) => parts.join("\n")),
    rows: fc.oneof(
      fc
        .tuple(fc.integer({ min: 1, max: 3 }), fc.array(tie("flow"), { minLength: 1, maxLength: 6 }))
        .map(([columns, cells]) => {
          const rows = Array.from({ length: Math.ceil(cells.length / columns) }, (_, row) =>
            Array.from(
              { length: columns },
              (_, column) => `<td class="c">${cells[row * columns + column] ?? ""}</td>`,
            ).join("\n"),
          );
          const head = `<caption>Prices</caption><colgroup><col span="2"></colgroup><thead><tr>${'<th scope="col" abbr="x">A</th>'.repeat(columns)}</tr></thead>`;
          return `${head}<tbody id="b">${rows.map((row) => `<tr lang="de">${row}</tr>`).join("\n")}</tbody><tfoot><tr><td colspan="${columns}">S</td></tr></tfoot>`;
        }),
      fc.constantFrom(
        "<tr><td>1<td>2<tr><td>3",
        "<tr><td rowspan=2>1</td><td>2</td></tr><tr><td colspan=1>3</td></tr>",
        "<tr></tr>",
      ),
      tie("flow").map((cell) => `<tr><td>${cell}</td></tr>`),
    ),
  }),
).flow;

describe("the visual editor's form of a text", () => {
  test("has every element and attribute that a text may have, and gives them back", () => {
    let taken = 0;
    fc.assert(
      fc.property(text, fc.boolean(), (source, withFields) => {
        // An empty paragraph is where somebody begins to write.
        if (parseRestrictedHtml(source).tree === undefined || /^\s*<p>[\t\n ]*<\/p>\s*$/.test(source)) return;
        taken += 1;
        const again = written(source, withFields);
        expect(meaningOf(again)).toEqual(meaningOf(source));
        expect(findMergeFields(again).fields.map(({ key }) => key)).toEqual(
          findMergeFields(source).fields.map(({ key }) => key),
        );
        expect(written(again, withFields)).toBe(again);
      }),
      { numRuns: 2_000 },
    );
    expect(taken).toBeGreaterThan(1_000);
  });

  test("says why a text cannot be shown so", () => {
    expect(readText("<p>a</p><script>evil()</script>", true)).toBe("ERRORS");
    expect(readText("<p>a", true)).not.toBe("ERRORS");
    expect(written("")).toBe("");
  });

  test("puts no blank between what stands in one line", () => {
    for (const source of ["<div>un<ins>done<p>a</p></ins></div>", "<del><p>a</p>un</del><em>done</em>"]) {
      expect(written(source)).toBe(source);
    }
  });

  test("shows a table as one piece whose cells reach over more than an editor can hold", () => {
    const source = `<table><tbody><tr>${'<td colspan="1000">a</td>'.repeat(200)}</tr></tbody></table>`;
    expect(written(source)).toBe(source);
  });

  test("takes no longer than it is long", () => {
    const source = `<p>${"a<br>".repeat(100_000)}b</p>`;
    expect(written(source)).toBe(source);
  });

  test("knows where a finding stands", () => {
    const source = "<h2>A &amp; B</h2>\n<p>Dear  <b>{{fullName}}</b>, hello</p>";
    const read = readText(source, true);
    if (typeof read === "string") throw new Error(read);
    const shownAt = (words: string, length = words.length): string => {
      const place = read.placeOf({ offset: source.indexOf(words), length });
      return place === undefined ? "" : read.doc.textBetween(place.from, place.to, " ", (leaf) => leaf.type.name);
    };
    expect([shownAt("<h2>"), shownAt("B"), shownAt("{{fullName}}"), shownAt("hello")]).toEqual([
      "A & B",
      "B",
      "field",
      "hello",
    ]);
    expect(read.placeOf({ offset: 10_000, length: 1 })).toBeUndefined();
  });
});

describe("what is changed", () => {
  /** What becomes of a text where somebody is at these words. */
  const changed = (source: string, words: string, command: Command): string => {
    const read = readText(source, true);
    if (typeof read === "string") throw new Error(read);
    const place = read.placeOf({ offset: source.indexOf(words), length: words.length });
    if (place === undefined) throw new Error(`there is no ${words}`);
    let state = EditorState.create({ doc: read.doc });
    state = state.apply(state.tr.setSelection(TextSelection.create(state.doc, place.to)));
    command(state, (tr) => {
      state = state.apply(tr);
    });
    state.doc.check();
    return writeText(state.doc.content);
  };

  test("keeps its id, language and direction when it becomes another block or another list", () => {
    const block = '<h2 id="fees" lang="fr" dir="ltr">words</h2>';
    expect(changed(block, "words", setBlockKind("h3"))).toBe('<h3 id="fees" lang="fr" dir="ltr">words</h3>');
    expect(changed(block, "words", setBlockKind("p"))).toBe('<p id="fees" lang="fr" dir="ltr">words</p>');
    expect(changed(block, "words", setBlockKind("h2"))).toBe(block);
    const list = '<ol id="l" class="c" start="3" type="a">\n<li>words</li>\n</ol>';
    expect(changed(list, "words", toggleList("ul"))).toBe('<ul id="l" class="c">\n<li>words</li>\n</ul>');
  });

  test("has each id and each number once when it becomes two", () => {
    expect(changed('<p id="a" class="c">onetwo</p>', "one", enterKey)).toBe(
      '<p id="a" class="c">one</p>\n<p class="c">two</p>',
    );
    const item = '<ol>\n<li id="a" class="c" value="4">onetwo</li>\n</ol>';
    expect(changed(item, "one", enterKey)).toBe(
      '<ol>\n<li id="a" class="c" value="4">one</li>\n<li class="c">two</li>\n</ol>',
    );
    expect(changed(item, "onetwo", enterKey)).toContain('<li class="c"></li>');
  });
});

describe("what is pasted", () => {
  const read = (html: string) => {
    const slice = readClipboard(html, true);
    if (slice === undefined) throw new Error(`no text: ${html.slice(0, 1_000)}`);
    return slice;
  };
  const pasted = (html: string): string => writeText(read(html).content);

  test("from Word has its headings, lists, tables, links and emphasis, and nothing of its looks", () => {
    expect(pasted(clipboards.word)).toBe(
      [
        "<h1>House rules</h1>",
        "<h1>1 Conduct</h1>",
        '<p><strong>Be kind</strong> to the <em>furniture</em> and to others. See <a href="https://example.com/rules?a=1&amp;b=2">our rules</a> and above.</p>',
        "<ul>\n<li>Knock\n<ul>\n<li>twice</li>\n</ul></li>\n<li>Wait</li>\n</ul>",
        '<ol start="3">\n<li>Third</li>\n<li>Fourth</li>\n</ol>',
        '<table>\n<tbody>\n<tr><td colspan="2"><strong>Fees</strong></td></tr>\n<tr><td>Late</td><td>5&nbsp;€</td></tr>\n</tbody>\n</table>',
        "<p>x<sup>2</sup></p>",
      ].join("\n"),
    );
  });

  test("from Google Docs too", () => {
    expect(pasted(clipboards.googleDocs)).toBe(
      [
        "<h2>Privacy</h2>",
        '<p><strong>We keep</strong><em> little</em>, see <a href="https://example.com/privacy">here</a><s>now</s>.</p>',
        "<ul>\n<li>One\n<ul>\n<li>Deeper</li>\n</ul></li>\n<li>Two</li>\n</ul>",
        "<table>\n<tbody>\n<tr><td>A</td><td></td></tr>\n</tbody>\n</table>",
        '<p dir="rtl">مرحبا</p>',
      ].join("\n"),
    );
  });

  test("from Word on the web keeps headings and the levels of its lists", () => {
    expect(pasted(clipboards.wordOnline)).toBe(
      [
        "<h2>Steps</h2>",
        "<ul>\n<li><strong>Draft</strong> it\n<ul>\n<li>Ask Grace</li>\n</ul></li>\n<li>Publish</li>\n</ul>",
        '<ol>\n<li>First\n<ol type="a">\n<li>First of all</li>\n<li>Then</li>\n</ol></li>\n<li>Second</li>\n</ol>',
        "<p>End</p>",
      ].join("\n"),
    );
  });

  test("says nothing that nobody saw where it was copied", () => {
    const styles = [
      ...["display:none", "display : none !important", "mso-hide:all", "font-size:0", "font-size: 0.0pt", "font:0/0 a"],
      ...["visibility:hidden", "visibility:collapse", "opacity:0"],
    ];
    for (const style of styles) {
      const hidden = `style="color:red;${style}"`;
      for (const html of [
        `<p>a<span ${hidden}>SECRET</span>b</p>`,
        `<p>ab</p><p ${hidden}>SECRET</p><h2 ${hidden}>SECRET</h2><div ${hidden}><p><b>SECRET</b></p></div>`,
        `<p>ab</p><ul ${hidden}><li>SECRET</li></ul><pre ${hidden}>SECRET</pre><table ${hidden}><tr><td>SECRET</td></tr></table>`,
        `<p>ab</p><div ${hidden}><ul><li data-aria-level="1">SECRET</li></ul></div>`,
        `<pre>a<i ${hidden}>SECRET</i>b</pre><p ${hidden.replace("color", "mso-list:l0 level1 lfo1;color")}>SECRET</p>`,
        `<ul><li>ab</li><li ${hidden}>SECRET</li></ul><table><tr><td>c</td><td ${hidden}>SECRET</td></tr><tr ${hidden}><td>SECRET</td></tr></table>`,
      ]) {
        expect(pasted(html)).not.toContain("SECRET");
        expect(pasted(html)).toContain(html.startsWith("<p>a<") || html.startsWith("<pre") ? ">ab<" : "ab");
      }
    }
    const sheet =
      "<!-- /* Styles */ p.Plain, li.Note\n{color:red}\nspan.Notes {mso-style-name:x;\ndisplay:none;mso-hide:all} -->";
    const page = `<html><head><style>${sheet}</style></head><body><p class="Plain">a<span class="x Notes">SECRET</span>b</p></body></html>`;
    expect(pasted(page)).toBe("<p>ab</p>");
    expect(pasted("<p hidden>SECRET</p>a")).toBe("<p>a</p>");
  });

  test("says what was seen although something around it was not", () => {
    expect(pasted('<div style="font-size:0"> <p style="font-size:11pt">a</p> <span>SECRET</span></div>')).toBe(
      "<p>a</p>",
    );
    expect(pasted('<p style="font-size:0">x<i style="font-size:120%">y</i><b style="font-size:1rem">z</b></p>')).toBe(
      "<p><strong>z</strong></p>",
    );
    const shown = '<p style="visibility:hidden">x<b style="visibility:visible">y</b></p>';
    expect(pasted(shown)).toBe("<p><strong>y</strong></p>");
    expect(pasted('<p style="font-size:10pt;opacity:0.5;line-height:0">a</p>')).toBe("<p>a</p>");
  });

  test("that nests more deeply than a text may is no text", () => {
    for (const depth of [100, 600, 100_000]) {
      expect(readClipboard(`${"<blockquote>".repeat(depth)}x`, true)).toBeUndefined();
    }
    expect(pasted(`${"<div>".repeat(300)}x`)).toBe("<p>x</p>");
  });

  test("whose cells reach over more than an editor can hold is no table", () => {
    const wide = `<tr>${'<td colspan="1000">a</td>'.repeat(200)}</tr>`;
    expect(pasted(`<table>${wide}</table>`)).not.toContain("<table>");
    const high = '<tr><td colspan="1000" rowspan="1000">a</td></tr>'.repeat(30);
    expect(pasted(`<table>${high}</table>`)).not.toContain("<table>");
  });

  test("takes no longer than it is long", () => {
    const count = 300_000;
    expect(pasted(`<p>${"&nbsp;".repeat(count)}x</p>`)).toMatch(/x<\/p>$/);
    expect(pasted(`a${"<br>".repeat(count)}b`)).toMatch(/b<\/p>$/);
  });

  test("has links to where they lead, past Google alone", () => {
    const linked = (href: string): string => pasted(`<a href="${href}">x</a>`);
    const inside = "https://example.com/terms";
    expect(linked(`https://www.google.com/url?q=${inside}`)).toContain(`"${inside}"`);
    for (const other of ["https://notgoogle.com", "https://google.com.example.org"]) {
      expect(linked(`${other}/url?q=${inside}`)).toContain(`"${other}/url?q=${inside}"`);
    }
  });

  test("as plain text becomes paragraphs, with its merge fields", () => {
    const written = writeText(readPlainText("Dear {{fullName}}\r\nhello\n\n\u202e<b>bye\n", true).content);
    expect(written).toBe("<p>Dear {{fullName}}<br>hello</p>\n<p>&lt;b&gt;bye</p>");
  });

  test("is a text that may be shown, whatever it was", () => {
    const piece = fc.oneof(
      text,
      fc.constantFrom(...Object.values(clipboards).flatMap((html) => html.split(/(?=<)/))),
      fc.constantFrom(
        "<td>x",
        "<li>",
        "<h1>",
        "<a href='javascript:evil()'>x</a>",
        "\u202e",
        "&#x202e;",
        "<b><p>",
        "<table>",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const { content } = read(pieces.join(""));
        if (content.childCount > 0) nodeType("doc").create(null, content).check();
        const { findings } = parseRestrictedHtml(writeText(content));
        expect(findings.filter(({ severity }) => severity === "ERROR")).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
