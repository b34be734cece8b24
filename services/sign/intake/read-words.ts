import type { PDFDocumentProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { visitPages } from "./find-texts.ts";
import type { FileWords } from "./messages.ts";

/** A contract of 500 pages has some 8,000 different words. */
const maxWords = 10_000;
/** In milliseconds; the deadline of the process comes later. What was read by then is kept. */
const maxReadingMs = 15_000;

/** The words of a PDF, in the order of the pages. A page that cannot be read is left out, and said. */
export async function readWords(bytes: Uint8Array): Promise<FileWords> {
  const words = new Set<string>();
  const until = performance.now() + maxReadingMs;
  let isWhole = true;
  await visitPages(bytes, async (document, number) => {
    const text = await textOf(document, number);
    if (text === undefined) isWhole = false;
    else addWords(words, text, maxWords);
    const mayGoOn = words.size < maxWords && performance.now() < until;
    if (!mayGoOn) isWhole = false;
    return mayGoOn;
  });
  return { words: [...words], isWhole };
}

async function textOf(document: PDFDocumentProxy, number: number): Promise<string | undefined> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    return items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
  } catch {
    return undefined;
  }
}

/** What a word is made of, after Unicode has been made the same. */
const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;

/** Scripts that are written without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** Where a word goes on in the next line. */
const lineBreak = /[-\u00ad\u2010]\n\s{0,20}/gu;

/** What is longer is no word of a language; its beginning is kept. */
const maxLength = 64;

/** Adds the words of a text in lower case, each once, until there are as many as wanted. */
export function addWords(words: Set<string>, text: string, most: number): void {
  const plain = text.normalize("NFKC");
  const add = (word: string): boolean => {
    if (words.size < most) words.add(word.slice(0, maxLength).toWellFormed());
    return words.size < most;
  };
  for (const { index, 0: hyphen } of plain.matchAll(lineBreak)) {
    // Looked for from the hyphen on: from each letter of an endless word on, it would take hours.
    const start = /\p{L}+$/u.exec(plain.slice(Math.max(0, index - maxLength), index))?.[0] ?? "";
    const behind = index + hyphen.length;
    const end = /^\p{Ll}+/u.exec(plain.slice(behind, behind + maxLength))?.[0] ?? "";
    if (start !== "" && end !== "" && !add(`${start}${end}`.toLowerCase())) return;
  }
  for (const [run] of plain.toLowerCase().matchAll(wordPattern)) {
    for (const word of unspaced.test(run) ? wordsOfRun(run) : [run]) if (!add(word)) return;
  }
}

/** Divides what has no spaces by a dictionary. */
function wordsOfRun(run: string): string[] {
  const segments = new Intl.Segmenter("en", { granularity: "word" }).segment(run);
  return [...segments].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
}
