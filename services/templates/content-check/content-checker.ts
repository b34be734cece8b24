import { setImmediate } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import { type WorkerPool, WorkerPoolError } from "#platform/worker-pool.ts";
import type { ContentFormat } from "../domain/content.ts";
import { checkContent } from "../domain/content-rules/check-content.ts";
import type { ContentReport, ContentSubject, Publication } from "../domain/content-rules/report.ts";

export type CheckOutcome =
  | { readonly kind: "report"; readonly report: ContentReport }
  /** The content takes more time or memory to check than it may. */
  | { readonly kind: "tooComplex" }
  /** Too much else is being checked; the same check may succeed a moment later. */
  | { readonly kind: "busy" };

/** Checks contents without holding the event loop for longer than a few milliseconds, and each content once. */
export interface ContentChecker {
  check(subject: ContentSubject): Promise<CheckOutcome>;
}

export interface ContentCheckerDeps {
  readonly pool: Pick<WorkerPool<ContentSubject, ContentReport>, "run">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The longest contents, in UTF-16 code units, that are checked on the event loop. The worst that was found takes 6 ms:
 * 8 Ki of HTML full of links, or 512 of Markdown full of nested emphasis, which takes quadratic time.
 */
export const maxInline: Readonly<Record<ContentFormat, number>> = { HTML: 8192, MARKDOWN: 512, TEXT: 8192, PDF: 8192 };

/** Findings are about 300 bytes each. */
const cachedFindings = 20_000;
const rememberTooComplexMs = 300_000;

export function createContentChecker({ pool, clock, logger }: ContentCheckerDeps): ContentChecker {
  const cache = createReportCache({ maxWeight: cachedFindings, clock });
  const underWay = new Map<string, Promise<CheckOutcome>>();

  const checkElsewhere = async (subject: ContentSubject, key: string): Promise<CheckOutcome> => {
    try {
      const report = await pool.run(subject);
      cache.setReport(key, report);
      return { kind: "report", report };
    } catch (error) {
      if (!(error instanceof WorkerPoolError)) throw error;
      if (error.failure === "BUSY" || error.failure === "CLOSED") return { kind: "busy" };
      if (error.failure === "FAILED") throw error;
      logger.warn({ key, failure: error.failure, length: subject.content.length }, "content too complex to check");
      cache.setTooComplex(key, rememberTooComplexMs);
      return { kind: "tooComplex" };
    }
  };
  const start = (subject: ContentSubject, key: string): Promise<CheckOutcome> => {
    const checking = checkElsewhere(subject, key).finally(() => underWay.delete(key));
    underWay.set(key, checking);
    return checking;
  };
  return {
    check: async (subject) => {
      const key = keyOf(subject);
      const known = cache.get(key);
      if (known !== undefined) return known;
      if (subject.content.length > maxInline[subject.format]) return underWay.get(key) ?? start(subject, key);
      // Yields to the event loop between many consecutive checks.
      await setImmediate();
      // A copy, because parts of a string keep all of it in memory.
      const report = structuredClone(checkContent(subject));
      cache.setReport(key, report);
      return { kind: "report", report };
    },
  };
}

/** Equal for subjects that have the same report. */
function keyOf({ type, format, content, publication }: ContentSubject): string {
  const about = publication === undefined ? null : { ...publication, texts: noticeOf(publication.texts) };
  return sha256Label(canonicalJson({ type, format, content: sha256Label(content), about }));
}

const noticeOf = ({ consentText, buttonText }: Publication["texts"]) => ({
  consentText: consentText ?? null,
  buttonText: buttonText ?? null,
});

type CachedOutcome = { readonly kind: "report"; readonly report: ContentReport } | { readonly kind: "tooComplex" };

/** What checks came to. Forgets what was not asked for the longest time first. */
interface ReportCache {
  get(key: string): CachedOutcome | undefined;
  setReport(key: string, report: ContentReport): void;
  /** Remembered for this time only: the machine may have been busy with something else. */
  setTooComplex(key: string, ms: number): void;
}

/** Keeps reports that weigh at most so much; each weighs one more than it has findings. */
export function createReportCache({ maxWeight, clock }: { maxWeight: number; clock: Clock }): ReportCache {
  const entries = new LRUCache<string, { readonly outcome: CachedOutcome; readonly until: number }>({
    maxSize: maxWeight,
  });
  return {
    get: (key) => {
      const entry = entries.get(key);
      return entry === undefined || entry.until < clock.now().getTime() ? undefined : entry.outcome;
    },
    setReport: (key, report) => {
      const size = 1 + report.errors.length + report.warnings.length;
      entries.set(key, { outcome: { kind: "report", report }, until: Number.POSITIVE_INFINITY }, { size });
    },
    setTooComplex: (key, ms) => {
      entries.set(key, { outcome: { kind: "tooComplex" }, until: clock.now().getTime() + ms }, { size: 1 });
    },
  };
}
