import { fileURLToPath } from "node:url";
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { maxPdfPages } from "#platform/pdf-text.ts";
import { unsafeCharacter } from "#platform/restricted-html/text.ts";
import type { TextPlace, WantedText } from "./messages.ts";
import type { PageBox } from "./page-tree.ts";
import { maxMatches, PdfProblem } from "./pdf-limits.ts";
import { linesOf, type TextLine, type TextRun } from "./text-lines.ts";

/**
 * Finds every occurrence of each wanted text, page by page from top to bottom; for each text at most as many as
 * can be signed.
 */
export async function findTexts(bytes: Uint8Array, wanted: readonly WantedText[]): Promise<TextPlace[][]> {
  const search = createTextSearch(wanted);
  const found: TextPlace[][] = wanted.map(() => []);
  await readAllLines(bytes, (lines, page) => {
    for (const line of lines) {
      for (const { index, left, right } of search(line)) {
        const places = found[index];
        if (places !== undefined && places.length < maxMatches) {
          places.push({ page, left, right, baseline: line.baseline });
        }
      }
    }
  });
  return found;
}

/** Reads the lines of each page, one page after the other. */
export const readAllLines = (
  bytes: Uint8Array,
  visit: (lines: readonly TextLine[], page: number) => void,
): Promise<void> =>
  visitPages(bytes, async (document, number) => {
    visit(await readLines(document, number), number);
    return true;
  });

/** Opens a PDF and visits its pages, one after the other, for as long as it is told to go on. */
export async function visitPages(
  bytes: Uint8Array,
  visit: (document: PDFDocumentProxy, number: number) => Promise<boolean>,
): Promise<void> {
  const { getDocument } = await loadLibrary();
  const task = getDocument({ ...options, data: new Uint8Array(bytes) });
  try {
    const document = await task.promise;
    for (let number = 1; number <= document.numPages; number += 1) if (!(await visit(document, number))) return;
  } finally {
    await task.destroy();
  }
}

/**
 * What each page says, as paragraphs in the order of the file, for people who hear it instead of seeing it. Throws a
 * PdfProblem when there is more of it, or more pages, than the text of a version may have.
 */
export async function readTexts(bytes: Uint8Array): Promise<string[][]> {
  const pages: string[][] = [];
  let characters = 0;
  await visitPages(bytes, async (document, number) => {
    if (document.numPages > maxPdfPages) throw new PdfProblem(`The PDF has more than ${maxPdfPages} pages.`);
    const page = await document.getPage(number);
    const paragraphs = paragraphsOf((await page.getTextContent()).items);
    page.cleanup();
    characters += paragraphs.reduce((sum, { length }) => sum + length, 0);
    if (characters > maxTextCharacters) {
      throw new PdfProblem(`The PDF has more than ${maxTextCharacters.toLocaleString("en")} characters of text.`);
    }
    pages.push(paragraphs);
    return true;
  });
  return pages;
}

/** In JSON and UTF-8 it must stay within what the content of a version may have. */
const maxTextCharacters = 300_000;

type TextItems = Awaited<ReturnType<PDFPageProxy["getTextContent"]>>["items"];

/** Lines that follow each other closely are one paragraph; the blank between words at a line's end is not in the file. */
function paragraphsOf(items: TextItems): string[] {
  const paragraphs: string[] = [];
  let words = "";
  let before: { readonly x: number; readonly y: number } | undefined;
  const finish = (): void => {
    const text = words.normalize("NFC").replaceAll(unsafeCharacter, " ").replaceAll(/\s+/gu, " ").trim();
    if (text !== "") paragraphs.push(text);
    words = "";
  };
  for (const item of items) {
    if (!("str" in item)) continue;
    if (item.str.trim() !== "") {
      const [a, b, , , x, y] = item.transform as unknown as TextRun["transform"];
      const size = Math.hypot(a, b) || 1;
      // Across the direction of writing, in which it may be turned.
      const step = before === undefined ? 0 : Math.abs((x - before.x) * b - (y - before.y) * a) / size;
      if (step > (item.height || size) * maxLineStep) finish();
      before = { x, y };
    }
    words += item.str;
    if (item.hasEOL) words += words.endsWith("\u00ad") ? "" : " ";
  }
  finish();
  return paragraphs;
}

/** As a multiple of the font size; lines of one paragraph are mostly 1 to 1.5 apart. */
const maxLineStep = 1.7;

/** Loaded on first use: pdf.js takes a third of a second and 40 MB. */
async function loadLibrary() {
  const [library, worker] = await Promise.all([
    import("pdfjs-dist/legacy/build/pdf.mjs"),
    import("pdfjs-dist/legacy/build/pdf.worker.mjs" as string),
  ]);
  // Runs pdf.js in this thread: the process itself is the sandbox.
  Object.assign(globalThis, { pdfjsWorker: worker });
  return library;
}

const options = {
  // Character maps of Chinese, Japanese and Korean fonts, read from the package and never fetched.
  cMapUrl: fileURLToPath(new URL("./cmaps/", import.meta.resolve("pdfjs-dist/package.json"))),
  cMapPacked: true,
  standardFontDataUrl: fileURLToPath(new URL("./standard_fonts/", import.meta.resolve("pdfjs-dist/package.json"))),
  disableFontFace: true,
  useSystemFonts: false,
  useWasm: false,
  useWorkerFetch: false,
  isOffscreenCanvasSupported: false,
  // An unreadable part might have contained a wanted text, so errors are not skipped.
  stopAtErrors: true,
  maxImageSize: 1,
  verbosity: 0,
};

async function readLines(document: PDFDocumentProxy, number: number) {
  const page = await document.getPage(number);
  const { items, styles } = await page.getTextContent();
  const runs = items.flatMap((item): TextRun[] => {
    if (!("str" in item) || item.str === "") return [];
    const { str, transform, width, height, fontName } = item;
    const isFixed = styles[fontName]?.fontFamily === "monospace";
    return [{ text: str, transform: transform as unknown as TextRun["transform"], width, height, isFixed }];
  });
  const lines = linesOf(runs, boxOf(page));
  page.cleanup();
  return lines;
}

function boxOf({ view, rotate }: PDFPageProxy): PageBox {
  const [left = 0, bottom = 0, right = 0, top = 0] = view;
  return { left, bottom, width: right - left, height: top - bottom, rotation: rotate as PageBox["rotation"] };
}

/** A match within a line. */
interface LineMatch {
  /** Index of the wanted text. */
  readonly index: number;
  readonly left: number;
  readonly right: number;
}

/** Finds the wanted texts in a line, from left to right. Any run of white space counts as one space. */
function createTextSearch(wanted: readonly WantedText[]): (line: TextLine) => LineMatch[] {
  const needles = wanted.map(({ text, ...options }) => {
    const blanks = text.trim().replaceAll(/\s+/gu, " ");
    return { ...options, text: options.caseSensitive ? blanks : fold(blanks) };
  });
  return (line) => {
    const folded = fold(line.text);
    return needles.flatMap(({ text, caseSensitive, wholeWord }, index) => {
      const places = text === "" ? [] : placesOf(caseSensitive ? line.text : folded, text);
      return places
        .filter((at) => !wholeWord || isWholeWord(line.text, at, at + text.length))
        .map((at) => ({ index, left: line.lefts[at] ?? 0, right: line.rights[at + text.length - 1] ?? 0 }));
    });
  };
}

/** Lower-cases the text. Characters that would become longer stay, so that positions do not shift. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from({ length: text.length }, (_, index) => {
    const character = text.charAt(index).toLowerCase();
    return character.length === 1 ? character : text.charAt(index);
  }).join("");
}

function placesOf(text: string, needle: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) places.push(at);
  return places;
}

/** Whether the match starts and ends at word boundaries. */
const isWholeWord = (text: string, start: number, end: number): boolean =>
  !(isOfWord(text[start]) && isOfWord(text[start - 1])) && !(isOfWord(text[end - 1]) && isOfWord(text[end]));

const isOfWord = (character: string | undefined): boolean =>
  character !== undefined && /^[\p{L}\p{N}\p{M}_]$/u.test(character);
