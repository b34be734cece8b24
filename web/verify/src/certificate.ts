import { type Bytes, fromBase64, isSame, utf8Text } from "./bytes.ts";
import { ensure, fail } from "./finding.ts";
import { oids } from "./object-ids.ts";

/** An X.509 certificate (RFC 5280), as far as chains of time-stamping authorities need it. */
export interface Certificate {
  readonly whole: Bytes;
  /** What its issuer has signed. */
  readonly signed: Der;
  readonly algorithm: Der;
  readonly signature: Bytes;
  readonly serial: Bytes;
  /** Names, as they are encoded. */
  readonly issuer: Bytes;
  readonly subject: Bytes;
  /** For people. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly publicKey: Der;
  readonly extensions: ReadonlyMap<string, Extension>;
}

export interface Extension {
  readonly isCritical: boolean;
  readonly value: Der;
}

const pemPattern = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;

/** The certificates in a PEM text. */
export function parseCertificates(pem: string, name: string): Certificate[] {
  const found = [...pem.matchAll(pemPattern)].map(([, body = ""]) => fromBase64(body.replaceAll(/\s/g, ""), name));
  ensure(found.length > 0, `${name} holds no certificate in PEM`);
  return found.map((bytes) => parseCertificate(readDer(bytes, name), name));
}

export function parseCertificate(element: Der, name: string): Certificate {
  const [signed, algorithm, signature, ...others] = sequence(element, name);
  ensure(others.length === 0, `${name} is not a certificate`);
  const fields = sequence(signed, name);
  // Version 3: only it has extensions, which tell what a key is for.
  const [version] = partsOf(requireTag(fields[0], contextTag(0), name), name);
  ensure(smallInteger(version, name) === 2, `${name} is not a certificate of version 3`);
  const [, serial, inner, issuer, validity, subject, publicKey, ...rest] = fields;
  const outer = requireTag(algorithm, tags.sequence, name);
  ensure(isSame(outer.whole, requireTag(inner, tags.sequence, name).whole), `${name} names two signature algorithms`);
  const [notBefore, notAfter] = sequence(validity, name);
  const extensions = rest.find(({ tag }) => tag === contextTag(3));
  return {
    whole: element.whole,
    signed: requireTag(signed, tags.sequence, name),
    algorithm: outer,
    signature: wholeBits(signature, name),
    serial: integer(serial, name),
    issuer: requireTag(issuer, tags.sequence, name).whole,
    subject: requireTag(subject, tags.sequence, name).whole,
    name: nameOf(subject, name),
    notBefore: derTime(notBefore, name),
    notAfter: derTime(notAfter, name),
    publicKey: requireTag(publicKey, tags.sequence, name),
    extensions: extensions === undefined ? new Map() : readExtensions(extensions, name),
  };
}

function readExtensions(element: Der, name: string): ReadonlyMap<string, Extension> {
  const extensions = new Map<string, Extension>();
  const [listed] = partsOf(element, name);
  for (const item of sequence(listed, name)) {
    const [id, ...parts] = sequence(item, name);
    const isCritical = parts.length === 2 && boolean(parts[0], name);
    const key = oid(id, name);
    ensure(!extensions.has(key), `${name} has an extension twice`);
    extensions.set(key, { isCritical, value: readDer(octets(parts.at(-1), name), name) });
  }
  return extensions;
}

/** The common name, or the organization's. */
function nameOf(subject: Der | undefined, name: string): string {
  const attributes = new Map<string, string>();
  for (const set of sequence(subject, name)) {
    for (const attribute of partsOf(set, name)) {
      const [id, value] = sequence(attribute, name);
      if (value !== undefined) attributes.set(oid(id, name), readable(value));
    }
  }
  return attributes.get(oids.commonName) ?? attributes.get(oids.organizationName) ?? "unnamed";
}

const utf8String = 0x0c;

function readable({ tag, content }: Der): string {
  return tag === utf8String ? utf8Text(content, "a name") : String.fromCharCode(...content.slice(0, 200));
}

/** The purposes of a key, and whether that extension is critical; undefined when the certificate does not restrict them. */
export function purposesOf({ extensions }: Certificate): { purposes: string[]; isCritical: boolean } | undefined {
  const extension = extensions.get(oids.extendedKeyUsage);
  if (extension === undefined) return undefined;
  const name = "the purposes of a certificate";
  return { purposes: sequence(extension.value, name).map((id) => oid(id, name)), isCritical: extension.isCritical };
}

/** Extensions that are read here; another one that is critical forbids to use a certificate (RFC 5280 §4.2). */
const understood: readonly string[] = [
  oids.keyUsage,
  oids.basicConstraints,
  oids.extendedKeyUsage,
  // Certificate policies are information for people; they do not make a chain invalid.
  oids.certificatePolicies,
];

export function requireUnderstood({ extensions, name }: Certificate): void {
  for (const [id, { isCritical }] of extensions) {
    if (isCritical && !understood.includes(id))
      fail(`the certificate "${name}" has a restriction (${id}) that is not understood`);
  }
}

const certificateSigning = 5;

/** The path length limit of an authority; undefined for a certificate of no authority. */
export function authorityDepth({ extensions }: Certificate): number | undefined {
  const name = "the basic constraints of a certificate";
  const constraints = extensions.get(oids.basicConstraints)?.value;
  const [isAuthority, depth] = constraints === undefined ? [] : sequence(constraints, name);
  if (isAuthority === undefined || !boolean(isAuthority, name) || !maySign(extensions)) return undefined;
  return depth === undefined ? Number.POSITIVE_INFINITY : smallInteger(depth, name);
}

function maySign(extensions: Certificate["extensions"]): boolean {
  const usage = extensions.get(oids.keyUsage)?.value;
  if (usage === undefined) return true;
  const [, bits = 0] = requireTag(usage, tags.bitString, "the key usage of a certificate").content;
  return ((bits >> (7 - certificateSigning)) & 1) === 1;
}

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

function boolean(element: Der | undefined, name: string): boolean {
  const [value, ...others] = requireTag(element, tags.boolean, name).content;
  ensure((value === 0 || value === 0xff) && others.length === 0, `${name} has a truth value that is not DER`);
  return value === 0xff;
}

export const octets = (element: Der | undefined, name: string): Bytes =>
  requireTag(element, tags.octetString, name).content;

/** A bit string of whole bytes. */
function wholeBits(element: Der | undefined, name: string): Bytes {
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
