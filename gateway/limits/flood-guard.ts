import { createAddresses } from "./flood-guard-addresses.ts";
import { networkOf } from "./flood-guard-network.ts";
import { type Grant, wholeSeconds } from "./grant.ts";

/** Slows down an address that sends more than any customer would. Kept in the memory of each process. */
export interface FloodGuard {
  /** Takes one request of an address. The refusal when it has to wait; a refused request takes nothing. */
  take(address: string): Grant | undefined;
  /** Takes what a request without a valid credential costs beyond what others do. */
  takeForGuess(address: string): void;
}

export interface FloodGuardDeps {
  /** Requests that one address may send in 60 s, and at once; 0 lets everybody pass. */
  readonly requests: number;
  /** Milliseconds on a clock that never jumps. */
  readonly monotonic: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const windowMs = 60_000;
const maxAddresses = 100_000;
/** Guesses at credentials belong to no client, so no client's budget bounds them. */
const guessCost = 20;

/**
 * A bucket per address that is refilled all the time, so there is no moment at which everybody starts anew. An address
 * may owe for guesses, but never so much that it would have to wait longer than 60 s.
 */
export function createFloodGuard({ requests, monotonic, now }: FloodGuardDeps): FloodGuard {
  if (requests === 0) return { take: () => undefined, takeForGuess: () => undefined };
  const addresses = createAddresses(maxAddresses);
  const perMs = requests / windowMs;
  const mostOwed = 1 - requests;

  const refilled = (address: string) => {
    const at = monotonic();
    const bucket = addresses.use(networkOf(address), requests, at);
    bucket.tokens = Math.min(requests, bucket.tokens + (at - bucket.at) * perMs);
    bucket.at = at;
    return bucket;
  };

  return {
    take: (address) => {
      const bucket = refilled(address);
      if (bucket.tokens >= 1) {
        bucket.tokens -= 1;
        return undefined;
      }
      const waitMs = (1 - bucket.tokens) / perMs;
      return refusal(requests, waitMs, now());
    },
    takeForGuess: (address) => {
      const bucket = refilled(address);
      bucket.tokens = Math.max(mostOwed, bucket.tokens - (guessCost - 1));
    },
  };
}

const refusal = (limit: number, waitMs: number, nowMs: number): Grant => ({
  granted: false,
  limit,
  remaining: 0,
  resetAt: Math.ceil((nowMs + waitMs) / 1000),
  retryAfterSeconds: Math.min(windowMs / 1000, wholeSeconds(waitMs / 1000)),
});
