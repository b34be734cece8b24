import { expect, test } from "@jest/globals";
import type { Block } from "../blocks.ts";
import { markFitting } from "../typesetter.ts";

const room = { width: 170, height: 250 };

const paragraph = (text: string): Block => ({
  kind: "paragraph",
  look: {},
  runs: [{ kind: "text", text, marks: {} }],
});

const kept = (...blocks: readonly Block[]): Block => ({ kind: "group", look: { keep: true }, blocks });

const isFitting = (block: Block): boolean => markFitting([block], room)[0]?.look.fitting === true;

const cell = (text: string, colspan = 1) => ({
  ...{ look: {}, colspan, rowspan: 1, isHeader: false, isDivisible: false },
  blocks: [paragraph(text)],
});

const tableOf = (rows: number, text: string, colspan = 1): Block => ({
  kind: "table",
  look: {},
  table: {
    ...{ columns: [{ mm: 50 }, { weight: 6 }], rules: "none", isStriped: false, isCompact: true, header: [] },
    rows: Array.from({ length: rows }, () => [cell("Label"), cell(text, colspan)]),
  },
});

test.each<[string, Block, boolean]>([
  ["a few words", kept(paragraph("One line.")), true],
  ["a table of facts", kept(paragraph("Ann"), tableOf(16, "ann@example.com")), true],
  ["more rows than a page has", kept(tableOf(60, "short")), false],
  ["rows whose texts need many lines", kept(tableOf(10, "word ".repeat(100))), false],
  ["more text than a page has", kept(paragraph("word ".repeat(1_000))), false],
  ["cells over several columns", kept(tableOf(1, "short", 2)), false],
  ["something of which the height is not known", kept({ kind: "rule", look: {} }), false],
  ["what may be divided", { kind: "group", look: {}, blocks: [paragraph("One line.")] }, false],
])("%s: surely on one page %#", (_, block, expected) => {
  expect(isFitting(block)).toBe(expected);
});

test("groups within groups are marked, too", () => {
  const [outer] = markFitting([{ kind: "group", look: {}, blocks: [kept(paragraph("One line."))] }], room);
  expect(outer).toMatchObject({ blocks: [{ look: { keep: true, fitting: true } }] });
});
