import { algorithmId, hashAlgorithm, isSignatureGood } from "./algorithm.ts";
import { type Bytes, digest, type HashName, isSame } from "./bytes.ts";
import { type Certificate, parseCertificate, purposesOf } from "./certificate.ts";
import { isSignerNamed, parseSigner, type Signer } from "./cms-signer.ts";
import {
  contextTag,
  type Der,
  derTime,
  octets,
  oid,
  partsOf,
  readDer,
  requireTag,
  sequence,
  smallInteger,
  tags,
} from "./der.ts";
import { ensure, fail } from "./finding.ts";
import { oids } from "./object-ids.ts";

/** What a time-stamping authority has confirmed. */
export interface TimeStamp {
  /** When the data existed, in milliseconds since 1970. */
  readonly time: number;
  readonly signer: Certificate;
  /** The certificates that came with the token. */
  readonly others: readonly Certificate[];
}

const name = "the time-stamp token";

/**
 * Checks an RFC 3161 token over this data: everything but whether its authority is to be trusted. Fails with the reason.
 * Takes a whole answer of an authority too.
 */
export async function verifyTimeStamp(bytes: Bytes, data: Bytes): Promise<TimeStamp> {
  const { content, certificates, signerInfo, hashIds } = readSignedData(tokenOf(readDer(bytes, name)));
  const info = readInfo(readDer(content, name));
  ensure(isSame(info.imprint, await digest(info.hash, data)), "the token is about other data");
  const signer = parseSigner(signerInfo, name);
  ensure(hashIds.includes(signer.hashId), `${name} does not list the hash algorithm of its signature`);
  const isContent = isSame(signer.messageDigest, await digest(signer.hash, content));
  ensure(isContent, "the token's digest is not that of its content");
  const certificate = await findSigner(signer, certificates);
  const { publicKey } = certificate;
  const isGood = await isSignatureGood({ publicKey, ...signer, data: signer.signedAttributes }, name);
  ensure(isGood, "the signature of the time-stamping authority does not hold");
  requireTimeStamping(certificate);
  const { time } = info;
  ensure(time >= certificate.notBefore && time <= certificate.notAfter, "its certificate was not valid at that time");
  return { time, signer: certificate, others: certificates.filter((one) => one !== certificate) };
}

/** A TimeStampResp holds a status before the token (RFC 3161 §2.4.2): 0 and 1 mean that it was granted. */
function tokenOf(outer: Der): Der {
  const [first, token, ...others] = sequence(outer, name);
  if (first?.tag !== tags.sequence) return outer;
  const [status] = sequence(first, name);
  const code = smallInteger(status, name);
  ensure(code <= 1, `the time-stamping authority refused (status ${code})`);
  ensure(others.length === 0, `${name} is not as its standard wants it`);
  return token ?? fail("the answer of the time-stamping authority holds no token");
}

interface SignedData {
  /** The TSTInfo. */
  readonly content: Bytes;
  readonly certificates: readonly Certificate[];
  readonly signerInfo: Der;
  readonly hashIds: readonly string[];
}

/** RFC 5652 §5.1. */
function readSignedData(token: Der): SignedData {
  const [type, wrapped, ...others] = sequence(token, name);
  const isSigned = oid(type, name) === oids.signedData && others.length === 0;
  ensure(isSigned, `${name} is not signed data`);
  const [version, hashIds, content, ...rest] = sequence(only(requireTag(wrapped, contextTag(0), name)), name);
  ensure(smallInteger(version, name) === 3, `${name} has another version than 3`);
  const [contentType, contentOctets, ...more] = sequence(content, name);
  ensure(oid(contentType, name) === oids.tstInfo && more.length === 0, `${name} is not a time stamp`);
  const signers = requireTag(rest.at(-1), tags.set, name);
  const optional = rest.slice(0, -1).map(({ tag }) => tag);
  const isKnown = optional.every((tag, n) => tag === contextTag(n) || (n === 0 && tag === contextTag(1)));
  ensure(isKnown, `${name} is not as its standard wants it`);
  const certificates = rest[0]?.tag === contextTag(0) ? partsOf(rest[0], name) : [];
  return {
    content: octets(only(requireTag(contentOctets, contextTag(0), name)), name),
    certificates: certificates.map((one) => parseCertificate(one, `a certificate in ${name}`)),
    signerInfo: only(signers),
    hashIds: partsOf(requireTag(hashIds, tags.set, name), name).map((one) => algorithmId(one, name)),
  };
}

function only(element: Der): Der {
  const [first, ...others] = partsOf(element, name);
  return first !== undefined && others.length === 0 ? first : fail(`${name} holds more than one of what must be one`);
}

/** RFC 3161 §2.4.2. */
function readInfo(element: Der): { hash: HashName; imprint: Bytes; time: number } {
  const [version, policy, imprint, _serial, time] = sequence(element, name);
  ensure(smallInteger(version, name) === 1 && oid(policy, name) !== "", `${name} has another version than 1`);
  const [algorithm, hashed] = sequence(imprint, name);
  const { hash } = hashAlgorithm(algorithm, name);
  ensure(time?.tag === tags.generalizedTime, `${name} has no time`);
  return { hash, imprint: octets(hashed, name), time: derTime(time, name) };
}

async function findSigner(signer: Signer, certificates: readonly Certificate[]): Promise<Certificate> {
  for (const certificate of certificates) {
    if (await isSignerNamed(signer, certificate)) return certificate;
  }
  return fail(`${name} does not hold the certificate of who signed it`);
}

/** RFC 3161 §2.3: this purpose and no other, and nobody may overlook that. */
function requireTimeStamping(certificate: Certificate): void {
  const { purposes = [], isCritical = false } = purposesOf(certificate) ?? {};
  const isOnly = purposes.length === 1 && purposes[0] === oids.timeStamping && isCritical;
  ensure(isOnly, `the certificate "${certificate.name}" is not one for time stamps`);
}
