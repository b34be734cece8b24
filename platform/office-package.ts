import { crc32, inflateRawSync } from "node:zlib";
import { type Zippable, zipSync } from "fflate";

/** The media type of Word files. */
export const wordType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/** Why a file is refused, as a sentence for whoever sent it. Quotes nothing from the file. */
export class FileProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FileProblem";
  }
}

const damaged = (): FileProblem => new FileProblem("The file is damaged. Save it again and retry.");
const tooMuch = (what: string): FileProblem => new FileProblem(`The file has ${what}. Send a smaller one.`);

/** Parts of a package by their names. */
export type Parts = Map<string, Buffer>;

/** Of a package; large ones have some hundred parts. */
const maxEntries = 5_000;
/** Of all parts that are kept, unpacked. */
const maxBytes = 128 * 1024 * 1024;
/** Of one part of XML, unpacked: readers take many times as much memory. */
const maxXmlBytes = 48 * 1024 * 1024;
/** Parts above this size may be at most so many times as large as they are packed. Office files come to 60. */
const ratioFrom = 4 * 1024 * 1024;
const maxRatio = 250;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
}

/**
 * Unpacks the parts that are wanted. Follows the central directory alone and believes none of its numbers: what the
 * caller gets is bounded whatever the archive says. Throws a FileProblem.
 */
export function readPackage(bytes: Buffer, isWanted: (name: string) => boolean): Parts {
  const parts: Parts = new Map();
  let total = 0;
  for (const entry of entriesOf(bytes)) {
    if (!isWanted(entry.name)) continue;
    if (parts.has(entry.name)) throw damaged();
    total += entry.size;
    if (total > maxBytes) throw tooMuch(`more than ${maxBytes / 1024 / 1024} MB when it is unpacked`);
    if (isXml(entry.name) && entry.size > maxXmlBytes) throw tooMuch("too much text");
    if (entry.size > ratioFrom && entry.size > entry.packed * maxRatio)
      throw tooMuch("parts that are packed too tightly");
    parts.set(entry.name, unpack(bytes, entry));
  }
  return parts;
}

export const isXml = (name: string): boolean => /\.(?:xml|rels|vml)$/i.test(name);

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endSize = 22;

function entriesOf(bytes: Buffer): Entry[] {
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  if (count > maxEntries) throw tooMuch(`more than ${maxEntries.toLocaleString("en")} parts`);
  return Array.from({ length: count }, () => {
    if (at + 46 > end || bytes.readUInt32LE(at) !== entrySignature) throw damaged();
    const nameLength = bytes.readUInt16LE(at + 28);
    const next = at + 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    if (next > end) throw damaged();
    if ((bytes.readUInt16LE(at + 8) & 1) !== 0) throw encrypted();
    const entry = {
      name: bytes.toString("utf8", at + 46, at + 46 + nameLength),
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      at: bytes.readUInt32LE(at + 42),
    };
    at = next;
    return entry;
  });
}

export const encrypted = (): FileProblem => new FileProblem("The file is encrypted. Remove its password and retry.");

/** The record at the end of an archive, which a comment of at most 64 KiB may follow. */
function findEnd(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - endSize - 0xffff);
  for (let at = bytes.length - endSize; at >= first; at -= 1) {
    if (bytes.readUInt32LE(at) === endSignature && at + endSize + bytes.readUInt16LE(at + 20) === bytes.length)
      return at;
  }
  throw damaged();
}

function unpack(bytes: Buffer, { at, method, packed, size, crc }: Entry): Buffer {
  if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== localSignature) throw damaged();
  const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const data = bytes.subarray(start, start + packed);
  if (data.length !== packed) throw damaged();
  const content = method === 0 ? data : method === 8 ? inflated(data, size) : undefined;
  if (content === undefined || content.length !== size || crc32(content) !== crc) throw damaged();
  return content;
}

function inflated(data: Buffer, size: number): Buffer {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, size) });
  } catch {
    throw damaged();
  }
}

/** The parts as a package, which every reader reads alike. */
export function writePackage(parts: Parts): Uint8Array {
  const entries = Array.from(parts, ([name, bytes]): [string, Zippable[string]] => [
    name,
    // The type of an OpenDocument package stands first, and as it is.
    [bytes, { level: name === "mimetype" ? 0 : 1, mtime: "1980-01-01T00:00:00" }],
  ]);
  entries.sort(([one], [other]) => Number(other === "mimetype") - Number(one === "mimetype"));
  return zipSync(Object.fromEntries(entries));
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The value of an attribute, as a reader of XML has it. */
export const decoded = (value: string): string => decodedText(value).trim();

/** Text as a reader of XML has it. */
export const decodedText = (text: string): string =>
  text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return named[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });

/**
 * A part as text. Throws a FileProblem for one that declares entities, which Office never writes: they can make a
 * megabyte of a line, or read other files. Encodings that could hide them are refused as well.
 */
export function textOf(part: Buffer): string {
  const isWide = (part[0] === 0xff && part[1] === 0xfe) || (part[0] === 0xfe && part[1] === 0xff);
  const text = isWide ? new TextDecoder(part[0] === 0xff ? "utf-16le" : "utf-16be").decode(part) : utf8(part);
  const declared = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']/.exec(text)?.[1]?.toLowerCase() ?? "utf-8";
  if (!/^(?:utf-?8|us-ascii|ascii|utf-16(?:le|be)?)$/.test(declared)) throw new FileProblem(oddEncoding);
  // Of UTF-16 that does not say so.
  if (text.includes("\0")) throw new FileProblem(oddEncoding);
  if (/<!DOCTYPE|<!ENTITY/i.test(text)) {
    throw new FileProblem("The file declares XML entities, which may read other files. Save it again and retry.");
  }
  // Written back as UTF-8.
  return plainXml(isWide ? text.replace(/^(\s*<\?xml[^>]*?encoding\s*=\s*["'])[^"']*/, "$1UTF-8") : text);
}

/** Without comments, instructions and sections of text as it is: after this, every tag is one. Linear in the text. */
function plainXml(text: string): string {
  const kept: string[] = [];
  let from = 0;
  const opening = /<!\[CDATA\[|<!--|<\?(?!xml\s)/g;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const closing = match[0] === "<!--" ? "-->" : match[0] === "<?" ? "?>" : "]]>";
    const end = text.indexOf(closing, opening.lastIndex);
    if (end === -1) throw damaged();
    kept.push(text.slice(from, match.index));
    if (closing === "]]>") kept.push(escaped(text.slice(opening.lastIndex, end)));
    from = end + closing.length;
    opening.lastIndex = from;
  }
  return from === 0 ? text : kept.join("") + text.slice(from);
}

const escaped = (plain: string): string =>
  plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const oddEncoding = "The file has texts in an unusual encoding. Save it again and retry.";

function utf8(part: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(part);
  } catch {
    throw damaged();
  }
}
