import { DomainError, type ErrorCode } from "#platform/errors.ts";
import { decodeBase64 } from "../http/base64.ts";
import { parseJson } from "../http/parse-body.ts";
import { type DocumentFile, fileOf } from "./document-file.ts";

/** How the errors are named that bodies with documents have. */
export interface BodyCodes {
  readonly malformed: ErrorCode;
  readonly tooLarge: ErrorCode;
}

/** What may stand around the documents: parsing, checking and copying that holds the event loop up. */
export const maxOtherBytes = 2 * 1024 * 1024;

/** Texts beyond this may be documents; what stands in shorter ones and between them is what has to be bounded. */
const longTextBytes = 4_096;

/**
 * Parses JSON and takes the documents out of it: in place of each `documentBase64` stands the index of its file. Throws
 * for what parseJson throws, and for more than 2 MiB besides the documents.
 */
export function readJson(
  bytes: Buffer,
  files: DocumentFile[],
  { codes, lineBreaks }: { readonly codes: BodyCodes; readonly lineBreaks: boolean },
): unknown {
  if (!isMostlyLongTexts(bytes)) throw tooMuchElse(codes);
  const value = parseJson(bytes, codes.malformed);
  takeFiles(value, (text) => {
    files.push(fileOf(text === "" ? "missing" : (decodeBase64(text, lineBreaks) ?? "invalid-base64")));
    return String(files.length - 1);
  });
  return value;
}

export const tooMuchElse = ({ tooLarge }: BodyCodes): DomainError =>
  new DomainError(tooLarge, { message: `The body has more than ${maxOtherBytes} bytes besides its documents.` });

/** Integrations of other languages write names with a capital letter. */
const names = ["documentBase64", "DocumentBase64"] as const;

function takeFiles(value: unknown, take: (text: string) => string): void {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) {
    const record = value as Record<string, unknown>;
    for (const name of names) {
      const text = Object.hasOwn(record, name) ? record[name] : undefined;
      if (typeof text === "string") record[name] = take(text);
    }
  }
  for (const child of Object.values(value)) takeFiles(child, take);
}

const quote = 0x22;
const backslash = 0x5c;

/** Looks at the quotes only, so it takes time that grows with the length of the body. */
function isMostlyLongTexts(bytes: Buffer): boolean {
  if (bytes.length <= maxOtherBytes) return true;
  let outside = 0;
  let at = 0;
  while (outside <= maxOtherBytes) {
    const open = bytes.indexOf(quote, at);
    const close = open < 0 ? -1 : closingQuote(bytes, open + 1);
    if (close < 0) return outside + bytes.length - at <= maxOtherBytes;
    const length = close - open + 1;
    outside += open - at + (length > longTextBytes ? 0 : length);
    at = close + 1;
  }
  return false;
}

function closingQuote(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(quote, from); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    let escapes = 0;
    while (at - escapes > from && bytes[at - escapes - 1] === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}
