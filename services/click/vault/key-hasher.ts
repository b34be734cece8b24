import { createHmac, type KeyObject } from "node:crypto";
import { createOrganizationKeys } from "#platform/vault/organization-keys.ts";

/**
 * Keyed hashes of what must be compared but not read in the database: keys and bodies hold personal data. Each
 * organization has keys of its own, so that equal values of two organizations do not look equal.
 */
export interface KeyHasher {
  idempotencyHash(organizationId: string, key: string): Buffer;
  bodyHash(organizationId: string, body: Uint8Array): Buffer;
  /** Equal for the same user and revision. */
  onceHash(organizationId: string, once: { userRef: string; versionId: string; revision: number }): Buffer;
  /** Equal for the same user; 16 bytes. */
  userKey(organizationId: string, userRef: string): Buffer;
}

/** Enough that no two users of an organization are ever taken for one. */
const userKeyBytes = 16;

/**
 * `hashKey` answers the 32 bytes that all of it is derived from, and is asked when the first hash is made. They can never be
 * changed: recorded keys would no longer be recognised.
 */
export function createKeyHasher(hashKey: () => Buffer): KeyHasher {
  const keysOf = createOrganizationKeys("click", hashKey, ["idempotency-key", "body", "once", "user"]);
  return {
    idempotencyHash: (organizationId, key) => hmac(keysOf(organizationId)["idempotency-key"], key),
    bodyHash: (organizationId, body) => hmac(keysOf(organizationId).body, body),
    onceHash: (organizationId, { userRef, versionId, revision }) =>
      hmac(keysOf(organizationId).once, JSON.stringify([versionId, revision, userRef])),
    userKey: (organizationId, userRef) => hmac(keysOf(organizationId).user, userRef).subarray(0, userKeyBytes),
  };
}

const hmac = (key: KeyObject, data: string | Uint8Array): Buffer => createHmac("sha256", key).update(data).digest();
