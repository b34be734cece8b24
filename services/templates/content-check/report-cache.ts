import type { Clock } from "#platform/clock.ts";
import type { ContentReport } from "../domain/content-rules/report.ts";

export type CachedOutcome =
  | { readonly kind: "report"; readonly report: ContentReport }
  | { readonly kind: "tooComplex" };

/** What checks came to. Forgets what was not asked for the longest time first. */
export interface ReportCache {
  get(key: string): CachedOutcome | undefined;
  setReport(key: string, report: ContentReport): void;
  /** Remembered for this time only: the machine may have been busy with something else. */
  setTooComplex(key: string, ms: number): void;
}

interface Entry {
  readonly outcome: CachedOutcome;
  readonly weight: number;
  readonly until: number;
}

/** Keeps reports that weigh at most so much; each weighs one more than it has findings. */
export function createReportCache({ maxWeight, clock }: { maxWeight: number; clock: Clock }): ReportCache {
  const entries = new Map<string, Entry>();
  let total = 0;
  const remove = (key: string): Entry | undefined => {
    const entry = entries.get(key);
    entries.delete(key);
    total -= entry?.weight ?? 0;
    return entry;
  };
  const add = (key: string, entry: Entry): void => {
    remove(key);
    entries.set(key, entry);
    total += entry.weight;
    for (const [oldest] of entries) {
      if (total <= maxWeight) return;
      remove(oldest);
    }
  };
  return {
    get: (key) => {
      const entry = remove(key);
      if (entry === undefined || entry.until < clock.now().getTime()) return undefined;
      add(key, entry);
      return entry.outcome;
    },
    setReport: (key, report) => {
      const weight = 1 + report.errors.length + report.warnings.length;
      add(key, { outcome: { kind: "report", report }, weight, until: Number.POSITIVE_INFINITY });
    },
    setTooComplex: (key, ms) => {
      add(key, { outcome: { kind: "tooComplex" }, weight: 1, until: clock.now().getTime() + ms });
    },
  };
}
