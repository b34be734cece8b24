import { DomainError } from "#platform/errors.ts";
import type { Principal } from "./principal.ts";

/** The revocations known to this gateway. */
export interface Revocations {
  /** Adds the id of a token, client or key. */
  add(id: string): void;
  isRevoked(principal: Principal): boolean;
  /** Call this once everything revoked before the start has been added. */
  markKnown(): void;
  /** Throws SERVICE_UNAVAILABLE until then: without the revocations a gateway accepts no credentials. */
  requireKnown(): void;
}

// Twice the lifetime of an access token: by then whatever was revoked has expired, and keys are looked up
// again.
const forgetAfterMs = 2 * 3_600_000;

export function createRevocations(monotonic: () => number): Revocations {
  // In insertion order, so the oldest come first.
  const revoked = new Map<string, number>();
  let isKnown = false;

  const forgetOld = (now: number): void => {
    for (const [id, addedAt] of revoked) {
      if (now - addedAt < forgetAfterMs) return;
      revoked.delete(id);
    }
  };

  return {
    add: (id) => {
      const now = monotonic();
      forgetOld(now);
      revoked.delete(id);
      revoked.set(id, now);
    },
    isRevoked: ({ clientId, tokenId }) => revoked.has(clientId) || (tokenId !== undefined && revoked.has(tokenId)),
    markKnown: () => {
      isKnown = true;
    },
    requireKnown: () => {
      if (!isKnown) throw new DomainError("SERVICE_UNAVAILABLE");
    },
  };
}
