import { createHash, hash, verify, X509Certificate } from "node:crypto";
import { type Element, elementsIn, encode, encodeIdentifier, namesOf, oid, readElement, tags } from "./cms.ts";

/** A signature in a PDF, with the result of verifying it. */
export interface SealFinding {
  /**
   * Whether the covered bytes are those signed by the embedded certificate, and no other entry in the file
   * claims the same division of the bytes.
   */
  readonly isIntact: boolean;
  /** Whether nothing was added to the file after signing. */
  readonly coversWholeFile: boolean;
  /** The number of bytes after the covered part. */
  readonly addedBytes: number;
  /** SHA-256 of the file as signed; only for an intact signature with later additions. */
  readonly signedPartSha256: Buffer | undefined;
  /** DER of the signer's certificate; undefined when it could not be read. */
  readonly certificate: Buffer | undefined;
  readonly subject: string;
  /** The signing time stated by the signature, if any. */
  readonly claimedAt: Date | undefined;
}

/** More than any honest file has. */
const maxSignatures = 50;
/** The limit for places that look like a signature. */
const maxPlaces = 1_000;
/** A few certificates and a timestamp take a tenth of that. */
const maxSignatureBytes = 131_072;

/**
 * Verifies every signature of a PDF, in file order. Works on the bytes alone and in linear time, so that it is
 * safe for untrusted files. Whether to trust a certificate is up to the caller.
 */
export function findSeals(file: Buffer): SealFinding[] {
  const places = placesIn(file);
  // A file with too many signatures may be trying to hide one.
  const isOvercrowded = places.length > maxPlaces;
  const findings: SealFinding[] = [];
  const seen = new Set<string>();
  for (const { at, range } of places.slice(0, maxPlaces)) {
    const key = `${range.start} ${range.end} ${range.length}`;
    // A copy of a signature does not count as one.
    if (!leavesOutOneText(file, range) || seen.has(key)) continue;
    if (findings.length === maxSignatures) break;
    seen.add(key);
    const isAmbiguous = isOvercrowded || places.some((other) => isSameElsewhere(range, other.range));
    const checked = check(file, range);
    const isIntact = checked.isIntact && !isAmbiguous;
    const stop = range.end + range.length;
    const isLonger = isIntact && stop < file.length;
    const signedPartSha256 = isLonger ? hash("sha256", file.subarray(0, stop), "buffer") : undefined;
    const added = { addedBytes: file.length - stop, signedPartSha256 };
    findings.push({ ...checked, isIntact, ...added, claimedAt: claimedTime(file, at, range) });
  }
  return findings;
}

const rangeName = "/ByteRange";

interface Range {
  readonly start: number;
  readonly end: number;
  readonly length: number;
}

/** All places that state a signature's coverage, in file order, up to one more than the limit. */
function placesIn(file: Buffer): { readonly at: number; readonly range: Range }[] {
  const places: { at: number; range: Range }[] = [];
  let at = file.indexOf(rangeName);
  for (; at >= 0 && places.length <= maxPlaces; at = file.indexOf(rangeName, at + rangeName.length)) {
    const text = file.toString("latin1", at + rangeName.length, at + rangeName.length + 100);
    const found = /^\s{0,10}\[\s{0,10}0\s{1,10}(\d{1,12})\s{1,10}(\d{1,12})\s{1,10}(\d{1,12})\s{0,60}\]/.exec(text);
    if (found === null) continue;
    const [start, end, length] = found.slice(1).map(Number) as [number, number, number];
    places.push({ at, range: { start, end, length } });
  }
  return places;
}

/** The range must leave out exactly one hexadecimal string; otherwise something could hide in the gap. */
function leavesOutOneText(file: Buffer, { start, end, length }: Range): boolean {
  const isGap = end <= file.length && file[start] === 0x3c && file[end - 1] === 0x3e && start < end;
  const before = file.toString("latin1", Math.max(0, start - 20), start);
  return isGap && end + length <= file.length && /\/Contents\s{0,10}$/.test(before);
}

/**
 * The division point itself is not signed. Moving the signature shifts everything after it, but cannot remove
 * the original statement of the range: the signed bytes still contain it.
 */
const isSameElsewhere = (one: Range, other: Range): boolean =>
  one.start + one.length === other.start + other.length && one.start !== other.start;

type Checked = Omit<SealFinding, "claimedAt" | "addedBytes" | "signedPartSha256">;

function check(file: Buffer, { start, end, length }: Range): Checked {
  const coversWholeFile = end + length === file.length;
  try {
    const signature = hexBytes(file.subarray(start + 1, end - 1));
    const { info, certificate } = readSignature(signature);
    const digest = createHash("sha256")
      .update(file.subarray(0, start))
      .update(file.subarray(end, end + length));
    const isIntact = isDigestSigned(info, digest.digest()) && isSignedBy(info, certificate) && names(info, certificate);
    return { isIntact, coversWholeFile, certificate: certificate.raw, subject: certificate.subject };
  } catch {
    return { isIntact: false, coversWholeFile, certificate: undefined, subject: "" };
  }
}

/**
 * Every character must be a digit: decoding would stop at the first other one, and the rest would not be
 * covered by any signature.
 */
function hexBytes(text: Buffer): Buffer {
  if (text.length > 2 * maxSignatureBytes) throw new Error("it is too long");
  const bytes = Buffer.from(text.toString("latin1"), "hex");
  if (2 * bytes.length !== text.length) throw new Error("it is not hexadecimal");
  return bytes;
}

/** How far from the range the time may be. */
const dictionaryBytes = 4_096;

/** /M of the dictionary that contains the range (ISO 32000-2 §7.9.4). */
function claimedTime(file: Buffer, at: number, { start, end }: Range): Date | undefined {
  const before = file.toString("latin1", Math.max(0, at - dictionaryBytes), at);
  const between = file.toString("latin1", at, Math.min(start, at + dictionaryBytes));
  const after = file.toString("latin1", end, end + dictionaryBytes);
  const text = before.slice(Math.max(0, before.lastIndexOf(" obj"))) + between + (after.split("endobj", 1)[0] ?? "");
  const found = /\/M\s{0,10}\(D:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(Z|[+-]\d\d'?\d\d)/.exec(text);
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second, zone = "Z"] = found.slice(1);
  const offset = zone === "Z" ? zone : `${zone.slice(0, 3)}:${zone.slice(-2)}`;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** The relevant parts of a SignerInfo (RFC 5652 §5.3). */
interface SignerInfo {
  readonly digestAlgorithm: Element;
  /** Absent when only the digest is signed. */
  readonly signedAttributes: Element | undefined;
  readonly signature: Element;
}

/** Parsed without a general library, which would take fifty times as long; every new seal is verified too. */
function readSignature(der: Buffer): { info: SignerInfo; certificate: X509Certificate } {
  // The placeholder is larger than the signature, so zeros follow.
  const [type, explicit] = elementsIn(ofKind(readElement(der), tags.sequence));
  if (!isIdentifier(type, oid.signedData)) throw new Error("it is not signed data");
  const [signed] = elementsIn(ofKind(explicit, tags.context0));
  const [, , , ...members] = elementsIn(ofKind(signed, tags.sequence));
  const [signer, ...others] = elementsIn(ofKind(members.at(-1), tags.set));
  if (others.length > 0) throw new Error("it has not one signer");
  const { serial, ...info } = readSigner(ofKind(signer, tags.sequence));
  const certificates = members.find(({ tag }) => tag === tags.context0);
  const own = (certificates === undefined ? [] : elementsIn(certificates)).find(
    (one) => one.tag === tags.sequence && namesOf(one).serial.content.equals(serial),
  );
  if (own === undefined) throw new Error("the certificate of its signer is missing");
  return { info, certificate: new X509Certificate(own.bytes) };
}

function readSigner(signer: Element): SignerInfo & { readonly serial: Buffer } {
  const [, name, digestAlgorithm, ...members] = elementsIn(signer);
  const [, serial] = elementsIn(ofKind(name, tags.sequence));
  const signedAttributes = members[0]?.tag === tags.context0 ? members[0] : undefined;
  const [, signature] = members.slice(signedAttributes === undefined ? 0 : 1);
  return {
    serial: ofKind(serial, tags.integer).content,
    digestAlgorithm: ofKind(digestAlgorithm, tags.sequence),
    signedAttributes,
    signature: ofKind(signature, tags.octets),
  };
}

function ofKind(element: Element | undefined, tag: number): Element {
  if (element?.tag !== tag) throw new Error("it has not the form of a signature");
  return element;
}

const isIdentifier = (element: Element | undefined, identifier: string): boolean =>
  element?.bytes.equals(encodeIdentifier(identifier)) ?? false;

/** The attribute of this type. */
function attributeOf({ signedAttributes }: SignerInfo, type: string): Element | undefined {
  const attributes = signedAttributes === undefined ? [] : elementsIn(signedAttributes);
  return attributes.find((attribute) => isIdentifier(elementsIn(attribute)[0], type));
}

function isDigestSigned(info: SignerInfo, digest: Buffer): boolean {
  const attribute = attributeOf(info, oid.messageDigest);
  const values = attribute === undefined ? undefined : elementsIn(attribute)[1];
  const [value] = elementsIn(ofKind(values, tags.set));
  return (
    isIdentifier(elementsIn(info.digestAlgorithm)[0], oid.sha256) && ofKind(value, tags.octets).content.equals(digest)
  );
}

function isSignedBy({ signedAttributes, signature }: SignerInfo, certificate: X509Certificate): boolean {
  if (signedAttributes === undefined) return false;
  // The signature covers the set itself, not the tag it has inside the signer info (RFC 5652 §5.4).
  const signed = encode(tags.set, signedAttributes.content);
  return verify("sha256", signed, certificate.publicKey, signature.content);
}

/**
 * The certificate's hash is part of the signed data, so no other certificate with the same key can replace it.
 */
const names = (info: SignerInfo, certificate: X509Certificate): boolean => {
  // Foreign signatures may use another form of the attribute; ours contains the plain hash.
  const written = attributeOf(info, oid.signingCertificateV2)?.bytes;
  return written?.includes(hash("sha256", certificate.raw, "buffer")) ?? false;
};
