import { setTimeout as delay } from "node:timers/promises";
import type { Resealer, ResealRun } from "../master-keys/reseal.ts";

/** Seals everything with the newest master key, and resolves when that is finished. */
export async function resealAll(resealer: Resealer | undefined): Promise<ResealRun> {
  if (resealer === undefined) throw new Error("the service seals nothing anew");
  await resealer.start();
  return until(async () => {
    const { run } = await resealer.state();
    return run !== undefined && run.finishedAt !== null && run;
  }, 30_000);
}

/**
 * Resolves with the first value of `condition` that is neither false nor undefined; rejects after `timeoutMs`
 * (default 25 s) with the last error or a message. Use it instead of sleeping.
 */
export async function until<T>(
  condition: () => Promise<T | false | undefined> | T | false | undefined,
  timeoutMs = 25_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
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
    await delay(5);
  }
}
