/** The end of an attempt: by time, or because somebody ends it before. */
export interface Deadline {
  /** Aborted at the end, with the reason for it. */
  readonly signal: AbortSignal;
  /** Milliseconds, 0 when the time is over. */
  remainingMs(): number;
  elapsedMs(): number;
  end(reason: Error): void;
  /** Frees the timer. */
  clear(): void;
}

/** Starts now. `late` is the reason of the signal when the time is over. */
export function startDeadline(timeoutMs: number, late: () => Error): Deadline {
  const controller = new AbortController();
  const startedAt = performance.now();
  const elapsedMs = (): number => performance.now() - startedAt;
  const timer = setTimeout(() => controller.abort(late()), timeoutMs);
  return {
    signal: controller.signal,
    remainingMs: () => Math.max(0, timeoutMs - elapsedMs()),
    elapsedMs,
    end: (reason) => controller.abort(reason),
    clear: () => clearTimeout(timer),
  };
}

/** The promise's outcome, or a rejection with the signal's reason if that comes first. */
export async function beforeAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
