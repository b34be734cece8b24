import { type KeyPurpose, validityOf } from "./key-schedule.ts";
import { rawPublicKey } from "./sealed-key.ts";
import type { SigningKey } from "./signing-keys.ts";

/** A public key as evidence brings it along: a JWK (RFC 8037), with when its signatures are good. */
export interface EvidenceJwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
  readonly alg: "EdDSA";
  readonly use: "sig";
  readonly purpose: KeyPurpose;
  /** Seconds since 1970. */
  readonly nbf: number;
  /** Like nbf; absent while no successor is made. */
  readonly exp?: number;
  /** ISO 8601; nothing that it signed from then on is to be trusted. */
  readonly revokedAt?: string;
}

/** One of all keys of its purpose; the same as the installation publishes it. */
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
