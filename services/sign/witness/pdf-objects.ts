/** An object that stands elsewhere in the file. */
export interface Ref {
  readonly ref: number;
}

/** A word that is neither a name nor a number: `obj`, `endobj`, an operator of a page's content. */
export interface Keyword {
  readonly keyword: string;
}

export type PdfDict = ReadonlyMap<string, PdfValue>;

/** Names begin with a slash and texts with a parenthesis, so that neither is taken for the other. */
export type PdfValue = null | boolean | number | string | Ref | Keyword | PdfDict | readonly PdfValue[];

export const isRef = (value: PdfValue | undefined): value is Ref =>
  typeof value === "object" && value !== null && "ref" in value;
export const isKeyword = (value: PdfValue | undefined): value is Keyword =>
  typeof value === "object" && value !== null && "keyword" in value;
export const isDict = (value: PdfValue | undefined): value is PdfDict => value instanceof Map;
export const isArray = (value: PdfValue | undefined): value is readonly PdfValue[] => Array.isArray(value);

/** Reads values one after the other (ISO 32000-2 §7.2 and §7.3). Its methods throw where the file does not follow it. */
export interface ValueReader {
  /** Undefined at the end. */
  next(): PdfValue | undefined;
  position(): number;
}

const maxDepth = 100;
const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x0c || byte === 0;
const delimiters = new Set(Array.from("()<>[]{}/%", (character) => character.charCodeAt(0)));
const isRegular = (byte: number | undefined): boolean => byte !== undefined && !isSpace(byte) && !delimiters.has(byte);

export function readValues(bytes: Buffer, start = 0): ValueReader {
  let at = start;

  const skipSpace = (): void => {
    for (;;) {
      while (isSpace(bytes[at])) at += 1;
      if (bytes[at] !== 0x25) return;
      while (at < bytes.length && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at += 1;
    }
  };
  const word = (): string => {
    const from = at;
    while (isRegular(bytes[at])) at += 1;
    return bytes.toString("latin1", from, at);
  };
  const name = (): string => {
    at += 1;
    return `/${word().replaceAll(/#([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))}`;
  };
  const hexText = (): string => {
    const end = bytes.indexOf(">", at);
    if (end < 0) throw new Error("a text has no end");
    const digits = bytes.toString("latin1", at + 1, end).replaceAll(/[\s\0]/g, "");
    at = end + 1;
    return `(${Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, "hex").toString("latin1")}`;
  };
  const plainText = (): string => {
    let text = "(";
    let depth = 1;
    for (at += 1; depth > 0; at += 1) {
      const byte = bytes[at];
      if (byte === undefined) throw new Error("a text has no end");
      // What escapes stand for does not matter: texts are only compared.
      if (byte === 0x5c) {
        text += bytes.toString("latin1", at, at + 2);
        at += 1;
        continue;
      }
      if (byte === 0x28) depth += 1;
      if (byte === 0x29) depth -= 1;
      if (depth > 0) text += String.fromCharCode(byte);
    }
    return text;
  };
  const until = (end: string, depth: number): PdfValue[] => {
    const found: PdfValue[] = [];
    for (;;) {
      skipSpace();
      if (bytes.toString("latin1", at, at + end.length) === end) {
        at += end.length;
        return found;
      }
      const value = read(depth + 1);
      if (value === undefined) throw new Error("an array or a dictionary has no end");
      found.push(value);
    }
  };
  const dictionary = (depth: number): PdfDict => {
    at += 2;
    const parts = until(">>", depth);
    const entries = new Map<string, PdfValue>();
    for (let index = 0; index < parts.length; index += 2) {
      const key = parts[index];
      const value = parts[index + 1];
      if (typeof key !== "string" || !key.startsWith("/") || value === undefined || entries.has(key)) {
        throw new Error("a dictionary is not one");
      }
      // An entry that is null is none (§7.3.7).
      if (value !== null) entries.set(key, value);
    }
    return entries;
  };
  const numberOrRef = (text: string): PdfValue => {
    const number = Number(text);
    if (Number.isNaN(number)) throw new Error("a number is none");
    if (!/^\d{1,10}$/.test(text)) return number;
    const rest = /^[\s\0]{1,10}\d{1,5}[\s\0]{1,10}R(?![^\s\0()<>[\]{}/%])/.exec(bytes.toString("latin1", at, at + 30));
    if (rest === null) return number;
    at += rest[0].length;
    return { ref: number };
  };
  const read = (depth: number): PdfValue | undefined => {
    if (depth > maxDepth) throw new Error("it is nested too deeply");
    skipSpace();
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    if (byte === 0x2f) return name();
    if (byte === 0x28) return plainText();
    if (byte === 0x3c) return bytes[at + 1] === 0x3c ? dictionary(depth) : hexText();
    if (byte === 0x5b) {
      at += 1;
      return until("]", depth);
    }
    const text = word();
    if (text === "") throw new Error("something stands where nothing may");
    if (/^[+-]?(?:\d|\.\d)/.test(text)) return numberOrRef(text);
    if (text === "true" || text === "false") return text === "true";
    return text === "null" ? null : { keyword: text };
  };
  return { next: () => read(0), position: () => at };
}
