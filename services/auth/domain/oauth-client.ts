import { createPublicKey, type KeyObject } from "node:crypto";
import { calculateJwkThumbprint, type JWK } from "jose";
import type { DomainError } from "#platform/errors.ts";
import { refusedField } from "#platform/problems.ts";
import { randomBase62 } from "./secrets.ts";

export type AssertionAlgorithm = "RS256" | "ES256";

/** A public key of a client, with the one algorithm that its signatures are verified with. */
export interface ClientKey {
  /** The RFC 7638 thumbprint. */
  readonly keyId: string;
  readonly algorithm: AssertionAlgorithm;
  readonly publicJwk: JWK;
}

/** A client may have so many keys that are not revoked: enough to rotate, and few to try. */
export const maxLivingKeys = 5;

const minRsaBits = 2_048;
// Verifying takes longer with the length of the modulus and of the exponent, and anybody may ask for it.
const maxRsaBits = 8_192;
const maxRsaExponent = 2n ** 32n;

const pemPattern = /^\s*-----BEGIN (?:RSA )?PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END (?:RSA )?PUBLIC KEY-----\s*$/;
const keyIdPattern = /^[A-Za-z0-9_-]{43}$/;

export const isClientKeyId = (value: string): boolean => keyIdPattern.test(value);

/** Reads a public key. Throws VALIDATION_FAILED for everything else, above all for private keys. */
export async function parseClientKey(pem: string): Promise<ClientKey> {
  // Node would derive the public key of a private one, which then would have been sent around in vain.
  if (pem.includes("PRIVATE KEY")) throw invalid("is a private key; keep it and register its public key");
  const key = pemPattern.test(pem) ? readKey(pem) : undefined;
  if (key === undefined) throw invalid("must be one public key in PEM (-----BEGIN PUBLIC KEY-----)");
  const algorithm = algorithmOf(key);
  const publicJwk = key.export({ format: "jwk" }) as JWK;
  return { keyId: await calculateJwkThumbprint(publicJwk), algorithm, publicJwk };
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): AssertionAlgorithm {
  const { modulusLength = 0, publicExponent = 0n, namedCurve } = asymmetricKeyDetails;
  if (asymmetricKeyType === "ec" && namedCurve === "prime256v1") return "ES256";
  if (asymmetricKeyType !== "rsa") throw invalid("must be an RSA key or one of the curve P-256");
  if (modulusLength < minRsaBits || modulusLength > maxRsaBits) {
    throw invalid(`must have from ${minRsaBits} to ${maxRsaBits} bits`);
  }
  if (publicExponent < 3n || publicExponent > maxRsaExponent || publicExponent % 2n === 0n) {
    throw invalid("must have an odd public exponent from 3 to 4294967295");
  }
  return "RS256";
}

const invalid = (message: string): DomainError => refusedField("public_key_pem", "INVALID_PUBLIC_KEY", message);

const clientIdPattern = /^cl_[0-9A-Za-z]{22}$/;

/** `cl_` and 22 base62 digits: 131 random bits, unique without asking the database. */
export const makeClientId = (): string => `cl_${randomBase62(22)}`;

/** `cs_` and 43 base62 digits: 256 random bits. */
export const makeClientSecret = (): string => `cs_${randomBase62(43)}`;

export const isClientId = (value: string): boolean => clientIdPattern.test(value);
