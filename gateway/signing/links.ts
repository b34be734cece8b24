import { fileURLToPath } from "node:url";
import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { type BuiltPage, loadBuiltPage } from "../built-page.ts";
import { networkOf } from "../limits/flood-guard.ts";
import type { Limiter } from "../limits/limiter.ts";
import type { Bucket, Grant } from "../limits/window-store.ts";

/** Slows down guessing of links. */
export interface LinkGuard {
  /** Throws RATE_LIMIT_EXCEEDED when this address has tried too many links that do not work. */
  requireCalm(ip: string): void;
  /** Throws the same when this failure is one too many. */
  recordFailure(ip: string): Promise<void>;
}

/** Many people may share one address, and each may return to a link that has ended. */
const failuresOfAddress = 300;

/** All gateways share the counts. Links have 256 bits and cannot be guessed; this bounds the work that trying causes. */
export const createLinkGuard = ({ limiter, logger }: { limiter: Limiter; logger: Logger }): LinkGuard => ({
  requireCalm: (ip) => {
    const refusal = limiter.refusal(bucketOf(ip));
    if (refusal !== undefined) throw tooManyFailures(refusal);
  },
  recordFailure: async (ip) => {
    const grant = await limiter.take(bucketOf(ip)).catch((error: unknown) => {
      logger.warn({ err: error }, "a link that does not work could not be counted");
      return undefined;
    });
    if (grant?.granted === false) throw tooManyFailures(grant);
  },
});

const bucketOf = (ip: string): Bucket => ({ key: `link-failures ${networkOf(ip)}`, limit: failuresOfAddress });

const tooManyFailures = ({ limit, resetAt, retryAfterSeconds }: Grant): DomainError =>
  new DomainError("RATE_LIMIT_EXCEEDED", {
    metadata: { limit: String(limit), resetAt: String(resetAt), retryAfterSeconds: String(retryAfterSeconds) },
  });

/** Where the build writes the page. */
export const defaultSigningPageFolder = fileURLToPath(new URL("../../web/dist/signing", import.meta.url));

/** Undefined when it was not built. Throws when it is required. */
export const loadSigningPage = (
  folder: string,
  built: { readonly required: boolean; readonly logger: Logger },
): BuiltPage | undefined =>
  loadBuiltPage(folder, { ...built, name: "signing page", loss: "links to agreements lead nowhere" });
