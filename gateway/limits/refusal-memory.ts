import { type Bucket, type Grant, wholeSeconds } from "./grant.ts";
import { type WindowState, windowSeconds } from "./window-store.ts";

interface Refusal {
  readonly limit: number;
  readonly resetAt: number;
  readonly untilMs: number;
}

export interface RefusalMemory {
  /** `sentAt` is when the database was asked: counted from then, the memory never outlasts the window. */
  remember(bucket: Bucket, state: WindowState, sentAt: number): void;
  recall(bucket: Bucket): Grant | undefined;
}

const maxRefusals = 100_000;

/** Remembers refused buckets until their window ends, so that a flood of refusals costs no database work. */
export function createRefusalMemory(monotonic: () => number): RefusalMemory {
  const refusals = new Map<string, Refusal>();
  return {
    remember: ({ key, limit }, { windowStart, secondsLeft }, sentAt) => {
      // All of them end within a minute; the database refuses again what is forgotten.
      if (refusals.size >= maxRefusals) refusals.clear();
      refusals.set(key, { limit, resetAt: windowStart + windowSeconds, untilMs: sentAt + secondsLeft * 1000 });
    },
    recall: ({ key, limit }) => {
      const known = refusals.get(key);
      // A limit that has changed since is a new question.
      if (known === undefined || known.limit !== limit) return undefined;
      const leftMs = known.untilMs - monotonic();
      if (leftMs > 0) {
        return {
          granted: false,
          limit,
          remaining: 0,
          resetAt: known.resetAt,
          retryAfterSeconds: wholeSeconds(leftMs / 1000),
        };
      }
      refusals.delete(key);
      return undefined;
    },
  };
}
