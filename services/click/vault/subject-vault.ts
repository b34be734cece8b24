import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomFillSync,
} from "node:crypto";
import { type KeyRing, withAnyKey } from "#platform/secrets.ts";
import { createOrganizationKeys, type OrganizationKeys } from "./organization-keys.ts";

/** Names what is sealed: an acceptance, a session, or a change of consent. */
export interface RecordName {
  readonly organizationId: string;
  readonly recordId: string;
}

/**
 * Seals what is personal. Each record has a data key of its own: HMAC-SHA-256 of a random seed under a key of the
 * organization. Only the seed is stored (click.subject_key), so deleting it makes the record unreadable for ever.
 */
export interface SubjectVault {
  /** Equal for the same user of the same organization; 16 bytes. What records of a person are found by. */
  subjectIndex(organizationId: string, userRef: string): Buffer;
  /** AES-256-GCM: iv (12 bytes), tag (16 bytes), ciphertext. */
  seal(record: RecordName, seed: Buffer, plain: string | Uint8Array): Buffer;
  /** Throws when the seed, the record or the master key is another one, or what was sealed was tampered with. */
  open(record: RecordName, seed: Buffer, sealed: Buffer): Buffer;
  /** Encrypts a seed under the hold key: 60 bytes instead of 32. */
  restrictSeed(record: RecordName, seed: Buffer): Buffer;
  /** Throws like open. */
  releaseSeed(record: RecordName, restricted: Buffer): Buffer;
  /** The same under the newest master key; undefined when it is already. Throws like open. */
  resealed(record: RecordName, seed: Buffer, sealed: Buffer): Buffer | undefined;
  /** Like resealed, of a restricted seed. */
  resealedSeed(record: RecordName, restricted: Buffer): Buffer | undefined;
}

const ivBytes = 12;
const tagBytes = 16;
const seedBytes = 32;
const indexBytes = 16;

type SealingKeys = OrganizationKeys<"record" | "hold">;

/**
 * The first master key seals, and what any of them sealed can be read. People are found by `hashKey`, which is asked for 32
 * bytes when the first person is looked for, and never changes: what is found by it could not be found any more.
 */
export function createSubjectVault(masterKeys: KeyRing, hashKey: () => Buffer): SubjectVault {
  const indexKeys = createOrganizationKeys(hashKey, ["subject-index"]);
  const [first, ...others] = masterKeys;
  const sealing = (key: Buffer): SealingKeys => createOrganizationKeys(() => key, ["record", "hold"]);
  const ring: readonly [SealingKeys, ...SealingKeys[]] = [sealing(first), ...others.map(sealing)];
  const newest = ring[0];
  // As a KeyObject: Node takes 1.6 µs to make one and to set up a cipher with it, 8.6 µs to set it up with the bytes.
  const dataKey = (keysOf: SealingKeys, { organizationId }: RecordName, seed: Buffer): KeyObject =>
    createSecretKey(createHmac("sha256", keysOf(organizationId).record).update(seed).digest());
  const openWith = (keysOf: SealingKeys, record: RecordName, seed: Buffer, sealed: Buffer): Buffer =>
    decrypt(dataKey(keysOf, record, seed), record, sealed);
  const releaseWith = (keysOf: SealingKeys, record: RecordName, restricted: Buffer): Buffer =>
    decrypt(keysOf(record.organizationId).hold, record, restricted);
  const vault: Omit<SubjectVault, "resealed" | "resealedSeed"> = {
    subjectIndex: (organizationId, userRef) =>
      createHmac("sha256", indexKeys(organizationId)["subject-index"]).update(userRef).digest().subarray(0, indexBytes),
    seal: (record, seed, plain) => encrypt(dataKey(newest, record, seed), record, plain),
    open: (record, seed, sealed) => withAnyKey(ring, (keysOf) => openWith(keysOf, record, seed, sealed)),
    restrictSeed: (record, seed) => encrypt(newest(record.organizationId).hold, record, seed),
    releaseSeed: (record, restricted) => withAnyKey(ring, (keysOf) => releaseWith(keysOf, record, restricted)),
  };
  return {
    ...vault,
    resealed: (record, seed, sealed) =>
      opens(() => openWith(newest, record, seed, sealed))
        ? undefined
        : vault.seal(record, seed, vault.open(record, seed, sealed)),
    resealedSeed: (record, restricted) =>
      opens(() => releaseWith(newest, record, restricted))
        ? undefined
        : vault.restrictSeed(record, vault.releaseSeed(record, restricted)),
  };
}

function opens(open: () => unknown): boolean {
  try {
    open();
    return true;
  } catch {
    return false;
  }
}

const seeds = Buffer.allocUnsafe(seedBytes * 256);
let seedOffset = seeds.length;

/** A fresh seed; random numbers come much cheaper in large pieces. */
export function newSeed(): Buffer {
  if (seedOffset === seeds.length) {
    randomFillSync(seeds);
    seedOffset = 0;
  }
  const seed = Buffer.from(seeds.subarray(seedOffset, seedOffset + seedBytes));
  seeds.fill(0, seedOffset, seedOffset + seedBytes);
  seedOffset += seedBytes;
  return seed;
}

const ivs = Buffer.allocUnsafe(ivBytes * 512);
let ivOffset = ivs.length;

function newIv(): Buffer {
  if (ivOffset === ivs.length) {
    randomFillSync(ivs);
    ivOffset = 0;
  }
  ivOffset += ivBytes;
  return ivs.subarray(ivOffset - ivBytes, ivOffset);
}

const context = ({ organizationId, recordId }: RecordName): Buffer => Buffer.from(`${organizationId}/${recordId}`);

function encrypt(key: KeyObject, record: RecordName, plain: string | Uint8Array): Buffer {
  const iv = newIv();
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: tagBytes });
  cipher.setAAD(context(record));
  const encrypted = typeof plain === "string" ? cipher.update(plain, "utf8") : cipher.update(plain);
  cipher.final();
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
}

function decrypt(key: KeyObject, record: RecordName, sealed: Buffer): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(context(record));
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  const plain = decipher.update(sealed.subarray(ivBytes + tagBytes));
  decipher.final();
  return plain;
}

/** The seed of a record, if it may be read, or why it may not. */
export interface RecordSeed {
  /** Null when what is sealed stays closed. */
  readonly seed: Buffer | null;
  readonly erased: boolean;
  readonly restricted: boolean;
}

const plainBytes = 32;

/**
 * What a row of click.subject_key comes to; null for none, which is what erasure leaves. A restricted seed is released
 * only for administrators who said why they must see it (GDPR art. 18).
 */
export function readSeed(
  vault: SubjectVault,
  record: RecordName,
  stored: Buffer | null,
  opensRestricted = false,
): RecordSeed {
  if (stored === null) return { seed: null, erased: true, restricted: false };
  if (stored.length === plainBytes) return { seed: stored, erased: false, restricted: false };
  return { seed: opensRestricted ? vault.releaseSeed(record, stored) : null, erased: false, restricted: true };
}
