import { hash } from "node:crypto";
import type { Clock } from "#platform/clock.ts";
import {
  type Bucket,
  type Grant,
  type WindowState,
  type WindowStore,
  type WindowTake,
  wholeSeconds,
  windowSeconds,
} from "./window-store.ts";

export interface Limiter {
  /** Rejects when the shared windows are unreachable. */
  take(bucket: Bucket): Promise<Grant>;
  /** A remembered refusal of this bucket under the same limit. */
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
  readonly waiters: Waiter[];
}

interface Waiter {
  resolve(grant: Grant): void;
  reject(error: unknown): void;
}

/** A failure rejects all waiting takes, and for this long nobody waits for the database. */
const pauseAfterFailureMs = 500;

/** Far below what fits into an index of Postgres, and far above what clients and addresses are called. */
const maxKeyLength = 500;

/**
 * Counts requests in windows that all gateways share. Takes that arrive while a statement is running are
 * combined into the next one, so a busy gateway runs one statement at a time however many requests it serves;
 * an idle one does not wait. A refused bucket is answered from memory until its window ends. A take whose
 * answer is lost or late fails although it may have been counted: budgets may be granted short, never twice. An
 * answer that has become stale while this process was suspended is not used.
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
      // The timer does not tell: a process that slept may read the answer before its timers run.
      if (monotonic() - sentAt > timeoutMs) throw lateError();
      for (const [key, waiting] of batch) {
        const state = states.get(key);
        if (state === undefined) throw new Error("the database answered without a bucket that was taken");
        settleAll(key, waiting, state, sentAt);
      }
    } catch (error) {
      pausedUntil = monotonic() + pauseAfterFailureMs;
      const gathered = gathering;
      gathering = new Map();
      for (const { waiters } of [...batch.values(), ...gathered.values()]) {
        for (const { reject } of waiters) reject(error);
      }
    }
  };

  const settleAll = (key: string, { limit, waiters }: Waiting, state: WindowState, sentAt: number): void => {
    settle({ limit, waiters: waiters.slice(0, state.granted) }, state);
    const refused = waiters.slice(state.granted);
    if (refused.length === 0) return;
    // A window that is over refuses nobody: those who are left have the next one.
    if (sentAt + state.secondsLeft * 1000 <= monotonic()) gatherAll(key, limit, refused);
    else {
      settle({ limit, waiters: refused }, { ...state, granted: 0 });
      refusals.remember({ key, limit }, state, sentAt);
    }
  };

  const gatherAll = (key: string, limit: number, waiters: readonly Waiter[]): void => {
    const waiting = gathering.get(key) ?? { limit, waiters: [] };
    waiting.limit = limit;
    waiting.waiters.push(...waiters);
    gathering.set(key, waiting);
  };

  const run = async (): Promise<void> => {
    while (gathering.size > 0) await takeGathered();
    busy = false;
  };

  const gather = ({ key, limit }: Bucket): Promise<Grant> =>
    new Promise((resolve, reject) => {
      gatherAll(key, limit, [{ resolve, reject }]);
      if (busy) return;
      busy = true;
      // Requests that the event loop reads in the same turn share the statement.
      setImmediate(run);
    });

  return {
    refusal: (bucket) => refusals.recall(bounded(bucket)),
    take: async (asked) => {
      const bucket = bounded(asked);
      const known = refusals.recall(bucket);
      if (known !== undefined) return known;
      if (monotonic() < pausedUntil) throw new Error("the rate-limit windows could not be reached a moment ago");
      return gather(bucket);
    },
  };
}

/** A key that the database rejects would fail everybody's takes in the same statement. */
const bounded = (bucket: Bucket): Bucket =>
  bucket.key.length <= maxKeyLength ? bucket : { ...bucket, key: `sha256 ${hash("sha256", bucket.key)}` };

const takesOf = (batch: ReadonlyMap<string, Waiting>): WindowTake[] =>
  [...batch].map(([bucket, { waiters, limit }]) => ({ bucket, count: waiters.length, limit }));

/** First come, first served. */
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

const lateError = (): Error => new Error("the rate-limit windows did not answer in time");

function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(lateError()), ms);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

interface Refusal {
  readonly limit: number;
  readonly resetAt: number;
  readonly untilMs: number;
}

interface RefusalMemory {
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
      // All entries expire within a minute; the database refuses again whatever is forgotten.
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
