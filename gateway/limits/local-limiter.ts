import type { Clock } from "#platform/clock.ts";
import { type Bucket, type Grant, wholeSeconds, windowSeconds } from "./window-store.ts";

const maxBuckets = 100_000;

/** Counts in this process alone, for the time in which the shared windows cannot be reached. */
export function createLocalLimiter(clock: Clock): (bucket: Bucket) => Grant {
  const used = new Map<string, number>();
  let windowStart = 0;
  return ({ key, limit }) => {
    const now = clock.now().getTime() / 1000;
    const start = Math.floor(now / windowSeconds) * windowSeconds;
    if (start !== windowStart || used.size >= maxBuckets) used.clear();
    windowStart = start;
    const before = used.get(key) ?? 0;
    const granted = before < limit;
    if (granted) used.set(key, before + 1);
    const resetAt = start + windowSeconds;
    const remaining = granted ? limit - before - 1 : 0;
    return { granted, limit, remaining, resetAt, retryAfterSeconds: wholeSeconds(resetAt - now) };
  };
}
