import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import type { Bucket, Grant } from "../limits/grant.ts";
import type { Limiter } from "../limits/limiter.ts";

/** Slows down who guesses client secrets. */
export interface TokenGuard {
  /** Throws RATE_LIMIT_EXCEEDED when this client has failed too often from this address. */
  requireCalm(clientId: string, ip: string): void;
  /** Throws the same when this failure is one too many. */
  recordFailure(clientId: string, ip: string): Promise<void>;
}

const failuresPerWindow = 10;

/**
 * Counted per client and address, so that nobody can lock a client out from elsewhere. The secrets have 256 bits and
 * need no slow hash; this bounds the work that guessing causes.
 */
export function createTokenGuard({ limiter, logger }: { limiter: Limiter; logger: Logger }): TokenGuard {
  return {
    requireCalm: (clientId, ip) => {
      const refusal = limiter.refusal(bucketOf(clientId, ip));
      if (refusal !== undefined) throw tooManyFailures(refusal);
    },
    recordFailure: async (clientId, ip) => {
      const grant = await limiter.take(bucketOf(clientId, ip)).catch((error: unknown) => {
        logger.warn({ err: error }, "a failed token request could not be counted");
        return undefined;
      });
      if (grant !== undefined && !grant.granted) throw tooManyFailures(grant);
    },
  };
}

const bucketOf = (clientId: string, ip: string): Bucket => ({
  key: `token-failure ${clientId} ${ip}`,
  limit: failuresPerWindow,
});

const tooManyFailures = ({ retryAfterSeconds }: Grant): DomainError =>
  new DomainError("RATE_LIMIT_EXCEEDED", { metadata: { retryAfterSeconds: String(retryAfterSeconds) } });
