import { DomainError } from "#platform/errors.ts";
import type { Principal } from "./principal.ts";

/** What was revoked, as far as this gateway knows. */
export interface Revocations {
  /** Adds the id of a token, client or key. */
  add(id: string): void;
  isRevoked(principal: Principal): boolean;
  /** To be called once everything that was revoked before the start has been added. */
  markKnown(): void;
  /** Throws SERVICE_UNAVAILABLE until then: a gateway that knows no revocations trusts nobody. */
  requireKnown(): void;
}

// Twice the life of an access token: later, whatever was revoked has expired by itself, and keys are looked up anew.
const forgetAfterMs = 2 * 3_600_000;

export function createRevocations(monotonic: () => number): Revocations {
  // In the order in which they were added, so the oldest are in front.
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
