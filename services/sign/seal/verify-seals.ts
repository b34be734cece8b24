import { createHash, hash, verify, X509Certificate } from "node:crypto";
import { OctetString } from "asn1js";
import {
  type Attribute,
  Certificate,
  ContentInfo,
  id_ContentType_SignedData,
  SignedData,
  type SignerInfo,
} from "pkijs";
import { oid } from "./cms.ts";

/** A signature in a PDF, and whether it holds. */
export interface SealFinding {
  /** Whether the bytes that it covers are those that were signed, by the certificate that it carries. */
  readonly isIntact: boolean;
  /** Whether nothing was added to the file afterwards. */
  readonly coversWholeFile: boolean;
  /** DER of the certificate that signed; undefined when it could not be read. */
  readonly certificate: Buffer | undefined;
  readonly subject: string;
  /** When it was made, as the signature says; undefined when it does not. */
  readonly claimedAt: Date | undefined;
}

/** More than any honest file has. */
const maxSignatures = 50;
/** The same for places that look as if a signature were there. */
const maxPlaces = 1_000;
/** Some certificates and a time stamp have a tenth of that. */
const maxSignatureBytes = 131_072;

/**
 * Looks at every signature of a PDF, in the order of the file. Works on the bytes alone, in linear time, so that it can be
 * given files of strangers. Whether a certificate is to be trusted is for the caller to say.
 */
export function findSeals(file: Buffer): SealFinding[] {
  const findings: SealFinding[] = [];
  let at = file.indexOf(rangeName);
  for (let places = 0; at >= 0 && places < maxPlaces && findings.length < maxSignatures; places += 1) {
    const range = readRange(file, at + rangeName.length);
    if (range !== undefined) findings.push({ ...check(file, range), claimedAt: claimedTime(file, at, range) });
    at = file.indexOf(rangeName, at + rangeName.length);
  }
  return findings;
}

const rangeName = "/ByteRange";

interface Range {
  readonly start: number;
  readonly end: number;
  readonly length: number;
}

/** The range must leave out exactly one hexadecimal text, or something else could hide in the gap. */
function readRange(file: Buffer, at: number): Range | undefined {
  const text = file.toString("latin1", at, at + 100);
  const found = /^\s{0,10}\[\s{0,10}0\s{1,10}(\d{1,12})\s{1,10}(\d{1,12})\s{1,10}(\d{1,12})\s{0,60}\]/.exec(text);
  if (found === null) return undefined;
  const [start, end, length] = found.slice(1).map(Number) as [number, number, number];
  const isGap = end <= file.length && file[start] === 0x3c && file[end - 1] === 0x3e && start < end;
  return isGap && end + length <= file.length ? { start, end, length } : undefined;
}

function check(file: Buffer, { start, end, length }: Range): Omit<SealFinding, "claimedAt"> {
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

/** All of it must be digits: reading would stop where they end, and what comes then is covered by no signature. */
function hexBytes(text: Buffer): Buffer {
  if (text.length > 2 * maxSignatureBytes) throw new Error("it is too long");
  const bytes = Buffer.from(text.toString("latin1"), "hex");
  if (2 * bytes.length !== text.length) throw new Error("it is not hexadecimal");
  return bytes;
}

/** How far from the range the time may stand. */
const dictionaryBytes = 4_096;

/** /M of the dictionary that the range stands in (ISO 32000-2 §7.9.4). */
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

function readSignature(der: Buffer): { info: SignerInfo; certificate: X509Certificate } {
  const content = ContentInfo.fromBER(withoutPadding(der));
  if (content.contentType !== id_ContentType_SignedData) throw new Error("it is not signed data");
  const signed = new SignedData({ schema: content.content });
  const [info] = signed.signerInfos;
  const serial = (info?.sid as { serialNumber?: Certificate["serialNumber"] } | undefined)?.serialNumber;
  const certificate = (signed.certificates ?? []).find(
    (one) => one instanceof Certificate && serial !== undefined && one.serialNumber.isEqual(serial),
  );
  if (info === undefined || signed.signerInfos.length !== 1 || certificate === undefined) {
    throw new Error("it has not one signer");
  }
  return { info, certificate: new X509Certificate(Buffer.from(certificate.toSchema().toBER())) };
}

/** The room for the signature is larger than it: what follows are zeros, which would be parsed one by one. */
function withoutPadding(der: Buffer): Buffer {
  const form = der.readUInt8(1);
  const lengthBytes = form < 0x80 ? 0 : form - 0x80;
  if (lengthBytes > 4) return der;
  const length = lengthBytes === 0 ? form : der.readUIntBE(2, lengthBytes);
  return der.subarray(0, 2 + lengthBytes + length);
}

const attributesOf = ({ signedAttrs }: SignerInfo): readonly Attribute[] => signedAttrs?.attributes ?? [];

function isDigestSigned(info: SignerInfo, digest: Buffer): boolean {
  const value = attributesOf(info).find(({ type }) => type === oid.messageDigest)?.values[0];
  return (
    info.digestAlgorithm.algorithmId === oid.sha256 &&
    value instanceof OctetString &&
    digest.equals(value.valueBlock.valueHexView)
  );
}

function isSignedBy(info: SignerInfo, certificate: X509Certificate): boolean {
  if (info.signedAttrs === undefined) return false;
  const signed = Buffer.from(info.signedAttrs.toSchema().toBER());
  signed.writeUInt8(0x31, 0);
  return verify("sha256", signed, certificate.publicKey, info.signature.valueBlock.valueHexView);
}

/** The hash of the certificate is among what is signed, so none with the same key can be put in its place. */
const names = (info: SignerInfo, certificate: X509Certificate): boolean => {
  const attribute = attributesOf(info).find(({ type }) => type === oid.signingCertificateV2);
  const written = attribute === undefined ? undefined : Buffer.from(attribute.toSchema().toBER());
  // The attribute of foreign signatures may be of another form; ours holds the hash as it is.
  return written?.includes(hash("sha256", certificate.raw, "buffer")) ?? false;
};
