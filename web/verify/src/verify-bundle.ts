import { isSame } from "./bytes.ts";
import { type AnchorResult, checkAnchor } from "./check-anchor.ts";
import { checkBundle, checkDisclosures, checkRenderToken } from "./check-bundle.ts";
import { checkContents } from "./check-contents.ts";
import { checkLeaf, checkRecords } from "./check-leaf.ts";
import { checkCheckpoint, checkInclusion } from "./check-log.ts";
import { checkPolicies } from "./check-policy.ts";
import { type ProvenTime, provenOlder, requireProvenBefore } from "./displayed.ts";
import { isSigned, missingSupport } from "./ed25519.ts";
import { checkNames, ensure, type Finding, find, Problem, pass } from "./finding.ts";
import { isObject, type Json, type JsonObject, parseJson, parseJws } from "./json.ts";
import { findKey, readKeys, requireInTime } from "./keys.ts";
import { at, text, time } from "./read.ts";
import { isAcceptance, type LogRecord, readRecords, recordTimeMember } from "./records.ts";
import type { Run } from "./run.ts";

export interface VerifyOptions {
  /** The key file of the installation, fetched from it and not from whoever sent the bundle. */
  readonly keys?: object;
}

export interface Verification {
  /** Whether nothing failed. Without a key file that says only that the bundle agrees with itself. */
  readonly ok: boolean;
  readonly checks: readonly Finding[];
}

/**
 * Checks an evidence bundle, given as its text or as what its text says. All checks are made, whatever fails. Rejects only
 * where the cryptography for it is missing.
 */
export async function verifyBundle(bundle: string | object, options: VerifyOptions = {}): Promise<Verification> {
  const reason = await missingSupport();
  if (reason !== undefined) throw new Error(reason);
  const parsed = readBundle(bundle);
  if (parsed instanceof Problem) {
    return {
      ok: false,
      checks: [{ check: "BUNDLE_SIGNATURE", status: "FAIL", message: `Not a bundle: ${parsed.message}.` }],
    };
  }
  const run: Run = {
    bundle: parsed,
    keys: await readKeys(parsed, options.keys as Json | undefined),
    records: await readRecords(parsed),
  };
  const findings = await runChecks(run);
  const order = (finding: Finding): number => checkNames.indexOf(finding.check);
  const checks = findings.sort((a, b) => order(a) - order(b));
  return { ok: checks.every(({ status }) => status !== "FAIL"), checks };
}

function readBundle(bundle: string | object): JsonObject | Problem {
  try {
    // What was parsed already has lost what only its text could tell, such as a member that stood there twice.
    const value = parseJson(typeof bundle === "string" ? bundle : JSON.stringify(bundle), "the file");
    return isObject(value) ? value : new Problem("the file is JSON, but not an object");
  } catch (error) {
    return error instanceof Problem ? error : new Problem("the file cannot be read");
  }
}

async function runChecks(run: Run): Promise<Finding[]> {
  const anchor = await checkAnchor(run);
  const records: Finding[] = [];
  for (const record of run.records) records.push(...(await checkRecord(run, record, anchor)));
  return [
    ...(await checkBundle(run)),
    ...(await checkContents(run)),
    ...(await checkPolicies(run)),
    await checkRecords(run),
    ...records,
    ...anchor.findings,
  ];
}

async function checkRecord(run: Run, record: LogRecord, anchor: AnchorResult): Promise<Finding[]> {
  const isAnchored = at(record.item, "log.checkpoint") === at(run.bundle, "integrity.log.checkpoint");
  const checkpointTime = isAnchored ? anchor.proven : undefined;
  const log = [await checkInclusion(run, record), await checkCheckpoint(run, record, checkpointTime)];
  const proven = log.every(({ status }) => status === "PASS") ? checkpointTime : undefined;
  return [
    await checkRecordSignature(run, record),
    await checkRecordKey(run, record, proven),
    await checkLeaf(run, record),
    await checkDisclosures(run, record),
    ...log,
    ...(isAcceptance(record) ? [await checkRenderToken(run, record, proven)] : []),
  ];
}

/** The `typ` of receipts and all other leaves. */
const receiptTyp = "click-receipt+jws";

const jwsOf = ({ item }: LogRecord) => parseJws(text(item, "receiptJws"), receiptTyp, "the record's signature");

const checkRecordSignature = ({ keys }: Run, record: LogRecord): Promise<Finding> =>
  find("SIGNATURE", record.id, async () => {
    const jws = jwsOf(record);
    ensure(isSame(jws.payload, record.leafBytes()), "the signature is over another leaf");
    const { key } = findKey(keys, jws.kid, "receipt");
    ensure(await isSigned(key, jws.signature, jws.signed), "the record's signature does not hold");
    return pass(`The record is signed by the key ${jws.kid}.`);
  });

const checkRecordKey = ({ keys }: Run, record: LogRecord, proven: ProvenTime | undefined): Promise<Finding> =>
  find("KEY_VALIDITY", record.id, () => {
    const member = recordTimeMember(record);
    const key = findKey(keys, jwsOf(record).kid, "receipt");
    requireInTime(key, time(record.leaf, member));
    if (key.revokedAt === null) return pass(`The key was in use at ${text(record.leaf, member)}.`);
    requireProvenBefore(`the key ${key.kid}`, key.revokedAt, proven);
    return pass(provenOlder(key.revokedAt));
  });
