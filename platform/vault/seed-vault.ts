import { createHmac, type KeyObject } from "node:crypto";
import { type KeyRing, withAnyKey } from "../secrets.ts";
import { createOrganizationKeys } from "./organization-keys.ts";
import { openBox, opens, sealBox } from "./sealed-box.ts";

/** Names what a seed is for, within its organization. */
export interface RecordName {
  readonly organizationId: string;
  readonly recordId: string;
}

/** Where what is stored of a record is sealed for. */
export const contextOf = ({ organizationId, recordId }: RecordName): string => `${organizationId}/${recordId}`;

/** Finds people whom nobody can read, and keeps seeds under the master keys of a service. */
export interface SeedVault {
  /** Equal for the same reference in the same organization; 16 bytes. What records of a person are found by. */
  subjectIndex(organizationId: string, reference: string): Buffer;
  /** What a file of the record is called where it is stored, by its hash; 32 bytes that tell nobody anything. */
  fileName(record: RecordName, sha256: Buffer): Buffer;
  /** 60 bytes instead of 32. */
  wrapSeed(record: RecordName, seed: Buffer): Buffer;
  /** Throws when the record or the master key is another one, or a bit has changed. */
  unwrapSeed(record: RecordName, wrapped: Buffer): Buffer;
  /** The same under the newest master key; undefined when it is already. Throws like unwrapSeed. */
  rewrappedSeed(record: RecordName, wrapped: Buffer): Buffer | undefined;
}

const indexBytes = 16;

/**
 * The first master key wraps, and what any of them wrapped can be read. People are found by `hashKey`, which is asked for 32
 * bytes when the first person is looked for, and never changes: what is found by it could not be found any more.
 */
export function createSeedVault(service: string, masterKeys: KeyRing, hashKey: () => Buffer): SeedVault {
  const indexKeys = createOrganizationKeys(service, hashKey, ["subject-index", "file-name"]);
  const holding = (key: Buffer) => createOrganizationKeys(service, () => key, ["hold"]);
  const [first, ...others] = masterKeys;
  type HoldKeys = ReturnType<typeof holding>;
  const ring: readonly [HoldKeys, ...HoldKeys[]] = [holding(first), ...others.map(holding)];
  const keyIn = (keysOf: HoldKeys, { organizationId }: RecordName): KeyObject => keysOf(organizationId).hold;
  const wrapSeed = (record: RecordName, seed: Buffer): Buffer =>
    sealBox(keyIn(ring[0], record), contextOf(record), seed);
  const unwrapWith = (keysOf: HoldKeys, record: RecordName, wrapped: Buffer): Buffer =>
    openBox(keyIn(keysOf, record), contextOf(record), wrapped);
  const unwrapSeed = (record: RecordName, wrapped: Buffer): Buffer =>
    withAnyKey(ring, (keysOf) => unwrapWith(keysOf, record, wrapped));
  return {
    subjectIndex: (organizationId, reference) =>
      createHmac("sha256", indexKeys(organizationId)["subject-index"])
        .update(reference)
        .digest()
        .subarray(0, indexBytes),
    fileName: (record, sha256) =>
      createHmac("sha256", indexKeys(record.organizationId)["file-name"])
        .update(`${contextOf(record)}/`)
        .update(sha256)
        .digest(),
    wrapSeed,
    unwrapSeed,
    rewrappedSeed: (record, wrapped) =>
      opens(() => unwrapWith(ring[0], record, wrapped)) ? undefined : wrapSeed(record, unwrapSeed(record, wrapped)),
  };
}
