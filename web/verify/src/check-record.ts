import { isSame } from "./bytes.ts";
import { type ProvenTime, provenOlder, requireProvenBefore } from "./displayed.ts";
import { isSigned } from "./ed25519.ts";
import { type Finding, find, pass } from "./finding.ts";
import { parseJws } from "./jws.ts";
import { findKey, requireInTime } from "./keys.ts";
import { ensure } from "./problem.ts";
import { text, time } from "./read.ts";
import { type LogRecord, recordTimeMember } from "./records.ts";
import type { Run } from "./run.ts";

/** The `typ` of receipts and all other leaves. */
const receiptTyp = "click-receipt+jws";

const jwsOf = ({ item }: LogRecord) => parseJws(text(item, "receiptJws"), receiptTyp, "the record's signature");

export const checkRecordSignature = ({ keys }: Run, record: LogRecord): Promise<Finding> =>
  find("SIGNATURE", record.id, async () => {
    const jws = jwsOf(record);
    ensure(isSame(jws.payload, record.leafBytes()), "the signature is over another leaf");
    const { key } = findKey(keys, jws.kid, "receipt");
    ensure(await isSigned(key, jws.signature, jws.signed), "the record's signature does not hold");
    return pass(`The record is signed by the key ${jws.kid}.`);
  });

export const checkRecordKey = ({ keys }: Run, record: LogRecord, proven: ProvenTime | undefined): Promise<Finding> =>
  find("KEY_VALIDITY", record.id, () => {
    const member = recordTimeMember(record);
    const key = findKey(keys, jwsOf(record).kid, "receipt");
    requireInTime(key, time(record.leaf, member));
    if (key.revokedAt === null) return pass(`The key was in use at ${text(record.leaf, member)}.`);
    requireProvenBefore(`the key ${key.kid}`, key.revokedAt, proven);
    return pass(provenOlder(key.revokedAt));
  });
