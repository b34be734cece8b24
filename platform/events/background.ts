import { setTimeout as delay } from "node:timers/promises";

/**
 * Runs `work` repeatedly until the signal fires, with a pause after each run, whether it failed or not.
 * `onFailure` is only called for the first of consecutive failures, since outages last.
 */
export async function repeatUntil(
  signal: AbortSignal,
  pauseMs: number,
  work: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<void> {
  let failing = false;
  while (!signal.aborted) {
    try {
      await work();
      failing = false;
    } catch (error) {
      if (!failing && !signal.aborted) onFailure(error);
      failing = true;
    }
    await delay(pauseMs, undefined, { signal }).catch(() => {});
  }
}

/** A value that comes and goes, and that many can wait for. */
export interface Gate<T> {
  /** The value while the gate is open. */
  readonly value: T | undefined;
  open(value: T): void;
  shut(): void;
  /** Resolves with the value once the gate is open; rejects with `message` when the signal fires first. */
  wait(signal: AbortSignal, message: string): Promise<T>;
}

export function createGate<T>(): Gate<T> {
  const waiters = new Set<(value: T) => void>();
  let current: T | undefined;
  return {
    get value() {
      return current;
    },
    open: (value) => {
      current = value;
      for (const wake of waiters) wake(value);
    },
    shut: () => {
      current = undefined;
    },
    wait: (signal, message) => {
      if (current !== undefined && !signal.aborted) return Promise.resolve(current);
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          waiters.delete(wake);
          signal.removeEventListener("abort", abort);
        };
        const wake = (value: T): void => {
          leave();
          resolve(value);
        };
        const abort = (): void => {
          leave();
          reject(new Error(message, { cause: signal.reason }));
        };
        waiters.add(wake);
        signal.addEventListener("abort", abort);
        if (signal.aborted) abort();
      });
    },
  };
}

/** Resolves when the signal fires, or at once if it already has. */
export const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
