import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RateStateSchema } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { type Plan, planLimits, type UsageWindow, windowsNow } from "../domain/usage.ts";
import { type RateState, type Refusal, readUsed } from "../store/usage-store.ts";
import type { DocgenDeps, DocgenRpcs } from "./deps.ts";

export const getUsage = (deps: Pick<DocgenDeps, "pool" | "plans">): DocgenRpcs<"getUsage"> => ({
  async getUsage(_request, context) {
    const { orgId } = requireCaller(context);
    const plan = await deps.plans.of(orgId);
    const usedNow = await withOrg(deps.pool, orgId, (tenant) => readUsed(tenant));
    const { hour, minute } = windowsNow(planLimits[plan], usedNow);
    return { plan, hour: windowMessage(hour), minute: windowMessage(minute) };
  },
});

const windowMessage = ({ limit, used, resetAt }: UsageWindow) => ({ limit, used, resetAt: BigInt(resetAt) });

export const rateMessage = (rate: RateState): MessageInitShape<typeof RateStateSchema> => ({
  limit: rate.limit,
  remaining: rate.remaining,
  resetAt: BigInt(rate.resetAt),
  retryAfterSeconds: rate.retryAfterSeconds,
});

/** The error of a request for which the plan has no slot left. */
export const rateLimited = (plan: Plan, refusal: Refusal): DomainError => {
  const { limit, windowSeconds, retryAfterSeconds, resetAt } = refusal;
  const numbers = { limit, windowSeconds, retryAfterSeconds, resetAt };
  const metadata = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)]));
  return new DomainError("GEN_RATE_LIMITED", { metadata: { plan, ...metadata } });
};
