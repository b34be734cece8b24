import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import type { LimitGroup, OrganizationLimits } from "../auth/organization-limits.ts";
import type { Principal } from "../auth/principal.ts";
import type { Limiter } from "../limits/limiter.ts";
import type { Bucket, Grant } from "../limits/window-store.ts";

/** Takes one request from the budgets of a client and of its organization. The grant may be a refusal. */
export type TakeRequest = (principal: Principal, group: LimitGroup, method: string) => Promise<Grant>;

/** Whether it is known already, without asking the database, that the budget is used up. */
export type IsUsedUp = (principal: Principal, group: LimitGroup) => Promise<boolean>;

/** Throws ORGANIZATION_SUSPENDED for what would change something in an organization that may only read. */
export type RequireActive = (principal: Principal, method: string) => Promise<void>;

export const createRequireActive =
  (organizations: Pick<OrganizationLimits, "of">): RequireActive =>
  async ({ orgId }, method) => {
    if (isRead(method)) return;
    const { suspended } = await organizations.of(orgId);
    if (suspended === true) throw new DomainError("ORGANIZATION_SUSPENDED");
  };

const isRead = (method: string): boolean => method === "GET" || method === "HEAD";

export interface RateLimitDeps {
  readonly limiter: Limiter;
  /** Counts locally while the shared windows are unreachable. */
  readonly localLimiter: (bucket: Bucket) => Grant;
  readonly organizations: Pick<OrganizationLimits, "of">;
  readonly metrics: Pick<Metrics, "limiterRefusals">;
  readonly logger: Logger;
}

export interface RateLimit {
  readonly takeRequest: TakeRequest;
  readonly isUsedUp: IsUsedUp;
}

export function createRateLimit({ limiter, localLimiter, organizations, metrics, logger }: RateLimitDeps): RateLimit {
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
    if (!isRead(method)) throw new DomainError("SERVICE_UNAVAILABLE", { cause: error });
    return localLimiter(bucket);
  };

  const take = (bucket: Bucket, method: string): Promise<Grant> =>
    limiter.take(bucket).then(
      (grant) => {
        // A refusal may come from memory.
        if (grant.granted) noteReached();
        return grant;
      },
      (error: unknown) => takeAlone(bucket, method, error),
    );

  /**
   * From both with one statement. What one of them refuses counts for the other all the same: once, since a refusal is
   * remembered until the window ends.
   */
  const takeBoth = async (own: Bucket, shared: Bucket, method: string): Promise<Grant> => {
    const [grant, ofAll] = await Promise.all([take(own, method), take(shared, method)]);
    return grant.granted && !ofAll.granted ? ofAll : grant;
  };

  const budgetsOf = async ({ orgId, clientId, user }: Principal, group: LimitGroup) => {
    const limits = await organizations.of(orgId);
    const own = { key: `${clientId} ${group}`, limit: limits[group] };
    // Programs share a budget; people keep theirs, since it is they who stop a program that takes too much.
    const shared =
      user === undefined ? { key: `organization ${orgId} ${group}`, limit: limits.shared[group] } : undefined;
    const refusal = limiter.refusal(own) ?? (shared && limiter.refusal(shared));
    return { own, shared, plan: limits.plan, refusal };
  };

  return {
    takeRequest: async (principal, group, method) => {
      const { own, shared, plan, refusal } = await budgetsOf(principal, group);
      const grant = refusal ?? (await (shared === undefined ? take(own, method) : takeBoth(own, shared, method)));
      if (grant.granted) return grant;
      metrics.limiterRefusals.inc({ group });
      return { ...grant, plan };
    },
    isUsedUp: async (principal, group) => (await budgetsOf(principal, group)).refusal !== undefined,
  };
}
