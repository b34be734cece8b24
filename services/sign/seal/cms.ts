import { hash } from "node:crypto";
import type { SealAlgorithm, SealSigner } from "./seal-signer.ts";

/** An ASN.1 element (ITU-T X.690). */
export interface Element {
  /** Its first byte: class, form and number. */
  readonly tag: number;
  /** The complete element. */
  readonly bytes: Buffer;
  /** Its content, without the end marker of an indefinite length. */
  readonly content: Buffer;
}

export const tags = {
  integer: 0x02,
  octets: 0x04,
  null: 0x05,
  identifier: 0x06,
  sequence: 0x30,
  set: 0x31,
  /** Context-specific, constructed. */
  context0: 0xa0,
  context1: 0xa1,
} as const;

/**
 * Reads the first element and ignores what follows. Throws when there is none. Accepts indefinite lengths
 * (X.690 §8.1.3.6), which other signers use.
 */
export function readElement(bytes: Buffer): Element {
  const { contentStart, contentEnd, end } = extentAt(bytes, 0, 0);
  return {
    tag: bytes.readUInt8(0),
    bytes: bytes.subarray(0, end),
    content: bytes.subarray(contentStart, contentEnd),
  };
}

/** The elements inside a constructed one. */
export function elementsIn({ content }: Element): Element[] {
  const found: Element[] = [];
  for (let rest = content; rest.length > 0; ) {
    if (found.length === maxElements) throw new Error("it has too many elements");
    const element = readElement(rest);
    found.push(element);
    rest = rest.subarray(element.bytes.length);
  }
  return found;
}

/** DER encoding of an element. */
export function encode(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([headOf(tag, length), ...parts]);
}

/** DER encoding of an object identifier. */
export function encodeIdentifier(identifier: string): Buffer {
  const [first = 0, second = 0, ...others] = identifier.split(".").map(Number);
  return encode(tags.identifier, Buffer.from([first * 40 + second, ...others].flatMap(base128)));
}

/** Far more than any real signature needs; anything deeper or larger is not honest. */
const maxDepth = 32;
const maxElements = 1_000;

interface Extent {
  readonly contentStart: number;
  readonly contentEnd: number;
  readonly end: number;
}

function extentAt(bytes: Buffer, at: number, depth: number): Extent {
  // Tag numbers above 30 take several bytes and do not occur in what is read here.
  if ((bytes.readUInt8(at) & 0x1f) === 0x1f) throw new Error("it has a tag of several bytes");
  const form = bytes.readUInt8(at + 1);
  if (form === 0x80) return endlessAt(bytes, at, depth);
  const lengthBytes = form < 0x80 ? 0 : form - 0x80;
  if (lengthBytes > 4) throw new Error("it is too long");
  const contentStart = at + 2 + lengthBytes;
  const length = lengthBytes === 0 ? form : bytes.readUIntBE(at + 2, lengthBytes);
  const end = contentStart + length;
  if (end > bytes.length) throw new Error("it is cut off");
  return { contentStart, contentEnd: end, end };
}

/** An indefinite length ends with two zeros where an element could begin. */
function endlessAt(bytes: Buffer, start: number, depth: number): Extent {
  const isConstructed = (bytes.readUInt8(start) & 0x20) !== 0;
  if (!isConstructed || depth === maxDepth) throw new Error("its end cannot be found");
  const contentStart = start + 2;
  let at = contentStart;
  while (bytes.readUInt16BE(at) !== 0) at = extentAt(bytes, at, depth + 1).end;
  return { contentStart, contentEnd: at, end: at + 2 };
}

function headOf(tag: number, length: number): Buffer {
  if (length < 0x80) return Buffer.from([tag, length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([tag, 0x80 + bytes.length, ...bytes]);
}

/** Seven bits per byte; all but the last have the high bit set (X.690 §8.19.2). */
function base128(number: number): number[] {
  const digits = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift((rest % 128) + 128);
  return digits;
}

/** Object identifiers of RFC 5652, RFC 5035, RFC 5754, RFC 5758 and RFC 3161. */
export const oid = {
  data: "1.2.840.113549.1.7.1",
  signedData: "1.2.840.113549.1.7.2",
  contentType: "1.2.840.113549.1.9.3",
  messageDigest: "1.2.840.113549.1.9.4",
  signingTime: "1.2.840.113549.1.9.5",
  signingCertificateV2: "1.2.840.113549.1.9.16.2.47",
  timestampToken: "1.2.840.113549.1.9.16.2.14",
  sha256: "2.16.840.1.101.3.4.2.1",
} as const;

/** Gets a timestamp token (DER) for these bytes. */
export type Stamp = (bytes: Uint8Array) => Promise<Uint8Array>;

/**
 * A detached CMS signature over a SHA-256 hash for PAdES B-B (ETSI EN 319 142-1 §5.3, EN 319 122-1): it signs
 * content type, message digest and signing certificate, but no signing time. With a stamp it also carries a
 * timestamp token, which makes it B-T. Encoded by hand: a general library takes fifty times as long, more than
 * everything else in sealing.
 */
export async function signDetached(digest: Uint8Array, signer: SealSigner, stamp?: Stamp): Promise<Uint8Array> {
  const attributes = signedAttributes(digest, signer);
  // The signature covers the set itself, not the tag it has inside the signer info (RFC 5652 §5.4).
  const signature = await signer.sign(encode(tags.set, ...attributes));
  const token = await stamp?.(signature);
  const info = encode(
    ...[tags.sequence, version1, issuerAndSerial(signer.certificate), sha256Identifier()],
    encode(tags.context0, ...attributes),
    ...[signatureIdentifiers[signer.algorithm](), encode(tags.octets, signature)],
    ...(token === undefined ? [] : [encode(tags.context1, attribute(oid.timestampToken, onlyElement(token)))]),
  );
  const signed = encode(
    ...[tags.sequence, version1, encode(tags.set, sha256Identifier())],
    encode(tags.sequence, encodeIdentifier(oid.data)),
    encode(tags.context0, signer.certificate, ...signer.chain),
    encode(tags.set, info),
  );
  return encode(tags.sequence, encodeIdentifier(oid.signedData), encode(tags.context0, signed));
}

const version1 = encode(tags.integer, Buffer.of(1));

const attribute = (type: string, value: Uint8Array): Buffer =>
  encode(tags.sequence, encodeIdentifier(type), encode(tags.set, value));

/** Sorted as DER requires for sets (X.690 §11.6). */
const signedAttributes = (digest: Uint8Array, { certificate }: SealSigner): Buffer[] =>
  [
    attribute(oid.contentType, encodeIdentifier(oid.data)),
    attribute(oid.messageDigest, encode(tags.octets, digest)),
    attribute(oid.signingCertificateV2, signingCertificate(certificate)),
  ].sort(Buffer.compare);

/** SigningCertificateV2 (RFC 5035 §3): with the default algorithm SHA-256 only the hash is encoded. */
const signingCertificate = (certificate: Uint8Array): Buffer => {
  const certificateHash = encode(tags.octets, hash("sha256", certificate, "buffer"));
  return encode(tags.sequence, encode(tags.sequence, encode(tags.sequence, certificateHash)));
};

/** Copied byte for byte from the certificate, so that comparisons match. */
function issuerAndSerial(certificate: Uint8Array): Buffer {
  const { serial, issuer } = namesOf(readElement(Buffer.from(certificate)));
  return encode(tags.sequence, issuer.bytes, serial.bytes);
}

/** The issuer and serial number of an X.509 certificate (RFC 5280 §4.1). Throws when it is not one. */
export function namesOf(certificate: Element): { readonly serial: Element; readonly issuer: Element } {
  const [body] = elementsIn(certificate);
  const members = body === undefined ? [] : elementsIn(body);
  const [serial, , issuer] = members[0]?.tag === tags.context0 ? members.slice(1) : members;
  if (serial?.tag !== tags.integer || issuer?.tag !== tags.sequence) throw new Error("it is no certificate");
  return { serial, issuer };
}

/** Nothing may follow it, because it would be read as something else. */
function onlyElement(token: Uint8Array): Buffer {
  const { bytes } = readElement(Buffer.from(token));
  if (bytes.length !== token.length) throw new Error("the time stamp is not one element");
  return bytes;
}

const algorithm = (identifier: string, ...parameters: readonly Buffer[]): Buffer =>
  encode(tags.sequence, encodeIdentifier(identifier), ...parameters);

const nothing = encode(tags.null);

const sha256Identifier = (): Buffer => algorithm(oid.sha256, nothing);

/** RFC 5758 §3.2 requires no parameters for ECDSA, RFC 5754 §3.2 requires NULL for RSA. */
const signatureIdentifiers: Readonly<Record<SealAlgorithm, () => Buffer>> = {
  "ecdsa-sha256": () => algorithm("1.2.840.10045.4.3.2"),
  "rsa-sha256": () => algorithm("1.2.840.113549.1.1.11", nothing),
};
