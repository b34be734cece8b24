import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import type pg from "pg";
import { hashKeyColumn, type SealedColumn } from "#platform/master-keys/reseal.ts";
import { decryptBytes, derivedRing, encrypt, type KeyRing, resealed } from "#platform/secrets.ts";
import { readSeed, type SubjectVault } from "../vault/subject-vault.ts";
import { type KeyPurpose, keyPurposes, listSigningKeys } from "./signing-key-store.ts";

/** All columns sealed under the master key. */
export const sealedColumns = (masterKeys: KeyRing, vault: SubjectVault): readonly SealedColumn[] => [
  hashKeyColumn("click", masterKeys),
  {
    table: "click.signing_key",
    column: "private_key",
    key: { purpose: "text", generation: "integer" },
    select: "t.purpose, t.kid",
    reseal: ({ purpose, kid }: { purpose: KeyPurpose; kid: string }, sealed) =>
      resealed(signingKeyKek(masterKeys, purpose), sealed, kid),
  },
  ofRecords(vault, "click.acceptance", "sealed", "receipt_id", { organization_id: "uuid", idempotency_hash: "bytea" }),
  ofRecords(vault, "click.session", "sealed", "id", { organization_id: "uuid", id: "uuid" }),
  ofRecords(vault, "click.session", "sealed_reason", "id", { organization_id: "uuid", id: "uuid" }),
  ofRecords(vault, "click.session_event", "sealed_target", "session_id", {
    organization_id: "uuid",
    session_id: "uuid",
    position: "integer",
  }),
  ofRecords(vault, "click.sealed_rendering", "sealed", "record_id", { organization_id: "uuid", record_id: "uuid" }),
  ofRecords(vault, "click.consent_event", "sealed", "receipt_id", {
    organization_id: "uuid",
    subject_index: "bytea",
    revision: "integer",
  }),
  {
    table: "click.campaign_person",
    column: "sealed",
    key: { organization_id: "uuid", campaign_id: "uuid", subject_index: "bytea" },
    select: 't.organization_id as "organizationId", t.campaign_id as "recordId", t.seed',
    reseal: ({ seed, ...record }, sealed) => vault.resealed(record, seed, sealed),
  },
  {
    // Must come after the records: restricted ones are opened with the seeds stored here.
    table: "click.subject_key",
    column: "seed",
    key: { organization_id: "uuid", record_id: "uuid" },
    select: 't.organization_id as "organizationId", t.record_id as "recordId"',
    reseal: (record, seed) => (seed.length === plainSeedBytes ? undefined : vault.rewrappedSeed(record, seed)),
  },
];

/** A seed that is not restricted is stored in plain form. */
const plainSeedBytes = 32;

function ofRecords(
  vault: SubjectVault,
  table: string,
  column: string,
  recordId: string,
  key: Readonly<Record<string, string>>,
): SealedColumn {
  return {
    table,
    column,
    key,
    select: `t.organization_id as "organizationId", t.${recordId} as "recordId", k.seed`,
    join: `join click.subject_key k on k.organization_id = t.organization_id and k.record_id = t.${recordId}`,
    reseal: ({ organizationId, recordId, seed: stored }, sealed) => {
      const record = { organizationId, recordId };
      const { seed } = readSeed(vault, record, stored, true);
      return seed === null ? undefined : vault.resealed(record, seed, sealed);
    },
  };
}

/**
 * Finds the master key that existing hashes were derived from: the one that opens the oldest signing key.
 * Undefined when there is none, and so there are no hashes either.
 */
export async function findFormerHashKey(pool: pg.Pool, masterKeys: KeyRing): Promise<Buffer | undefined> {
  for (const purpose of keyPurposes) {
    const [oldest] = await listSigningKeys(pool, purpose);
    if (oldest === undefined) continue;
    const former = masterKeys.find((key) => {
      try {
        openSealedKey(signingKeyKek([key], purpose), oldest);
        return true;
      } catch {
        return false;
      }
    });
    if (former === undefined) throw new Error("no master key is the one that the database was made with");
    return former;
  }
  return undefined;
}

/** A stored Ed25519 key. */
export interface SealedKey {
  readonly kid: string;
  /** The 32 bytes of RFC 8032. */
  readonly publicKey: Buffer;
  /** iv, tag and ciphertext of the private key's 32 bytes. */
  readonly privateKey: Buffer;
}

export interface OpenKey {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** The key that encrypts the signing keys of one purpose only. */
export const signingKeyKek = (masterKeys: KeyRing, purpose: KeyPurpose): KeyRing =>
  derivedRing(masterKeys, `assent/click/${purpose}-key-encryption`);

/** Creates a key; its kid is its RFC 7638 thumbprint. */
export function makeSealedKey(kek: KeyRing): SealedKey {
  const { x = "", d = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const kid = thumbprint(x);
  return { kid, publicKey: Buffer.from(x, "base64url"), privateKey: encrypt(kek[0], Buffer.from(d, "base64url"), kid) };
}

/** Throws when the key was sealed under another master key or tampered with. */
export function openSealedKey(kek: KeyRing, sealed: SealedKey): OpenKey {
  const { kid } = sealed;
  const x = sealed.publicKey.toString("base64url");
  const d = privateBytes(kek, sealed).toString("base64url");
  const jwk = { kty: "OKP", crv: "Ed25519", x, d };
  const privateKey = createPrivateKey({ key: jwk, format: "jwk" });
  const publicKey = createPublicKey(privateKey);
  // Check the public key too: an attacker's public key in the row would verify the attacker's signatures.
  if (thumbprint(x) !== kid || publicKey.export({ format: "jwk" }).x !== x) {
    throw new Error(`signing key ${kid} has a public key that is not its own`);
  }
  return { kid, publicKey, privateKey };
}

/** The 32 bytes of RFC 8032 §5.1.5. */
export const rawPublicKey = ({ publicKey }: Pick<OpenKey, "publicKey">): Buffer =>
  Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");

const thumbprint = (x: string): string =>
  createHash("sha256")
    .update(JSON.stringify({ crv: "Ed25519", kty: "OKP", x }))
    .digest("base64url");

function privateBytes(kek: KeyRing, { kid, privateKey }: SealedKey): Buffer {
  try {
    return decryptBytes(kek, privateKey, kid);
  } catch (cause) {
    throw new Error(`signing key ${kid} cannot be decrypted: the master key is not the one it was made with`, {
      cause,
    });
  }
}
