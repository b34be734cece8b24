import { describe, expect, test } from "@jest/globals";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import { printRules } from "../../templating/print-style.ts";
import { readBlockTree } from "../block-tree.ts";
import type { Block, Cell, List, Run, Table } from "../blocks.ts";
import { createGlyphText } from "../glyph-coverage.ts";
import { textOf } from "../inline-runs.ts";
import type { TreeState } from "../tree-state.ts";

const newState = (changes: Partial<TreeState> = {}): TreeState => ({
  profile: "pdf",
  findImage: () => ({ path: "/images/0", width: 96 }),
  glyphs: createGlyphText(() => true),
  headings: [],
  warnings: [],
  ...changes,
});

function read(html: string, state: TreeState = newState()): Block[] {
  const { tree, findings } = parseRestrictedHtml(html, printRules);
  if (tree === undefined) throw new Error(JSON.stringify(findings));
  return readBlockTree(tree, state);
}

const text = (content: string, marks = {}): Run => ({ kind: "text", text: content, marks });
const paragraph = (...runs: Run[]): Block => ({ kind: "paragraph", look: {}, runs });

function listOf(html: string): List {
  const [block] = read(html);
  if (block?.kind !== "list") throw new Error("no list");
  return block.list;
}

function tableOf(html: string): Table {
  const [block] = read(html);
  if (block?.kind !== "table") throw new Error("no table");
  return block.table;
}

describe("text", () => {
  test("white space collapses across elements as browsers do it", () => {
    expect(read("<p>  a \n <strong> b</strong>\t<em>c </em> <br> d </p>")).toEqual([
      paragraph(
        text("a "),
        text("b", { strong: true }),
        text(" "),
        text("c", { em: true }),
        { kind: "break" },
        text("d"),
      ),
    ]);
  });

  test("text beside blocks makes paragraphs, and empty ones are left out", () => {
    expect(read("a<p></p><p> </p><p>b</p> c ")).toEqual([
      paragraph(text("a")),
      paragraph(text("b")),
      paragraph(text("c")),
    ]);
  });

  test("blocks inside of an element of a line keep what it says about them", () => {
    expect(read("<strong><p>a</p></strong>")).toEqual([paragraph(text("a", { strong: true }))]);
  });

  test("preformatted text keeps its lines and blanks", () => {
    expect(read("<pre>\n a\n\tb</pre>")).toEqual([
      { kind: "preformatted", look: {}, runs: [text(" a"), { kind: "break" }, text("    b")] },
    ]);
  });

  test.each(["<p>", "<pre>"])("a letter in %s has at most 32 marks, also of elements of their own", (start) => {
    const state = newState();
    const end = start.replace("<", "</");
    const [block] = read(`${start}e${"\u0301".repeat(30)}<b>${"\u0301".repeat(5000)}</b>x\u0301${end}`, state);
    if (block === undefined || !("runs" in block)) throw new Error("no runs");
    expect(textOf(block.runs)).toBe(`e${"\u0301".repeat(32)}x\u0301`);
    expect(state.warnings).toMatchObject([{ code: "too_many_marks" }]);
  });

  test("parts of a link are one link", () => {
    expect(read('<p><a href="https://example.com/">a<em>b</em></a></p>')).toEqual([
      paragraph({ kind: "link", url: "https://example.com/", runs: [text("a"), text("b", { em: true })] }),
    ]);
  });

  test("what follows a link without a blank is not divided", () => {
    expect(read('<p><a href="https://example.com/">ab\u00ad</a>cd ef</p>')).toEqual([
      paragraph(
        { kind: "link", url: "https://example.com/", runs: [text("ab")] },
        text("cd", { whole: true }),
        text(" ef"),
      ),
    ]);
  });
});

describe("headings", () => {
  test("their outline begins with 1 and skips nothing", () => {
    const ranks = read("<h3>a</h3><h5>b</h5><h4>c</h4><h1>d</h1><h3>e</h3>").map((block) =>
      block.kind === "heading" ? [block.level, block.rank] : [],
    );
    expect(ranks).toEqual([
      [3, 1],
      [5, 2],
      [4, 2],
      [1, 1],
      [3, 2],
    ]);
  });

  test("one without text is none", () => {
    expect(read("<h1> </h1><h2><strong></strong></h2>")).toEqual([]);
  });
});

describe("lists", () => {
  test.each([
    ["<ol><li>a</li><li>b</li></ol>", ["1.", "2."]],
    ['<ol start="0"><li>a</li></ol>', ["0."]],
    ['<ol type="a" start="26"><li>a</li><li>b</li></ol>', ["z.", "aa."]],
    ['<ol type="I" start="1994"><li>a</li></ol>', ["MCMXCIV."]],
    ['<ol type="i" start="4000"><li>a</li></ol>', ["4000."]],
  ])("%s is numbered as in browsers", (html, labels) => {
    expect(listOf(html).labels).toEqual(labels);
  });

  test("clauses have the numbers of the clauses around them", () => {
    const outer = listOf(
      '<ol class="clauses"><li>a</li><li>b<ol><li>c<ol><li>d</li></ol></li></ol></li><li>e<ol type="a"><li>f</li></ol></li></ol>',
    );
    const labels = (list: List): unknown[] =>
      list.items.map((item, index) => {
        const inner = item.flatMap((block) => (block.kind === "list" ? labels(block.list) : []));
        return inner.length === 0 ? list.labels?.[index] : [list.labels?.[index], ...inner];
      });
    expect(labels(outer)).toEqual(["1.", ["2.", ["2.1", "2.1.1"]], ["3.", "(a)"]]);
  });

  test("nesting beyond what can be set is refused", () => {
    const html = `${"<ul><li>".repeat(13)}a${"</li></ul>".repeat(13)}`;
    expect(() => read(html)).toThrow(
      expect.objectContaining({ code: "GEN_TEMPLATE_ERROR", details: { reason: "too_deep" } }),
    );
  });
});

describe("tables", () => {
  const shapeOf = (rows: readonly (readonly Cell[])[]) =>
    rows.map((row) => row.map(({ colspan, rowspan }) => `${colspan}x${rowspan}`).join(" "));

  test("spans never reach over each other or out of the table, and holes are filled", () => {
    const table = tableOf(
      '<table><tbody><tr><td rowspan="9">a</td><td>b</td><td rowspan="2">c</td></tr><tr><td colspan="5">d</td></tr><tr></tr></tbody></table>',
    );
    // The last two columns are there because of the cell that asks for five.
    expect(table.columns).toHaveLength(3);
    expect(shapeOf(table.rows)).toEqual(["1x3 1x1 1x2", "1x1", "1x1 1x1"]);
  });

  test("a cell does not span from the header into the body", () => {
    const table = tableOf(
      '<table><thead><tr><th rowspan="3">a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>',
    );
    expect([shapeOf(table.header), shapeOf(table.rows)]).toEqual([["1x1"], ["1x1"]]);
  });

  test("a heading declares a column of numbers and its width", () => {
    const table = tableOf(
      '<table><thead><tr><th style="width: 30%">a</th><th class="number">b</th></tr></thead><tbody><tr><td>c</td><td>1</td></tr></tbody></table>',
    );
    expect(table.columns[0]).toEqual({ percent: 30 });
    expect(table.rows[0]?.map((cell) => cell.look)).toEqual([{}, { number: true }]);
  });
});

describe("pages", () => {
  test("pages end between the blocks of sections", () => {
    expect(read('<section><p>a</p><p class="page-break">b</p></section>').map(({ kind }) => kind)).toEqual([
      "paragraph",
      "page-break",
      "paragraph",
    ]);
  });

  test("a page that would end within a list is a warning", () => {
    const state = newState();
    read('<ul><li><p style="break-before: page">a</p></li></ul>', state);
    expect(state.warnings.map(({ code }) => code)).toEqual(["page_break_ignored"]);
  });
});

describe("images", () => {
  test("one without alt text is refused where the profile requires it", () => {
    const html = '<p><img src="asset:00000000-0000-4000-8000-000000000001"></p>';
    expect(read(html)[0]).toMatchObject({ kind: "picture", image: { isDecoration: false } });
    expect(() => read(html, newState({ profile: "pdf/ua-1" }))).toThrow(
      expect.objectContaining({ code: "GEN_TEMPLATE_ERROR", details: { reason: "missing_alt" } }),
    );
  });

  test("an empty alt text makes a decoration", () => {
    const html = '<p><img src="asset:00000000-0000-4000-8000-000000000001" alt="" style="width: 20mm"></p>';
    expect(read(html, newState({ profile: "pdf/ua-1" }))).toEqual([
      { kind: "picture", look: {}, image: { path: "/images/0", isDecoration: true, width: { mm: 20 } } },
    ]);
  });
});
