import type { Bytes } from "./bytes.ts";
import { ensure, fail } from "./finding.ts";

/** An element of DER (ITU-T X.690), with definite lengths in their shortest form and tags of one byte only. */
export interface Der {
  readonly tag: number;
  readonly content: Bytes;
  /** With tag and length. */
  readonly whole: Bytes;
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The tag of a constructed `[n]`. */
export const contextTag = (n: number): number => 0xa0 + n;
/** The tag of a primitive `[n]`. */
export const primitiveTag = (n: number): number => 0x80 + n;

/** Reads exactly one element. */
export function readDer(bytes: Bytes, name: string): Der {
  const [element, ...others] = readAll(bytes, name);
  return element !== undefined && others.length === 0 ? element : fail(`${name} is not one DER element`);
}

/** The elements that a constructed one consists of. */
export const partsOf = ({ content }: Der, name: string): Der[] => readAll(content, name);

/** The elements of a SEQUENCE. */
export const sequence = (element: Der | undefined, name: string): Der[] =>
  partsOf(requireTag(element, tags.sequence, name), name);

export function requireTag(element: Der | undefined, tag: number, name: string): Der {
  return element?.tag === tag ? element : fail(`${name} is not as its standard wants it`);
}

function readAll(bytes: Bytes, name: string): Der[] {
  const elements: Der[] = [];
  for (let start = 0; start < bytes.length; ) {
    const element = readOne(bytes.subarray(start), name);
    elements.push(element);
    start += element.whole.length;
  }
  return elements;
}

function readOne(bytes: Bytes, name: string): Der {
  const [tag = 0, first = 0x80] = bytes;
  ensure((tag & 0x1f) !== 0x1f && first !== 0x80, `${name} is not DER`);
  if (first < 0x80) return slice(bytes, tag, 2, first, name);
  const lengthBytes = first & 0x7f;
  const digits = bytes.subarray(2, 2 + lengthBytes);
  ensure(lengthBytes <= 4 && digits.length === lengthBytes && digits[0] !== 0, `${name} is not DER`);
  const length = digits.reduce((value, digit) => value * 256 + digit, 0);
  ensure(length >= 0x80, `${name} is not DER`);
  return slice(bytes, tag, 2 + lengthBytes, length, name);
}

function slice(bytes: Bytes, tag: number, headerBytes: number, length: number, name: string): Der {
  const end = headerBytes + length;
  ensure(bytes.length >= end, `${name} ends too early`);
  return { tag, content: bytes.subarray(headerBytes, end), whole: bytes.subarray(0, end) };
}

/** An object identifier in dotted form. */
export function oid(element: Der | undefined, name: string): string {
  const { content } = requireTag(element, tags.oid, name);
  const numbers: number[] = [];
  let value = 0;
  for (const [index, byte] of content.entries()) {
    ensure(!(value === 0 && byte === 0x80) && value < 2 ** 40, `${name} has an object identifier that is not DER`);
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) !== 0) {
      ensure(index < content.length - 1, `${name} has an object identifier that is cut off`);
      continue;
    }
    numbers.push(value);
    value = 0;
  }
  const [first = fail(`${name} has an empty object identifier`), ...rest] = numbers;
  const root = Math.min(Math.floor(first / 40), 2);
  return [root, first - root * 40, ...rest].join(".");
}

/** The bytes of a number, in their shortest form. */
export function integer(element: Der | undefined, name: string): Bytes {
  const { content } = requireTag(element, tags.integer, name);
  const [first, second = 0] = content;
  const isPadded = content.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
  ensure(first !== undefined && !isPadded, `${name} has a number that is not DER`);
  return content;
}

/** A number that is not negative and small. */
export function smallInteger(element: Der | undefined, name: string): number {
  const bytes = integer(element, name);
  ensure(bytes.length <= 5 && (bytes[0] ?? 0) < 0x80, `${name} has a number out of range`);
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

export function boolean(element: Der | undefined, name: string): boolean {
  const [value, ...others] = requireTag(element, tags.boolean, name).content;
  ensure((value === 0 || value === 0xff) && others.length === 0, `${name} has a truth value that is not DER`);
  return value === 0xff;
}

export const octets = (element: Der | undefined, name: string): Bytes =>
  requireTag(element, tags.octetString, name).content;

/** A bit string of whole bytes. */
export function wholeBits(element: Der | undefined, name: string): Bytes {
  const { content } = requireTag(element, tags.bitString, name);
  ensure(content[0] === 0, `${name} has a bit string that is not of whole bytes`);
  return content.subarray(1);
}

const timePattern = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d*[1-9]))?Z$/;

/** A time in UTC, in milliseconds since 1970. */
export function derTime(element: Der | undefined, name: string): number {
  const isShort = element?.tag === tags.utcTime;
  ensure(isShort || element?.tag === tags.generalizedTime, `${name} has no time where one belongs`);
  const { content } = requireTag(element, element?.tag ?? 0, name);
  ensure(content.length <= 40, `${name} has a time that is not DER`);
  const characters = String.fromCharCode(...content);
  // RFC 5280 §4.1.2.5.1: two digits mean 1950 to 2049.
  const century = characters.slice(0, 2) < "50" ? "20" : "19";
  const [, year, month, day, hour, minute, second, fraction = "0"] =
    timePattern.exec(isShort ? century + characters : characters) ?? fail(`${name} has a time that is not DER`);
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, "0").slice(0, 3)}Z`;
  const ms = Date.parse(iso);
  ensure(!Number.isNaN(ms) && new Date(ms).toISOString() === iso, `${name} has a time that does not exist`);
  return ms;
}
