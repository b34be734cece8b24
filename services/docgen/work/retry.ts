import { setTimeout as delay } from "node:timers/promises";
import { isTransient } from "#platform/db/errors.ts";

const firstPauseMs = 50;
const longestPauseMs = 1_000;

/** Tries again while the database is away, until the signal is aborted; then rejects with the last error. */
export async function whileAway<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error;
      await delay(pause, undefined, { signal }).catch(() => {});
    }
  }
}
