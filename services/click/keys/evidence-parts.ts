import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { neverSigns, validityOf } from "#platform/key-schedule.ts";
import type { Logger } from "#platform/logger.ts";
import type { KeyRing } from "#platform/secrets.ts";
import { verifierKey } from "#platform/transparency/signed-note.ts";
import { createLeafSigner, type LeafSigner } from "../log/leaf.ts";
import { createSubjectVault, type SubjectVault } from "../vault/subject-vault.ts";
import { rawPublicKey, signingKeyKek } from "./sealed-columns.ts";
import type { KeyPurpose } from "./signing-key-store.ts";
import { createSigningKeys, type ManagedSigningKeys, type SigningKey } from "./signing-keys.ts";

/** Keys and names for sealing and signing evidence. */
export interface EvidenceParts {
  readonly vault: SubjectVault;
  readonly leafSigner: LeafSigner;
  readonly renderKeys: ManagedSigningKeys;
  readonly receiptKeys: ManagedSigningKeys;
  readonly logKeys: ManagedSigningKeys;
  /** The installation's public address, without a trailing slash. */
  readonly issuer: string;
}

export interface EvidencePartsOptions {
  readonly pool: pg.Pool;
  readonly masterKeys: KeyRing;
  /** The key for finding people; see createSubjectVault. */
  readonly hashKey: () => Buffer;
  readonly issuer: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createEvidenceParts({ masterKeys, hashKey, issuer, ...deps }: EvidencePartsOptions): EvidenceParts {
  const keysFor = (purpose: KeyPurpose) =>
    createSigningKeys({ ...deps, purpose, kek: signingKeyKek(masterKeys, purpose) });
  const receiptKeys = keysFor("receipt");
  return {
    vault: createSubjectVault(masterKeys, hashKey),
    leafSigner: createLeafSigner({ keys: receiptKeys }),
    renderKeys: keysFor("render"),
    receiptKeys,
    logKeys: keysFor("log"),
    issuer,
  };
}

/** A public key in evidence: a JWK (RFC 8037) with the validity of its signatures. */
export interface EvidenceJwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
  readonly alg: "EdDSA";
  readonly use: "sig";
  readonly purpose: KeyPurpose;
  /** Unix seconds. */
  readonly nbf: number;
  /** Like nbf; absent while there is no successor. */
  readonly exp?: number;
  /** ISO 8601; nothing signed from then on can be trusted. */
  readonly revokedAt?: string;
}

/** One key among all keys of its purpose, exactly as the installation publishes it. */
export function evidenceJwk(keys: readonly SigningKey[], key: SigningKey, purpose: KeyPurpose): EvidenceJwk {
  const { from, until } = validityOf(keys, key);
  return {
    kty: "OKP",
    crv: "Ed25519",
    x: rawPublicKey(key).toString("base64url"),
    kid: key.kid,
    alg: "EdDSA",
    use: "sig",
    purpose,
    nbf: Math.floor(from.getTime() / 1000),
    ...(until === null ? {} : { exp: Math.ceil(until.getTime() / 1000) }),
    ...(key.revokedAt === null ? {} : { revokedAt: key.revokedAt.toISOString() }),
  };
}

/** C2SP signed-note verifier keys for these origins of logs: one for each key that logs were or will be signed with. */
export const originVerifierKeys = (keys: readonly SigningKey[], origins: readonly string[]): string[] =>
  origins.flatMap((origin) =>
    keys.filter((key) => !neverSigns(keys, key)).map((key) => verifierKey(origin, rawPublicKey(key))),
  );
