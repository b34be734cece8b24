import { createHmac, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { LRUCache } from "lru-cache";

/** The keys of an organization, by what they are for. */
export type OrganizationKeys<P extends string> = (organizationId: string) => Readonly<Record<P, KeyObject>>;

const cachedOrganizations = 10_000;

/**
 * Derives a key for each purpose and organization (HKDF-SHA-256, RFC 5869), so that equal values of two organizations, or
 * of two purposes, never look equal. The key has 32 bytes, and is asked for when it is needed first.
 */
export function createOrganizationKeys<const P extends string>(
  rootKey: () => Buffer,
  purposes: readonly P[],
): OrganizationKeys<P> {
  const cache = new LRUCache<string, Readonly<Record<P, KeyObject>>>({ max: cachedOrganizations });
  const derive = (purpose: P, organizationId: string): KeyObject => {
    const root = rootKey();
    if (root.length !== 32) throw new Error("the key must have 32 bytes");
    return createSecretKey(Buffer.from(hkdfSync("sha256", root, organizationId, `assent/click/${purpose}`, 32)));
  };
  return (organizationId) => {
    const known = cache.get(organizationId);
    if (known !== undefined) return known;
    const keys = Object.fromEntries(purposes.map((purpose) => [purpose, derive(purpose, organizationId)]));
    cache.set(organizationId, keys as Record<P, KeyObject>);
    return keys as Record<P, KeyObject>;
  };
}

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
  const keysOf = createOrganizationKeys(hashKey, ["idempotency-key", "body", "once", "user"]);
  return {
    idempotencyHash: (organizationId, key) => hmac(keysOf(organizationId)["idempotency-key"], key),
    bodyHash: (organizationId, body) => hmac(keysOf(organizationId).body, body),
    onceHash: (organizationId, { userRef, versionId, revision }) =>
      hmac(keysOf(organizationId).once, JSON.stringify([versionId, revision, userRef])),
    userKey: (organizationId, userRef) => hmac(keysOf(organizationId).user, userRef).subarray(0, userKeyBytes),
  };
}

const hmac = (key: KeyObject, data: string | Uint8Array): Buffer => createHmac("sha256", key).update(data).digest();
