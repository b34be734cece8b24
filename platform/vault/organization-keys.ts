import { createSecretKey, type KeyObject } from "node:crypto";
import { LRUCache } from "lru-cache";
import { derivedKey } from "../secrets.ts";

/** The keys of an organization, by what they are for. */
export type OrganizationKeys<P extends string> = (organizationId: string) => Readonly<Record<P, KeyObject>>;

const cachedOrganizations = 10_000;

/**
 * Derives a key for each purpose of a service and each organization (HKDF-SHA-256, RFC 5869), so that equal values of two
 * organizations, or of two purposes, never look equal. The key has 32 bytes, and is asked for when it is needed first.
 */
export function createOrganizationKeys<const P extends string>(
  service: string,
  rootKey: () => Buffer,
  purposes: readonly P[],
): OrganizationKeys<P> {
  const cache = new LRUCache<string, Readonly<Record<P, KeyObject>>>({ max: cachedOrganizations });
  const derive = (purpose: P, organizationId: string): KeyObject => {
    const root = rootKey();
    if (root.length !== 32) throw new Error("the key must have 32 bytes");
    return createSecretKey(derivedKey(root, `assent/${service}/${purpose}`, organizationId));
  };
  return (organizationId) => {
    const known = cache.get(organizationId);
    if (known !== undefined) return known;
    const keys = Object.fromEntries(purposes.map((purpose) => [purpose, derive(purpose, organizationId)]));
    cache.set(organizationId, keys as Record<P, KeyObject>);
    return keys as Record<P, KeyObject>;
  };
}
