import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../accept-history/random.ts";
import type { Point } from "./slopes.ts";

/** One kind of request and how often it is made among all. */
export interface Share {
  readonly name: string;
  readonly weight: number;
  /** Makes it and returns the status; several requests may belong to one. */
  perform(n: number): Promise<number>;
}

export interface SoakLoad {
  readonly answered: () => number;
  readonly failures: readonly string[];
  /** Latencies by kind, of one minute each. */
  readonly p99: ReadonlyMap<string, Point[]>;
  stop(): Promise<void>;
}

export interface SoakLoadOptions {
  readonly shares: readonly Share[];
  readonly random: Random;
  /** Requests a second; 0 is as many as the callers get answered. */
  readonly perSecond: number;
  readonly callers: number;
  /** Seconds that a point of the latencies stands for. */
  readonly window: number;
}

/** Starts requests at even times, whether or not those before are answered, as long as there is a caller free. */
export function startSoakLoad({ shares, random, perSecond, callers, window }: SoakLoadOptions): SoakLoad {
  const began = performance.now();
  const failures: string[] = [];
  const p99 = new Map<string, Point[]>(shares.map(({ name }) => [name, []]));
  const taken = new Map<string, number[]>(shares.map(({ name }) => [name, []]));
  const wheel = shares.flatMap((share) => Array.from({ length: share.weight }, () => share));
  let [isStopped, answered, n] = [false, 0, 0];
  let nextAt = began;

  const one = async (): Promise<void> => {
    const share = random.pick(wheel);
    const started = performance.now();
    n += 1;
    const status = await share.perform(n).catch((error: unknown) => String(error));
    taken.get(share.name)?.push(performance.now() - started);
    answered += 1;
    if (typeof status === "string" || status >= 400) failures.push(`${share.name}: ${status}`);
  };
  const caller = async (): Promise<void> => {
    while (!isStopped) {
      if (perSecond > 0) {
        const wait = nextAt - performance.now();
        nextAt = Math.max(nextAt, performance.now() - 1_000) + 1_000 / perSecond;
        if (wait > 0) await delay(wait);
      }
      if (!isStopped) await one();
    }
  };
  const running = Array.from({ length: callers }, caller);
  const timer = setInterval(() => {
    const at = (performance.now() - began) / 1_000;
    for (const [name, times] of taken) {
      const sorted = times.splice(0).sort((a, b) => a - b);
      if (sorted.length > 0) p99.get(name)?.push({ at, value: sorted[Math.floor(sorted.length * 0.99)] ?? 0 });
    }
  }, window * 1_000);
  return {
    ...{ failures, p99, answered: () => answered },
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}
