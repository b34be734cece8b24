import { type Bytes, fromBase64 } from "./bytes.ts";
import { type ProvenTime, provenOlder, requireProvenBefore } from "./displayed.ts";
import { ensure, type Finding, fail, find, notPresent, type Outcome, pass } from "./finding.ts";
import { isObject, type Json } from "./json.ts";
import { type KeyRing, revocationOf } from "./keys.ts";
import { isIncluded, leafHash } from "./merkle.ts";
import { at, count, isoTime, text, texts, time } from "./read.ts";
import { type LogRecord, recordTimeMember } from "./records.ts";
import type { Run } from "./run.ts";
import { epochIn, isOf, logOrigin, type NoteKey, parseCheckpoint, requireSigned } from "./signed-note.ts";

/** How long after recording a leaf is in a published checkpoint at the latest. */
const promiseMs = 60_000;

export const checkInclusion = (run: Run, record: LogRecord): Promise<Finding> =>
  find("INCLUSION", record.id, async () => {
    const log = at(record.item, "log");
    ensure(isObject(log), "the bundle does not say where in the log the record is");
    ensure(text(log, "logId") === at(run.bundle, "organizationId"), "the log is another organization's");
    if (at(log, "status") !== null) return checkPromise(run, record, log);
    const proof = readProof(log, "leafIndex", "the checkpoint");
    ensure(at(log, "origin") === proof.origin, "the checkpoint is one of another log than the bundle states");
    const isInside = await isIncluded(await leafHash(record.leafBytes()), proof);
    ensure(isInside, "the path does not lead from the leaf to the root of the checkpoint");
    const place = { logId: text(log, "logId"), origin: proof.origin, index: proof.index };
    return pass(`The record stands at index ${proof.index} in the log of ${proof.size} records.${loss(run, place)}`);
  });

/** What the key file tells of a record that the log has lost since. */
function loss(
  { keys, bundle }: Run,
  { logId, origin, index }: { logId: string; origin: string; index: number },
): string {
  if (keys.epochs.length === 0) return "";
  const stated = epochIn(origin);
  const made = time(bundle, "generatedAt");
  const later = keys.epochs
    .filter((one) => one.logId === logId && one.epoch > stated && one.openedAt >= made && index >= one.missingFrom)
    .sort((a, b) => a.epoch - b.epoch);
  const [first] = later;
  if (first === undefined) return "";
  const lost = index >= first.firstIndex ? "was signed, then lost" : "was signed, and may have been lost";
  return ` It ${lost} by a restore of the database, which was noticed at ${isoTime(first.openedAt)}.`;
}

interface Proof {
  readonly origin: string;
  readonly index: number;
  readonly size: number;
  readonly path: readonly Bytes[];
  readonly root: Bytes;
}

/** The members of an inclusion proof, which log and anchor have alike. */
export function readProof(proof: Json, indexMember: string, name: string): Proof {
  const { origin, size, root } = parseCheckpoint(text(proof, "checkpoint"), name);
  ensure(count(proof, "treeSize") === size, `${name} is of another size than the bundle states`);
  const path = texts(proof, "auditPath").map((hash) => fromBase64(hash, "a hash of the path"));
  ensure(path.length <= 64 && path.every((hash) => hash.length === 32), "a hash of the path does not have 32 bytes");
  return { origin, index: count(proof, indexMember), size, path, root };
}

/** A record that was signed must be in the log soon afterwards. */
function checkPromise({ bundle }: Run, record: LogRecord, log: Json): Outcome {
  ensure(at(log, "status") === "PENDING", "the state of the log is not known");
  const due = time(record.leaf, recordTimeMember(record)) + promiseMs;
  ensure(
    time(log, "integrateBy") === due,
    "the bundle states another time by which the record is promised to be logged",
  );
  if (time(bundle, "generatedAt") > due) {
    fail(`the record was promised to be logged by ${isoTime(due)} and was not when the bundle was made`);
  }
  return notPresent(`The record was not yet logged; it was promised by ${isoTime(due)}. Fetch the bundle again.`);
}

/** That the checkpoint is signed by the log itself. `proven` is the time when it provably existed already. */
export const checkCheckpoint = ({ keys }: Run, record: LogRecord, proven: ProvenTime | undefined): Promise<Finding> =>
  find("CHECKPOINT", record.id, async () => {
    const note = at(record.item, "log.checkpoint");
    if (note === null && at(record.item, "log.status") === "PENDING") return notPresent("There is no checkpoint yet.");
    const name = "the checkpoint";
    const { origin, size } = parseCheckpoint(text(record.item, "log.checkpoint"), name);
    const expected = logOrigin(text(record.leaf, "iss"), text(record.leaf, "org"));
    ensure(isOf(expected, origin), `the checkpoint is one of the log ${origin}, not of ${expected}`);
    const signers = await requireSigned(text(record.item, "log.checkpoint"), origin, keys.logs, name);
    return trustedSigners(keys, signers, proven, `The log ${origin} has signed that it held ${size} records.`);
  });

/** Passes unless the keys were revoked and nothing proves that they signed before. */
export function trustedSigners(
  keys: KeyRing,
  signers: readonly NoteKey[],
  proven: ProvenTime | undefined,
  message: string,
): Outcome {
  const revokedAt = revocationOf(keys, signers);
  if (revokedAt === null) return pass(message);
  requireProvenBefore("the key of the log", revokedAt, proven);
  return pass(`${message} ${provenOlder(revokedAt)}`);
}
