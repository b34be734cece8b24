import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createEastAsianFonts, type Region, regionOf } from "#platform/fonts/east-asian.ts";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import type { HtmlNode } from "#platform/restricted-html/tree.ts";
import type { RenderProfile } from "../domain/page.ts";
import { type RenderAttachment, RenderError, type RenderJob, type RenderWarning } from "../renderer/render-job.ts";
import { printRules } from "../templating/print-style.ts";
import { readBlockTree } from "./block-tree.ts";
import type { Block, Cell, Run, Table } from "./blocks.ts";
import { type Compiler, createCompiler, type InputFile } from "./compiler.ts";
import { loadFonts } from "./fonts.ts";
import { createGlyphText, type GlyphText } from "./glyph-coverage.ts";
import { brokenImage, createImageShelf, type ImageShelf } from "./images.ts";
import { cellInset, columnWidths, markLongWords, wideCellLetter, wideLetter } from "./long-words.ts";
import { settingsOf } from "./settings.ts";
import type { TreeState } from "./tree-state.ts";

export interface TypesetInput extends Omit<RenderJob, "content" | "traceparent"> {
  /** Checked again: what is not allowed is a RenderError. */
  readonly html: string;
}

export interface Typeset {
  readonly pdf: Uint8Array;
  readonly pages: number;
  readonly warnings: readonly RenderWarning[];
}

export interface Typesetter {
  /** Throws a RenderError for what has no PDF. The same input gives the same bytes, in every process. */
  typeset(input: TypesetInput): Typeset;
}

const maxPages = 200;
const maxPdfBytes = 25 * 1024 * 1024;

/** With the bytes of images in it, in UTF-16 code units. */
const maxHtmlLength = 32 * 1024 * 1024;

/** Without images. Full pages of 200 have about 1.5 million characters. */
const maxDocumentLength = 8 * 1024 * 1024;

/**
 * Makes PDFs of restricted HTML. Synchronous, and without a limit of time and memory: it belongs into a process of its own,
 * which is replaced when it has grown.
 */
export function createTypesetter(): Typesetter {
  const fonts = loadFonts();
  const program = readFileSync(new URL("./document.typ", import.meta.url), "utf8");
  const compiler = createCompiler(program, fonts.blobs);
  const eastAsian = createEastAsianFonts();
  const compilerFor: CompilerFor = (codePoints, region) => {
    if (codePoints.size === 0) return compiler;
    const own = ([400, 700] as const).map((weight) => eastAsian.fontOf(codePoints, region, weight));
    return createCompiler(program, [...fonts.blobs, ...own]);
  };
  const glyphs = () => createGlyphText(fonts.hasGlyph, eastAsian.has);
  const release = createReleaser();
  return {
    typeset: (input) => {
      const typesetOne = typeset(input, compilerFor, glyphs());
      release(typesetOne.pages);
      return typesetOne;
    },
  };
}

/** A compiler takes its fonts when it is made: a document with East Asian characters gets one with a font of these. */
type CompilerFor = (eastAsian: ReadonlySet<number>, region: Region) => Compiler;

function typeset(input: TypesetInput, compilerFor: CompilerFor, glyphs: GlyphText): Typeset {
  if (input.attachments.length > 0 && input.profile !== "pdf/a-3a") {
    throw new TypeError(`${input.profile} has no attachments`);
  }
  checkLength(input.html.length, maxHtmlLength);
  const shelf = createImageShelf(input.images);
  const { blocks, warnings } = readContent(input, shelf, glyphs);
  const attachments = input.attachments.map(({ fileName, mediaType, description }, index) => {
    return { name: fileName, path: `/attachments/${index}`, mediaType, description };
  });
  const settings = settingsOf(input, blocks, glyphs);
  const { paper, margins } = settings;
  const width = paper.width - margins.left - margins.right;
  const marked = markFitting(markLongWords(blocks, width), {
    width,
    height: paper.height - margins.top - margins.bottom,
  });
  const document = JSON.stringify({ settings, blocks: marked, attachments });
  checkLength(document.length, maxDocumentLength);
  const files = [...filesOf(shelf), ...input.attachments.map(attachedFile)];
  const compiler = compilerFor(glyphs.eastAsian(), regionOf(input.html, settings.language.lang));
  const { pdfStandard } = standards[input.profile];
  const compiled = compiler.compile({
    document,
    files,
    pdfStandard,
    createdAt: input.createdAt,
    maxPages,
  });
  if (compiled.kind === "too-many-pages") {
    throw failed("too_many_pages", `The document has ${compiled.pages} pages; ${maxPages} are allowed.`);
  }
  if (compiled.kind === "refused") throw explain(compiled.messages, shelf, compiler);
  if (compiled.pdf.byteLength > maxPdfBytes) {
    throw failed("too_large", `The PDF has ${compiled.pdf.byteLength} bytes; ${maxPdfBytes} are allowed.`);
  }
  return { pdf: compiled.pdf, pages: compiled.pages, warnings: [...warnings, ...glyphs.warnings()] };
}

function checkLength(length: number, limit: number): void {
  if (length > limit) throw failed("too_large", `The document has ${length} characters; ${limit} are allowed.`);
}

const standards: Readonly<Record<RenderProfile, { readonly pdfStandard: string }>> = {
  pdf: { pdfStandard: "1.7" },
  "pdf/a-2a": { pdfStandard: "a-2a" },
  "pdf/a-3a": { pdfStandard: "a-3a" },
  "pdf/ua-1": { pdfStandard: "ua-1" },
};

interface Content {
  readonly blocks: readonly Block[];
  readonly warnings: readonly RenderWarning[];
}

function readContent({ html, profile }: TypesetInput, shelf: ImageShelf, glyphs: GlyphText): Content {
  const state: TreeState = { profile, findImage: shelf.find, glyphs, headings: [], warnings: [] };
  return { blocks: readBlockTree(parse(html), state), warnings: state.warnings };
}

function parse(html: string): readonly HtmlNode[] {
  const { tree, findings } = parseRestrictedHtml(html, printRules);
  if (tree !== undefined) return tree;
  const finding = findings.find(({ severity }) => severity === "ERROR");
  throw new RenderError("GEN_TEMPLATE_ERROR", finding?.message ?? "The HTML is not allowed.", {
    reason: "html_not_allowed",
    line: String(finding?.line ?? 0),
    column: String(finding?.column ?? 0),
  });
}

const filesOf = (shelf: ImageShelf): InputFile[] =>
  Array.from(shelf.files, ([path, { bytes }]): InputFile => ({ path, bytes }));

const attachedFile = ({ bytes }: RenderAttachment, index: number): InputFile => ({
  path: `/attachments/${index}`,
  bytes,
});

/** Bytes of an image can be broken in ways that only its decoder sees. Each is tried alone to tell which one it was. */
function explain(messages: readonly string[], shelf: ImageShelf, compiler: Compiler): RenderError {
  for (const [path, { bytes, name }] of shelf.files) {
    if (!compiler.canShow({ path, bytes })) return brokenImage(name);
  }
  const error = failed("typesetting_failed", "The document could not be typeset.");
  // For the log; it says nothing that a caller could act on.
  error.cause = messages;
  return error;
}

const failed = (reason: string, message: string): RenderError =>
  new RenderError("GEN_RENDER_FAILED", message, { reason });

/**
 * Frees what the compiler has laid out, about 0.7 MB a page outside of the heap. It goes when its JavaScript object is
 * collected, and the engine, which sees a few bytes only, hardly ever has a reason to look for it. Objects that were
 * used a moment ago are young: looking through these is enough, and takes 1 ms (2 of 50 ms that a document takes are for
 * freeing what it has laid out).
 */
function createReleaser(): (pages: number) => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: { type: "minor" }) => void;
  let waiting = 0;
  return (pages) => {
    waiting += pages;
    if (waiting < pagesAtOnce) return;
    waiting = 0;
    collect({ type: "minor" });
  };
}

const pagesAtOnce = 8;

/** The room that a page has, in millimetres. */
interface Room {
  readonly width: number;
  readonly height: number;
}

/**
 * Marks what is to stay on one page and surely has room on one. document.typ measures the rest, which means that all of it is
 * laid out once more. What is counted here is always more than what the text takes.
 */
export const markFitting = (blocks: readonly Block[], room: Room): Block[] =>
  blocks.map((block) => {
    const marked = block.kind === "group" ? { ...block, blocks: markFitting(block.blocks, room) } : block;
    const isFitting = block.look.keep === true && heightOf([block], room.width, wideLetter) <= room.height;
    return isFitting ? { ...marked, look: { ...marked.look, fitting: true } } : marked;
  });

/** With what is between the lines. */
const lineHeight = 6.5;
/** Above and below together. */
const paragraphSpace = 4;
const tableSpace = 10;
const rowSpace = 4;
const headingScale = 1.7;
const headingSpace = 14;

/** At most so many millimetres; without end where this cannot be known from the text alone. */
const heightOf = (blocks: readonly Block[], width: number, letter: number): number =>
  blocks.reduce((sum, block) => sum + blockHeight(block, width, letter), 0);

function blockHeight(block: Block, width: number, letter: number): number {
  switch (block.kind) {
    case "paragraph":
      return linesOf(block.runs, width / letter) * lineHeight + paragraphSpace;
    case "heading":
      return linesOf(block.runs, width / letter / headingScale) * lineHeight * headingScale + headingSpace;
    case "group":
      return heightOf(block.blocks, width, letter);
    case "table":
      return tableHeight(block.table, width);
    case "space":
      return block.lines * lineHeight;
    default:
      return Number.POSITIVE_INFINITY;
  }
}

/** Words that are not divided leave up to half of a line empty, and each line end leaves the rest of its line. */
function linesOf(runs: readonly Run[], letters: number): number {
  if (!runs.every(({ kind }) => kind === "text" || kind === "break")) return Number.POSITIVE_INFINITY;
  const length = runs.reduce((sum, run) => sum + (run.kind === "text" ? run.text.length : 0), 0);
  const breaks = runs.filter(({ kind }) => kind === "break").length;
  return (length <= letters ? 1 : Math.ceil((2 * length) / letters)) + breaks;
}

function tableHeight({ columns, width: own, header, rows }: Table, outer: number): number {
  const isPlain = [...header, ...rows].flat().every(({ colspan, rowspan }) => colspan === 1 && rowspan === 1);
  if (!isPlain || own !== undefined || columns.some((column) => "fit" in column)) return Number.POSITIVE_INFINITY;
  const widths = columnWidths(columns, outer);
  const cellHeight = ({ blocks }: Cell, index: number): number =>
    heightOf(blocks, (widths[index] ?? 0) - cellInset, wideCellLetter) - (blocks.length === 1 ? paragraphSpace : 0);
  return [...header, ...rows].reduce((sum, row) => sum + Math.max(...row.map(cellHeight)) + rowSpace, tableSpace);
}
