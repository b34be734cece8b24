import { algorithmId, hashAlgorithm, isSignatureGood } from "./algorithm.ts";
import { type Bytes, digest, fromBase64, type HashName, isSame, sha256, utf8 } from "./bytes.ts";
import {
  authorityDepth,
  type Certificate,
  contextTag,
  type Der,
  derTime,
  octets,
  oid,
  parseCertificate,
  partsOf,
  purposesOf,
  readDer,
  requireTag,
  requireUnderstood,
  sequence,
  smallInteger,
  tags,
} from "./certificate.ts";
import { readProof, trustedSigners } from "./check-log.ts";
import { isSignerNamed, parseSigner, type Signer } from "./cms-signer.ts";
import type { ProvenTime } from "./displayed.ts";
import { ensure, type Finding, fail, find, notPresent, type Outcome, pass } from "./finding.ts";
import { isObject, type Json } from "./json.ts";
import { isIncluded, leafHash } from "./merkle.ts";
import { oids } from "./object-ids.ts";
import { at, isoTime, list, text, time } from "./read.ts";
import { recordTimeMember } from "./records.ts";
import { mainRecord, type Run } from "./run.ts";
import { anchorOrigin, isOf, parseCheckpoint, requireSigned } from "./signed-note.ts";

export interface AnchorResult {
  readonly findings: readonly Finding[];
  /** For the checkpoint of the log; undefined while nothing proves it. */
  readonly proven: ProvenTime | undefined;
}

/** That the checkpoint of the log stands in the anchor log, and when that was. */
export async function checkAnchor(run: Run): Promise<AnchorResult> {
  const anchor = at(run.bundle, "integrity.anchor");
  let stamp: TimeStamp | undefined;
  const stamped = await find("TIMESTAMP", undefined, async () => {
    stamp = await readStamp(anchor);
    return checkStamp(run, stamp);
  });
  const trusted = await find("TIMESTAMP_TRUST", undefined, () => checkTrust(run, anchor, stamp));
  const isProven = isPassed(stamped) && isPassed(trusted) && stamp !== undefined;
  const anchorTime = isProven ? { time: (stamp as TimeStamp).time } : undefined;
  const included = await find("ANCHOR_INCLUSION", undefined, () => checkInclusion(run, anchor));
  const checkpoint = await find("ANCHOR_CHECKPOINT", undefined, () => checkCheckpoint(run, anchor, anchorTime));
  const cosigned = await find("COSIGNATURES", undefined, () => checkCosignatures(anchor));
  return {
    findings: [included, checkpoint, stamped, trusted, cosigned],
    proven: isPassed(included) && isPassed(checkpoint) ? anchorTime : undefined,
  };
}

const isPassed = ({ status }: Finding): boolean => status === "PASS";

const isAnchored = (anchor: Json): boolean => at(anchor, "checkpoint") !== null;

/** The outcome while there is no anchor. Fails unless the bundle says that it is still to come. */
function waiting({ bundle }: Run, anchor: Json): Outcome {
  if (anchor === null && at(bundle, "integrity.log") === null) return notPresent("There is no record to anchor.");
  ensure(at(anchor, "status") === "PENDING", "the bundle lacks the anchor that it claims");
  return notPresent("The checkpoint of the log is not anchored yet. Fetch the bundle again.");
}

async function checkInclusion(run: Run, anchor: Json): Promise<Outcome> {
  if (!isAnchored(anchor)) return waiting(run, anchor);
  const status = at(anchor, "status");
  ensure(status === "ANCHORED" || status === "PENDING", "the state of the anchor is not known");
  const proof = readProof(anchor, "anchorIndex", "the anchor's checkpoint");
  const note = utf8(text(run.bundle, "integrity.log.checkpoint"));
  const isInside = await isIncluded(await leafHash(await sha256(note)), proof);
  ensure(isInside, "the path does not lead from the log's checkpoint to the root of the anchor's");
  return pass(`The log's checkpoint stands at index ${proof.index} in the anchor log of ${proof.size}.`);
}

async function checkCheckpoint(run: Run, anchor: Json, proven: ProvenTime | undefined): Promise<Outcome> {
  if (!isAnchored(anchor)) return waiting(run, anchor);
  const name = "the anchor's checkpoint";
  const { origin } = parseCheckpoint(text(anchor, "checkpoint"), name);
  const expected = anchorOrigin(text(mainRecord(run)?.leaf ?? null, "iss"));
  ensure(isOf(expected, origin), `the anchor's checkpoint is one of the log ${origin}, not of ${expected}`);
  const signers = await requireSigned(text(anchor, "checkpoint"), origin, run.keys.logs, name);
  return trustedSigners(run.keys, signers, proven, `The anchor log ${origin} has signed its checkpoint.`);
}

/** Undefined when there is no token. */
async function readStamp(anchor: Json): Promise<TimeStamp | undefined> {
  if (at(anchor, "timestampToken") === null) return undefined;
  const token = fromBase64(text(anchor, "timestampToken"), "the time-stamp token");
  return verifyTimeStamp(token, utf8(text(anchor, "checkpoint")));
}

/** How far the clocks of the service and of the authority may differ. */
const toleranceMs = 5 * 60_000;

function checkStamp({ bundle, records }: Run, stamp: TimeStamp | undefined): Outcome {
  if (stamp === undefined) return notPresent("No time-stamping authority has confirmed the time.");
  const anchored = at(bundle, "integrity.log.checkpoint");
  for (const record of records.filter(({ item }) => at(item, "log.checkpoint") === anchored)) {
    const made = time(record.leaf, recordTimeMember(record));
    const isOlder = made <= stamp.time + toleranceMs;
    ensure(isOlder, `the record ${record.id} claims to be from ${isoTime(made)}, after its time stamp`);
  }
  return pass(
    `"${stamp.signer.name}" confirms that the anchor's checkpoint, with all that leads there, existed at ${isoTime(stamp.time)}.`,
  );
}

async function checkTrust({ keys }: Run, anchor: Json, stamp: TimeStamp | undefined): Promise<Outcome> {
  if (at(anchor, "timestampToken") === null) return notPresent("There is no time stamp.");
  if (stamp === undefined) return fail("the time stamp does not hold, whoever made it");
  if (keys.tsaCertificates === null) {
    return notPresent(
      `Nothing tells whether "${stamp.signer.name}" is to be trusted: the key file holds no certificates of time-stamping authorities.`,
    );
  }
  const names = await chainTo(keys.tsaCertificates, stamp.signer, stamp.others, stamp.time);
  return pass(`The authority's certificate is trusted: ${names.map((name) => `"${name}"`).join(", issued by ")}.`);
}

function checkCosignatures(anchor: Json): Outcome {
  if (!isObject(anchor) || at(anchor, "cosignatures") === null) return notPresent("No witness has cosigned.");
  const { length } = list(anchor, "cosignatures");
  if (length === 0) return notPresent("No witness has cosigned.");
  return notPresent(`There are ${length} cosignatures, and no keys of witnesses to check them with.`);
}

/** Real chains are much shorter. */
const maxLength = 6;

/**
 * The names from the certificate up to a trusted one, each vouched for by the next at that time (RFC 5280 §6). Fails,
 * with the reason, when no chain leads there. A trusted certificate needs nobody to vouch for it.
 */
async function chainTo(
  trusted: readonly Certificate[],
  certificate: Certificate,
  others: readonly Certificate[],
  ms: number,
): Promise<string[]> {
  const names = [certificate.name];
  let current = certificate;
  for (let depth = 0; depth < maxLength; depth += 1) {
    requireUsable(current, ms);
    if (trusted.some(({ whole }) => isSame(whole, current.whole))) return names;
    // Trusted certificates are tried first, because the chain ends with one.
    const issuer = await findIssuer(current, [...trusted, ...others], depth);
    names.push(issuer.name);
    current = issuer;
  }
  return fail(`the chain of certificates ${names.join(" < ")} is too long`);
}

function requireUsable(certificate: Certificate, ms: number): void {
  const { name, notBefore, notAfter } = certificate;
  if (ms < notBefore || ms > notAfter) fail(`the certificate "${name}" was not valid at ${isoTime(ms)}`);
  requireUnderstood(certificate);
}

async function findIssuer(
  certificate: Certificate,
  candidates: readonly Certificate[],
  authoritiesBelow: number,
): Promise<Certificate> {
  for (const candidate of candidates) {
    const isIssuer = isSame(candidate.subject, certificate.issuer) && !isSame(candidate.whole, certificate.whole);
    if (!isIssuer) continue;
    const depth = authorityDepth(candidate);
    if (depth === undefined || depth < authoritiesBelow || !allowsTimeStamping(candidate)) continue;
    if (await isSignatureGood(signedBy(certificate, candidate), `the certificate "${certificate.name}"`)) {
      return candidate;
    }
  }
  return fail(`no one who is trusted has issued the certificate "${certificate.name}"`);
}

const signedBy = ({ algorithm, signature, signed }: Certificate, { publicKey }: Certificate) => ({
  publicKey,
  algorithm,
  signature,
  data: signed.whole,
});

const anyPurpose = "2.5.29.37.0";

/** An authority that is restricted to other purposes cannot vouch for this one. */
function allowsTimeStamping(certificate: Certificate): boolean {
  const { purposes } = purposesOf(certificate) ?? {};
  return purposes === undefined || purposes.includes(oids.timeStamping) || purposes.includes(anyPurpose);
}

/** What a time-stamping authority has confirmed. */
interface TimeStamp {
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
async function verifyTimeStamp(bytes: Bytes, data: Bytes): Promise<TimeStamp> {
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
