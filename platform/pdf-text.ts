import { escapeHtml } from "./restricted-html/serialize.ts";

/**
 * A PDF as the text of a version: which file it is, and what each page says to those who cannot see it. The text of a
 * version has a hash; because this names the hash of the file, that hash covers both what is seen and what is heard.
 */
export interface PdfText {
  /** `sha256:<64 hex>` of the file. */
  readonly hash: string;
  /** Bytes of the file. */
  readonly size: number;
  readonly pages: readonly PdfTextPage[];
}

export interface PdfTextPage {
  /** Points, as the page is displayed. */
  readonly width: number;
  readonly height: number;
  /** Its paragraphs, in the order of the file. */
  readonly text: readonly string[];
}

/** Of a PDF that is the text of a version; everybody who is asked to accept it loads it, and copies are mailed. */
export const maxPdfBytes = 5 * 1024 * 1024;
export const maxPdfPages = 200;

const kind = "assent.pdf-text";

/** The content of a version. Equal for equal facts; canonical JSON, since its members are in the order of their names. */
export const writePdfText = ({ hash, size, pages }: PdfText): string =>
  JSON.stringify({ hash, kind, pages: pages.map(({ height, text, width }) => ({ height, text, width })), size, v: 1 });

/** Undefined when it is not exactly what writePdfText writes. */
export function readPdfText(content: string): PdfText | undefined {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return undefined;
  }
  const { hash, kind: its, pages, size, v } = membersOf(value);
  const isRight =
    its === kind && v === 1 && isHash(hash) && isCount(size) && Array.isArray(pages) && pages.every(isPage);
  if (!isRight || pages.length === 0 || pages.length > maxPdfPages) return undefined;
  const text = { hash, size, pages };
  // Another order, another spelling of a number or one member more would be another text with the same meaning.
  return writePdfText(text) === content ? text : undefined;
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

function isPage(value: unknown): value is PdfTextPage {
  const { width, height, text } = membersOf(value);
  return (
    isSide(width) && isSide(height) && Array.isArray(text) && text.every((one) => typeof one === "string" && one !== "")
  );
}

const isHash = (value: unknown): value is string => typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
const isSide = (value: unknown): value is number => typeof value === "number" && value > 0 && value <= 14_400;

/** What the file says, as HTML with a section for each page: for screen readers, differences and printed evidence. */
export const pdfTextToHtml = ({ pages }: PdfText): string =>
  pages
    .map(({ text }) => `<section>\n${text.map((one) => `<p>${escapeHtml(one)}</p>\n`).join("")}</section>\n`)
    .join("");
