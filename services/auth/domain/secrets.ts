import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** The keys that are derived from the master key, one per purpose so that none can stand in for another. */
export interface DerivedKeys {
  readonly apiKeyPepper: Buffer;
  readonly clientSecretPepper: Buffer;
  readonly signingKeyKek: Buffer;
  readonly passwordSalt: Buffer;
  readonly passwordPepper: Buffer;
  readonly totpKek: Buffer;
  readonly recoveryCodePepper: Buffer;
  readonly mailTokenKek: Buffer;
  readonly csrfKey: Buffer;
}

const keyBytes = 32;

export function deriveKeys(masterKey: Buffer): DerivedKeys {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync("sha256", masterKey, Buffer.alloc(0), `assent auth ${purpose}`, keyBytes));
  return {
    apiKeyPepper: derive("api key pepper"),
    clientSecretPepper: derive("client secret pepper"),
    signingKeyKek: derive("signing key encryption"),
    passwordSalt: derive("password salt"),
    passwordPepper: derive("password pepper"),
    totpKek: derive("totp secret encryption"),
    recoveryCodePepper: derive("recovery code pepper"),
    mailTokenKek: derive("mail token encryption"),
    csrfKey: derive("csrf token"),
  };
}

/** The stored form of an API key. The id is part of the value, so a hash copied to another row matches nothing. */
export const hashApiKey = (keys: DerivedKeys, value: string): Buffer =>
  createHmac("sha256", keys.apiKeyPepper).update(value).digest();

/** The stored form of a client secret, bound to its client. */
export const hashClientSecret = (keys: DerivedKeys, clientId: string, secret: string): Buffer =>
  createHmac("sha256", keys.clientSecretPepper).update(`${clientId}:${secret}`).digest();

// Compared with when there is nothing to compare with, so that an unknown id takes the same steps as a wrong secret.
const noHash = Buffer.alloc(keyBytes);

/** Compares in constant time; false when nothing is stored. */
export function hashMatches(presented: Buffer, stored: Buffer | undefined): boolean {
  const isEqual = timingSafeEqual(presented, stored ?? noHash);
  return isEqual && stored !== undefined;
}
