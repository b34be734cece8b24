import {
  PDFArray,
  PDFBool,
  PDFCatalog,
  type PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNull,
  PDFNumber,
  type PDFObject,
  PDFPageLeaf,
  PDFPageTree,
  PDFRawStream,
  PDFRef,
  PDFString,
} from "pdf-lib";
import { maxObjectDepth, PdfProblem } from "../pdf-limits.ts";

export interface ParserOptions {
  /** Refuses syntax that two readers may interpret differently. */
  readonly isStrict: boolean;
  /** The length of a stream whose length is another object; undefined when it cannot be determined. */
  readonly lengthOf?: (reference: PDFRef) => number | undefined;
}

/**
 * Parses objects at given offsets only; finding them is left to the cross-reference. Stream bytes are not
 * copied. Throws on anything that is not an object.
 */
export class ObjectParser {
  at: number;
  readonly #bytes: Buffer;
  readonly #context: PDFContext;
  readonly #options: ParserOptions;

  constructor(bytes: Buffer, context: PDFContext, options: ParserOptions, at = 0) {
    this.#bytes = bytes;
    this.#context = context;
    this.#options = options;
    this.at = at;
  }

  /** Parses an indirect object up to its `endobj`. */
  indirectObject(): { readonly number: number; readonly generation: number; readonly object: PDFObject } {
    if (!this.#options.isStrict) this.skipBlanks();
    const number = this.integer();
    this.skipBlanks();
    const generation = this.integer();
    this.skipBlanks();
    this.expectWord("obj");
    const object = this.object(true);
    this.skipBlanks();
    if (!this.word("endobj") && this.#options.isStrict) throw new Error("an object does not end");
    return { number, generation, object };
  }

  object(mayBeStream = false, depth = 0): PDFObject {
    if (depth > maxObjectDepth) throw new PdfProblem("The objects of the PDF are nested too deeply.");
    this.skipBlanks();
    const byte = this.#bytes[this.at];
    switch (byte) {
      case 0x3c: // <
        if (this.#bytes[this.at + 1] !== 0x3c) return this.#hexadecimal();
        return this.#dictionaryOrStream(mayBeStream, depth);
      case 0x28: // (
        return this.#string();
      case 0x2f: // /
        return this.#name();
      case 0x5b: // [
        return this.#array(depth);
    }
    if (isOfNumber(byte)) return this.#numberOrReference();
    if (this.word("true")) return PDFBool.True;
    if (this.word("false")) return PDFBool.False;
    if (this.word("null")) return PDFNull;
    throw new Error("there is no object");
  }

  /** Skips white space and comments. */
  skipBlanks(): void {
    const bytes = this.#bytes;
    for (;;) {
      const byte = bytes[this.at];
      if (isBlank(byte)) this.at += 1;
      else if (byte === 0x25) {
        while (this.at < bytes.length && bytes[this.at] !== 10 && bytes[this.at] !== 13) this.at += 1;
      } else return;
    }
  }

  integer(): number {
    const start = this.at;
    let value = 0;
    for (let byte = this.#bytes[start]; isDigit(byte); byte = this.#bytes[this.at]) {
      value = value * 10 + (byte as number) - 0x30;
      this.at += 1;
    }
    if (this.at === start || this.at - start > 15) throw new Error("there is no number");
    return value;
  }

  /** Advances past the word if it comes next. */
  word(word: string): boolean {
    const end = this.at + word.length;
    if (!this.#startsWith(word) || isRegular(this.#bytes[end])) return false;
    this.at = end;
    return true;
  }

  expectWord(word: string): void {
    if (!this.word(word)) {
      // Some programs write no space between `obj` and a number.
      if (this.#options.isStrict || !this.#startsWith(word)) throw new Error(`there is no ${word}`);
      this.at += word.length;
    }
  }

  #startsWith(word: string): boolean {
    for (let index = 0; index < word.length; index += 1) {
      if (this.#bytes[this.at + index] !== word.charCodeAt(index)) return false;
    }
    return true;
  }

  #numberOrReference(): PDFNumber | PDFRef {
    const first = this.#number();
    const after = this.at;
    if (Number.isInteger(first) && first >= 0 && isBlank(this.#bytes[after])) {
      this.skipBlanks();
      if (isDigit(this.#bytes[this.at]) && this.at - after < 100) {
        const generation = this.#number();
        this.skipBlanks();
        if (Number.isInteger(generation) && generation <= 65_535 && this.word("R")) return PDFRef.of(first, generation);
      }
    }
    this.at = after;
    return PDFNumber.of(first);
  }

  #number(): number {
    const start = this.at;
    let value = 0;
    for (let byte = this.#bytes[start]; isDigit(byte); byte = this.#bytes[this.at]) {
      value = value * 10 + (byte as number) - 0x30;
      this.at += 1;
    }
    if (this.at > start && this.at - start <= 15 && !isOfNumber(this.#bytes[this.at])) return value;
    while (isOfNumber(this.#bytes[this.at])) this.at += 1;
    const text = this.#bytes.toString("latin1", start, this.at);
    if (/^[+-]?(?:\d{1,400}\.?\d{0,400}|\.\d{1,400})$/.test(text)) return bounded(Number(text));
    if (this.#options.isStrict) throw new Error("there is no number");
    // Parses numbers like pdf.js: inner signs and everything after a second dot are ignored.
    const digits = /^[+-]*(\d{0,400})(?:\.([\d-]{0,400}))?/.exec(text);
    const size = Number(`${digits?.[1] || "0"}.${digits?.[2]?.replaceAll("-", "") || "0"}`);
    return bounded(text.startsWith("-") ? -size : size);
  }

  #hexadecimal(): PDFHexString {
    const end = this.#bytes.indexOf(0x3e, this.at);
    if (end < 0) throw new Error("a text does not end");
    const text = this.#bytes.toString("latin1", this.at + 1, end);
    this.at = end + 1;
    if (/^[\da-fA-F]*$/.test(text)) return PDFHexString.of(text);
    if (this.#options.isStrict && /[^\da-fA-F\s\0]/.test(text)) throw new Error("a text is not hexadecimal");
    return PDFHexString.of(text.replaceAll(/[^\da-fA-F]/g, ""));
  }

  #string(): PDFString {
    const bytes = this.#bytes;
    const start = this.at + 1;
    let open = 1;
    for (this.at = start; this.at < bytes.length; this.at += 1) {
      const byte = bytes[this.at];
      if (byte === 0x5c) this.at += 1;
      else if (byte === 0x28) open += 1;
      else if (byte === 0x29) {
        open -= 1;
        if (open > 0) continue;
        const text = bytes.toString("latin1", start, this.at);
        this.at += 1;
        return PDFString.of(text);
      }
    }
    throw new Error("a text does not end");
  }

  #name(): PDFName {
    const start = this.at + 1;
    this.at = start;
    while (isRegular(this.#bytes[this.at])) this.at += 1;
    const name = this.#bytes.toString("latin1", start, this.at);
    if (!name.includes("#")) return PDFName.of(name);
    const decoded = name.replaceAll(/#([\da-fA-F]{2})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    // pdf-lib would decode the name a second time.
    if (this.#options.isStrict && decoded.includes("#")) throw new Error("a name can be read in two ways");
    return PDFName.of(decoded);
  }

  #array(depth: number): PDFArray {
    this.at += 1;
    const array = PDFArray.withContext(this.#context);
    for (;;) {
      this.skipBlanks();
      if (this.#bytes[this.at] === 0x5d) break;
      array.push(this.object(false, depth + 1));
    }
    this.at += 1;
    return array;
  }

  #dictionaryOrStream(mayBeStream: boolean, depth: number): PDFDict | PDFRawStream {
    const dictionary = this.#dictionary(depth);
    const after = this.at;
    this.skipBlanks();
    if (mayBeStream && this.#startsWith("stream")) {
      return PDFRawStream.of(dictionary, this.#streamBytes(dictionary));
    }
    this.at = after;
    return dictionary;
  }

  #dictionary(depth: number): PDFDict {
    this.at += 2;
    const entries = new Map<PDFName, PDFObject>();
    for (;;) {
      this.skipBlanks();
      const byte = this.#bytes[this.at];
      if (byte === 0x3e && this.#bytes[this.at + 1] === 0x3e) break;
      if (byte !== 0x2f) throw new Error("a dictionary has a key that is no name");
      const key = this.#name();
      if (this.#options.isStrict && entries.has(key)) throw new Error("a dictionary says something twice");
      this.skipBlanks();
      const from = this.at;
      const value = this.object(false, depth + 1);
      if (key === contents && value instanceof PDFHexString && this.#options.isStrict) {
        places.set(value, { bytes: this.#bytes, from, to: this.at });
      }
      entries.set(key, value);
    }
    this.at += 2;
    return dictionaryOf(entries, this.#context);
  }

  /** The bytes of a stream; continues after its `endstream`. */
  #streamBytes(dictionary: PDFDict): Buffer {
    const bytes = this.#bytes;
    this.at += 6;
    if (bytes[this.at] === 13 && bytes[this.at + 1] === 10) this.at += 2;
    else if (bytes[this.at] === 10 || (!this.#options.isStrict && bytes[this.at] === 13)) this.at += 1;
    else if (this.#options.isStrict) throw new Error("a stream begins at no line");
    const start = this.at;
    const said = dictionary.get(PDFName.Length);
    const length = said instanceof PDFRef ? this.#options.lengthOf?.(said) : numberOf(said);
    if (length !== undefined && Number.isSafeInteger(length) && length >= 0 && start + length <= bytes.length) {
      this.at = start + length;
      while (isBlank(bytes[this.at])) this.at += 1;
      const blanks = this.at - start - length;
      if (this.word("endstream") && (!this.#options.isStrict || blanks <= 2)) {
        return bytes.subarray(start, start + length);
      }
    }
    if (this.#options.isStrict) throw new Error("a stream has another length than it says");
    const end = bytes.indexOf("endstream", start);
    if (end < 0) throw new Error("a stream does not end");
    this.at = end + 9;
    const isLineEnd = (at: number) => bytes[at] === 10 || bytes[at] === 13;
    const line = bytes[end - 1] === 10 && bytes[end - 2] === 13 ? 2 : isLineEnd(end - 1) ? 1 : 0;
    return bytes.subarray(start, Math.max(start, end - line));
  }
}

const numberOf = (value: PDFObject | undefined): number | undefined =>
  value instanceof PDFNumber ? value.asNumber() : undefined;

/** No reader supports larger numbers. */
const bounded = (value: number): number => Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value));

function dictionaryOf(entries: Map<PDFName, PDFObject>, context: PDFContext): PDFDict {
  switch (entries.get(PDFName.Type)) {
    case catalog:
      return PDFCatalog.fromMapWithContext(entries, context);
    case pages:
      return PDFPageTree.fromMapWithContext(entries, context);
    case PDFName.Page:
      return PDFPageLeaf.fromMapWithContext(entries, context);
    default:
      return PDFDict.fromMapWithContext(entries, context);
  }
}

/** The position of a dictionary's hexadecimal `Contents`, angle brackets included. */
export interface ContentsPlace {
  /** The file, or an unpacked object stream. */
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

const places = new WeakMap<PDFHexString, ContentsPlace>();

/** Only known when the file was read in strict mode. */
export const placeOfContents = (text: PDFHexString): ContentsPlace | undefined => places.get(text);

const contents = PDFName.of("Contents");
const catalog = PDFName.of("Catalog");
const pages = PDFName.of("Pages");

const isBlank = (byte: number | undefined): boolean => kinds[byte ?? 256] === 1;

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

const isOfNumber = (byte: number | undefined): boolean =>
  isDigit(byte) || byte === 0x2b || byte === 0x2d || byte === 0x2e;

/** A character of names and keywords. */
const isRegular = (byte: number | undefined): boolean => kinds[byte ?? 256] === 0;

/** Per byte: 1 for white space, 2 for delimiters and the end of the file. */
const kinds = Uint8Array.from({ length: 257 }, (_, byte) => {
  if ([0, 9, 10, 12, 13, 32].includes(byte)) return 1;
  return byte === 256 || "()<>[]{}/%".includes(String.fromCharCode(byte)) ? 2 : 0;
});
