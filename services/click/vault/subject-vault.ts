import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomFillSync,
} from "node:crypto";
import { createOrganizationKeys } from "./organization-keys.ts";

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
}

const ivBytes = 12;
const tagBytes = 16;
const seedBytes = 32;
const indexBytes = 16;

/** The master key has 32 bytes; with another one nothing that was sealed can be read or found. */
export function createSubjectVault(masterKey: Buffer): SubjectVault {
  const keysOf = createOrganizationKeys(masterKey, ["subject-index", "record", "hold"]);
  // As a KeyObject: Node takes 1.6 µs to make one and to set up a cipher with it, 8.6 µs to set it up with the bytes.
  const dataKey = ({ organizationId }: RecordName, seed: Buffer): KeyObject =>
    createSecretKey(createHmac("sha256", keysOf(organizationId).record).update(seed).digest());
  return {
    subjectIndex: (organizationId, userRef) =>
      createHmac("sha256", keysOf(organizationId)["subject-index"]).update(userRef).digest().subarray(0, indexBytes),
    seal: (record, seed, plain) => encrypt(dataKey(record, seed), record, plain),
    open: (record, seed, sealed) => decrypt(dataKey(record, seed), record, sealed),
    restrictSeed: (record, seed) => encrypt(keysOf(record.organizationId).hold, record, seed),
    releaseSeed: (record, restricted) => decrypt(keysOf(record.organizationId).hold, record, restricted),
  };
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
