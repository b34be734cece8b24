import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { networkOf } from "../limits/flood-guard.ts";
import type { Limiter } from "../limits/limiter.ts";
import type { Bucket, Grant } from "../limits/window-store.ts";

/** Slows down guessing of client secrets, passwords and assertions. */
export interface TokenGuard {
  /** Throws RATE_LIMIT_EXCEEDED when this address has failed too often, overall or with this client. */
  requireCalm(ip: string, clientId?: string): void;
  /** Throws the same when this failure exceeds the limit. */
  recordFailure(ip: string, clientId?: string): Promise<void>;
}

const failuresOfClient = 10;
const failuresOfAddress = 100;

/**
 * Counted per client and address, so that nobody can lock out a client from elsewhere, and per address over all
 * clients, so that switching clients gains nothing. All gateways share the counts; one that has not noticed a
 * full count learns of it with the next failure. The secrets have 256 bits and need no slow hash: this only
 * bounds the work that guessing causes.
 */
export function createTokenGuard({ limiter, logger }: { limiter: Limiter; logger: Logger }): TokenGuard {
  const take = (bucket: Bucket): Promise<Grant | undefined> =>
    limiter.take(bucket).catch((error: unknown) => {
      logger.warn({ err: error }, "a failed token request could not be counted");
      return undefined;
    });
  return {
    requireCalm: (ip, clientId) => {
      for (const bucket of bucketsOf(ip, clientId)) {
        const refusal = limiter.refusal(bucket);
        if (refusal !== undefined) throw tooManyFailures(refusal);
      }
    },
    recordFailure: async (ip, clientId) => {
      const grants = await Promise.all(bucketsOf(ip, clientId).map(take));
      const refusal = grants.find((grant) => grant?.granted === false);
      if (refusal !== undefined) throw tooManyFailures(refusal);
    },
  };
}

/** Client ids contain no spaces, so bucket keys are unambiguous. */
function bucketsOf(ip: string, clientId: string | undefined): Bucket[] {
  const network = networkOf(ip);
  const ofAddress = { key: `token-failures ${network}`, limit: failuresOfAddress };
  if (clientId === undefined) return [ofAddress];
  return [ofAddress, { key: `token-failure ${clientId} ${network}`, limit: failuresOfClient }];
}

const tooManyFailures = ({ limit, resetAt, retryAfterSeconds }: Grant): DomainError =>
  new DomainError("RATE_LIMIT_EXCEEDED", {
    metadata: { limit: String(limit), resetAt: String(resetAt), retryAfterSeconds: String(retryAfterSeconds) },
  });
