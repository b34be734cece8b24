import { isSignatureGood } from "../verify/src/algorithm.ts";
import { type Bytes, concat, digest, isSame } from "../verify/src/bytes.ts";
import {
  type Certificate,
  contextTag,
  type Der,
  oid,
  parseCertificate,
  partsOf,
  readDer,
  requireTag,
  sequence,
  tags,
} from "../verify/src/certificate.ts";
import { isSignerNamed, parseSigner, type Signer } from "../verify/src/cms-signer.ts";
import { ensure, fail } from "../verify/src/finding.ts";
import { oids } from "../verify/src/object-ids.ts";

/** A signature in a PDF. */
export interface Seal {
  /**
   * Whether what it covers is what was signed, by the certificate that it carries, and nothing else in the file claims to
   * be where it is divided.
   */
  readonly isIntact: boolean;
  /** Whether nothing was added afterwards. */
  readonly coversWholeFile: boolean;
  /** How many bytes it covers, from the beginning, its own among them. */
  readonly coveredBytes: number;
  /** Undefined when it could not be read. */
  readonly certificate: Certificate | undefined;
}

const maxSeals = 50;
const maxPlaces = 1_000;
const maxSignatureDigits = 262_144;
const rangeName = "/ByteRange";

/** Looks at every signature of a PDF, in the order of the file; works on the bytes alone. */
export async function findSeals(file: Bytes): Promise<Seal[]> {
  const ranges = rangesIn(file);
  // Who writes more of them than can be looked at wants one not to be seen.
  const isOvercrowded = ranges.length > maxPlaces;
  const seals: Seal[] = [];
  const seen = new Set<string>();
  for (const range of ranges.slice(0, maxPlaces)) {
    const key = `${range.start} ${range.end} ${range.length}`;
    // A copy of a signature is none.
    if (!leavesOutOneText(file, range) || seen.has(key)) continue;
    if (seals.length === maxSeals) break;
    seen.add(key);
    const seal = await check(file, range);
    const isAmbiguous = isOvercrowded || ranges.some((other) => isSameElsewhere(range, other));
    seals.push({ ...seal, isIntact: seal.isIntact && !isAmbiguous });
  }
  return seals;
}

const wanted = Array.from(rangeName, (character) => character.charCodeAt(0));

function indexOf(file: Bytes, from: number): number {
  for (let at = file.indexOf(0x2f, from); at >= 0; at = file.indexOf(0x2f, at + 1)) {
    if (wanted.every((code, index) => file[at + index] === code)) return at;
  }
  return -1;
}

const latin1 = (bytes: Bytes): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");

interface Range {
  readonly start: number;
  readonly end: number;
  readonly length: number;
}

const rangePattern = /^\s{0,10}\[\s{0,10}0\s{1,10}(\d{1,12})\s{1,10}(\d{1,12})\s{1,10}(\d{1,12})\s{0,60}\]/;

/** Wherever it is said what a signature covers; one more than are looked at. */
function rangesIn(file: Bytes): Range[] {
  const ranges: Range[] = [];
  for (let at = indexOf(file, 0); at >= 0 && ranges.length <= maxPlaces; at = indexOf(file, at + rangeName.length)) {
    const from = at + rangeName.length;
    const found = rangePattern.exec(latin1(file.subarray(from, from + 100)));
    if (found === null) continue;
    const [start = 0, end = 0, length = 0] = found.slice(1).map(Number);
    ranges.push({ start, end, length });
  }
  return ranges;
}

/** The range must leave out exactly one hexadecimal text, or something else could hide in the gap. */
function leavesOutOneText(file: Bytes, { start, end, length }: Range): boolean {
  const isGap = end <= file.length && file[start] === 0x3c && file[end - 1] === 0x3e && start < end;
  const before = latin1(file.subarray(Math.max(0, start - 20), start));
  return isGap && end + length <= file.length && /\/Contents\s{0,10}$/.test(before);
}

/**
 * Where what is signed is divided is not signed itself. Whoever moves the signature cannot remove what says where it was,
 * which leaves as many bytes to be signed.
 */
const isSameElsewhere = (one: Range, other: Range): boolean =>
  one.start + one.length === other.start + other.length && one.start !== other.start;

async function check(file: Bytes, { start, end, length }: Range): Promise<Seal> {
  const coverage = { coversWholeFile: end + length === file.length, coveredBytes: end + length };
  let certificate: Certificate | undefined;
  try {
    const { signer, certificates } = readSignature(hexBytes(file.subarray(start + 1, end - 1)));
    certificate = await findSigner(signer, certificates);
    const covered = concat(file.subarray(0, start), file.subarray(end, end + length));
    const isContent = isSame(signer.messageDigest, await digest(signer.hash, covered));
    const { publicKey } = certificate;
    const isSigned = await isSignatureGood({ publicKey, ...signer, data: signer.signedAttributes }, name);
    return { isIntact: isContent && isSigned, ...coverage, certificate };
  } catch {
    // Whatever is malformed proves nothing.
    return { isIntact: false, ...coverage, certificate };
  }
}

const name = "the signature";

function hexBytes(digits: Bytes): Bytes {
  ensure(digits.length % 2 === 0 && digits.length <= maxSignatureDigits, `${name} has no possible length`);
  const bytes = new Uint8Array(digits.length / 2);
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = digitOf(digits[2 * index]) * 16 + digitOf(digits[2 * index + 1]);
  }
  return bytes;
}

function digitOf(code = 0): number {
  const value = "0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase());
  return value < 0 ? fail(`${name} is not hexadecimal`) : value;
}

/** RFC 5652 §5.1, with the content elsewhere. */
function readSignature(padded: Bytes): { signer: Signer; certificates: readonly Certificate[] } {
  const [type, wrapped] = sequence(readDer(withoutPadding(padded), name), name);
  ensure(oid(type, name) === oids.signedData, `${name} is not signed data`);
  const [_version, _hashes, _content, ...rest] = sequence(only(requireTag(wrapped, contextTag(0), name)), name);
  const signers = requireTag(rest.at(-1), tags.set, name);
  const certificates = rest[0]?.tag === contextTag(0) ? partsOf(rest[0], name) : [];
  return {
    signer: parseSigner(only(signers), name, oids.data),
    certificates: certificates.map((one) => parseCertificate(one, name)),
  };
}

/** What the element does not need of the room that was kept for it. */
function withoutPadding(bytes: Bytes): Bytes {
  const [, first = 0] = bytes;
  const digits = first < 0x80 ? 0 : first & 0x7f;
  const length = first < 0x80 ? first : bytes.subarray(2, 2 + digits).reduce((sum, digit) => sum * 256 + digit, 0);
  return bytes.subarray(0, 2 + digits + length);
}

function only(element: Der): Der {
  const [first, ...others] = partsOf(element, name);
  return first !== undefined && others.length === 0 ? first : fail(`${name} holds more than one of what must be one`);
}

async function findSigner(signer: Signer, certificates: readonly Certificate[]): Promise<Certificate> {
  for (const certificate of certificates) if (await isSignerNamed(signer, certificate)) return certificate;
  return fail(`${name} does not hold the certificate of who signed it`);
}
