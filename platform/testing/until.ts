import { setTimeout as delay } from "node:timers/promises";

/**
 * Resolves with the first value of `condition` that is neither false nor undefined; rejects after `timeoutMs`
 * (default 60 s) with the last error or a message. Use it instead of sleeping.
 */
export async function until<T>(
  condition: () => Promise<T | false | undefined> | T | false | undefined,
  timeoutMs = 60_000,
): Promise<T> {
  const begun = performance.now();
  const deadline = begun + timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value !== false && value !== undefined) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() > deadline)
      throw new Error(`the condition was not met within ${timeoutMs} ms`, { cause: lastError });
    // The longer the wait, the rarer the checks: each takes CPU time from what is being waited for.
    await delay(Math.min(Math.max(shortestPauseMs, (performance.now() - begun) / 10), longestPauseMs));
  }
}

const shortestPauseMs = 5;
const longestPauseMs = 100;
