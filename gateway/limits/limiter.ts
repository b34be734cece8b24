import { type Bucket, type Grant, wholeSeconds } from "./grant.ts";
import { createRefusalMemory } from "./refusal-memory.ts";
import { type WindowState, type WindowStore, type WindowTake, windowSeconds } from "./window-store.ts";

export interface Limiter {
  /** Rejects when the windows cannot be reached. */
  take(bucket: Bucket): Promise<Grant>;
  /** A refusal of this bucket that this process remembers; one under another limit does not count. */
  refusal(bucket: Bucket): Grant | undefined;
}

export interface LimiterDeps {
  readonly windows: Pick<WindowStore, "take">;
  /** Milliseconds on a clock that never jumps. */
  readonly monotonic: () => number;
  /** A statement that takes longer has failed. */
  readonly timeoutMs?: number;
}

interface Waiting {
  limit: number;
  readonly waiters: { resolve(grant: Grant): void; reject(error: unknown): void }[];
}

/** For this long after a failure nobody waits for the database again. */
const pauseAfterFailureMs = 500;

/**
 * Counts requests in windows that all gateways share. While one statement is under way, further takes gather and go
 * out together with the next one, so a busy gateway costs the database one statement at a time however many requests
 * it serves; an idle one does not wait. A refused bucket is answered from memory until its window ends.
 */
export function createLimiter({ windows, monotonic, timeoutMs = 2_000 }: LimiterDeps): Limiter {
  const refusals = createRefusalMemory(monotonic);
  let gathering = new Map<string, Waiting>();
  let busy = false;
  let pausedUntil = Number.NEGATIVE_INFINITY;

  const takeGathered = async (): Promise<void> => {
    const batch = gathering;
    gathering = new Map();
    const sentAt = monotonic();
    try {
      const states = await withTimeout(windows.take(takesOf(batch)), timeoutMs);
      for (const [key, waiting] of batch) {
        const state = states.get(key);
        if (state === undefined) throw new Error("the database answered without a bucket that was taken");
        settle(waiting, state);
        if (state.granted < waiting.waiters.length) refusals.remember({ key, limit: waiting.limit }, state, sentAt);
      }
    } catch (error) {
      pausedUntil = monotonic() + pauseAfterFailureMs;
      for (const { reject } of [...batch.values()].flatMap(({ waiters }) => waiters)) reject(error);
    }
  };

  const run = async (): Promise<void> => {
    while (gathering.size > 0) await takeGathered();
    busy = false;
  };

  const gather = ({ key, limit }: Bucket): Promise<Grant> =>
    new Promise((resolve, reject) => {
      const waiting = gathering.get(key) ?? { limit, waiters: [] };
      waiting.limit = limit;
      waiting.waiters.push({ resolve, reject });
      gathering.set(key, waiting);
      if (busy) return;
      busy = true;
      // Requests that the event loop reads in the same turn share the statement.
      setImmediate(run);
    });

  return {
    refusal: refusals.recall,
    take: async (bucket) => {
      const known = refusals.recall(bucket);
      if (known !== undefined) return known;
      if (monotonic() < pausedUntil) throw new Error("the rate-limit windows could not be reached a moment ago");
      return gather(bucket);
    },
  };
}

const takesOf = (batch: ReadonlyMap<string, Waiting>): WindowTake[] =>
  [...batch].map(([bucket, { waiters, limit }]) => ({ bucket, count: waiters.length, limit }));

/** Those who came first get what was left. */
function settle({ limit, waiters }: Waiting, state: WindowState): void {
  const resetAt = state.windowStart + windowSeconds;
  const retryAfterSeconds = wholeSeconds(state.secondsLeft);
  const usedBefore = state.used - state.granted;
  for (const [index, waiter] of waiters.entries()) {
    const granted = index < state.granted;
    const remaining = granted ? Math.max(0, limit - usedBefore - index - 1) : 0;
    waiter.resolve({ granted, limit, remaining, resetAt, retryAfterSeconds });
  }
}

function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("the rate-limit windows did not answer in time")), ms);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
