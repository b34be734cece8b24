import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RateStateSchema } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { Plan } from "../domain/plan.ts";
import type { RateState, Refusal } from "../store/usage-store.ts";

export const rateMessage = (rate: RateState): MessageInitShape<typeof RateStateSchema> => ({
  limit: rate.limit,
  remaining: rate.remaining,
  resetAt: BigInt(rate.resetAt),
  retryAfterSeconds: rate.retryAfterSeconds,
});

/** The error of a request that the plan has no slot for. */
export const rateLimited = (plan: Plan, refusal: Refusal): DomainError => {
  const { limit, windowSeconds, retryAfterSeconds, resetAt } = refusal;
  const numbers = { limit, windowSeconds, retryAfterSeconds, resetAt };
  const metadata = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)]));
  return new DomainError("GEN_RATE_LIMITED", { metadata: { plan, ...metadata } });
};
