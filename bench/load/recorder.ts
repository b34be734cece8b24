import type { LoadResult } from "./plan.ts";

/** Counts answers and keeps their latencies. */
export class Recorder {
  readonly #latencies: number[] = [];
  readonly #statuses: Record<string, number> = {};

  add(status: number, milliseconds: number): void {
    this.#latencies.push(milliseconds);
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
  }

  result(seconds: number): Omit<LoadResult, "cpuMs"> {
    const sorted = Float64Array.from(this.#latencies).sort();
    const quantile = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
    return {
      requests: sorted.length,
      seconds,
      perSecond: sorted.length / seconds,
      statuses: this.#statuses,
      latencyMs: { p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99), max: quantile(1) },
    };
  }
}
