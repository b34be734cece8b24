import type { RateState } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { genDialect } from "../../http/error-dialect.ts";
import { required } from "../required.ts";
import type { ProtectedAccess } from "../route.ts";

/** What all operations of document generation share. */
export const genBase = { dialect: genDialect } as const;

export const read: ProtectedAccess = { scopes: ["gen:read"], limitGroup: "other" };
export const write: ProtectedAccess = { scopes: ["gen:write"], limitGroup: "other" };
/** What takes a slot of the plan. */
export const generate: ProtectedAccess = { scopes: ["gen:write"], limitGroup: "plan" };

export const location = (path: string) => ({ Location: `Where it is read: ${path}.` }) as const;

export const replayed = { "Idempotent-Replayed": "true" } as const;
export const replayedHeader = {
  "Idempotent-Replayed":
    "true when nothing new was made: the answer is about what the first request with this key made.",
} as const;

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
