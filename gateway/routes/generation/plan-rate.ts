import type { RateState } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { required } from "../required.ts";

/** The rate headers of an answer that took a slot of the plan, or repeats one that did. */
export function planRateHeaders(rate: RateState | undefined): Record<string, string> {
  const { limit, remaining, resetAt, retryAfterSeconds } = required(rate);
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(resetAt),
    "Retry-After": String(Math.max(1, retryAfterSeconds)),
  };
}
