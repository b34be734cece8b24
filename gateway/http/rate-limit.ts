import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import type { LimitGroup, OrganizationLimits } from "../auth/organization-limits.ts";
import type { Principal } from "../auth/principal.ts";
import type { Limiter } from "../limits/limiter.ts";
import type { Bucket, Grant } from "../limits/window-store.ts";

/** Takes one request from a client's budget. The grant may be a refusal. */
export type TakeRequest = (principal: Principal, group: LimitGroup, method: string) => Promise<Grant>;

export interface RateLimitDeps {
  readonly limiter: Limiter;
  /** Counts locally while the shared windows are unreachable. */
  readonly localLimiter: (bucket: Bucket) => Grant;
  readonly organizations: Pick<OrganizationLimits, "of">;
  readonly metrics: Pick<Metrics, "limiterRefusals">;
  readonly logger: Logger;
}

export function createRateLimit({ limiter, localLimiter, organizations, metrics, logger }: RateLimitDeps): TakeRequest {
  let isAway = false;

  /** Logs once per outage, since every request ends up here. */
  const noteAway = (error: unknown): void => {
    if (!isAway) logger.warn({ err: error }, "the shared rate-limit windows cannot be reached");
    isAway = true;
  };

  const noteReached = (): void => {
    if (isAway) logger.info("the shared rate-limit windows are reached again");
    isAway = false;
  };

  const takeAlone = (bucket: Bucket, method: string, error: unknown): Grant => {
    noteAway(error);
    // Reads continue with approximate limits. Writes need the database anyway, and must not exceed their
    // budget.
    if (method !== "GET" && method !== "HEAD") throw new DomainError("SERVICE_UNAVAILABLE", { cause: error });
    return localLimiter(bucket);
  };

  return async (principal, group, method) => {
    const limits = await organizations.of(principal.orgId);
    const bucket = { key: `${principal.clientId} ${group}`, limit: limits[group] };
    const grant = await limiter.take(bucket).then(
      (shared) => {
        // A refusal may come from memory.
        if (shared.granted) noteReached();
        return shared;
      },
      (error: unknown) => takeAlone(bucket, method, error),
    );
    if (grant.granted) return grant;
    metrics.limiterRefusals.inc({ group });
    return { ...grant, plan: limits.plan };
  };
}
