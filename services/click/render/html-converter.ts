import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { MergeHtml } from "#platform/restricted-html/merge-html.ts";
import { createWorkerPool, WorkerPoolError } from "#platform/worker-pool.ts";
import { type Conversion, type ConversionJob, convertContent } from "./convert-content.ts";

/** Makes HTML of texts without holding up anything else. */
export interface HtmlConverter {
  /**
   * Rejects with CLICK_CONTENT_INVALID for a text that must not be shown, and with SERVICE_UNAVAILABLE when it cannot be
   * done now.
   */
  convert(orgId: OrgId, job: ConversionJob): Promise<ConvertedHtml>;
  close(): Promise<void>;
}

export interface ConvertedHtml {
  readonly html: string;
  readonly merge: MergeHtml | null;
}

/** What takes less than 5 ms; Markdown takes longer, and hostile Markdown the square of its length. */
const inlineCharacters = { HTML: 12_000, TEXT: 12_000, MARKDOWN: 1_000 };

/** Of one organization; a Markdown text of 1 MiB takes three seconds. */
const maxWaiting = 4;

export function createHtmlConverter(): HtmlConverter {
  const pool = createWorkerPool<ConversionJob, Conversion>({
    module: new URL("./convert-worker.ts", import.meta.url),
    size: 2,
    maxWaiting: 200,
    waitMs: 4_000,
    deadlineMs: 10_000,
    maxHeapMb: 512,
  });
  const queues = new Map<OrgId, { last: Promise<unknown>; waiting: number }>();
  /** One after the other, so that no organization keeps the threads from the others. */
  const runInTurn = async (orgId: OrgId, job: ConversionJob): Promise<Conversion> => {
    const queue = queues.get(orgId) ?? { last: Promise.resolve(), waiting: 0 };
    if (queue.waiting >= maxWaiting) throw unavailable();
    queues.set(orgId, queue);
    queue.waiting += 1;
    const turn = queue.last.then(() => pool.run(job));
    queue.last = turn.catch(() => undefined);
    try {
      return await turn;
    } catch (error) {
      throw error instanceof WorkerPoolError ? unavailable(error) : error;
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(orgId);
    }
  };
  return {
    convert: async (orgId, job) => {
      const isSmall = job.content.length <= inlineCharacters[job.format];
      const conversion = isSmall ? convertContent(job) : await runInTurn(orgId, job);
      if (conversion.kind === "html") return conversion;
      throw unsafe(conversion);
    },
    close: () => pool.close(),
  };
}

const unavailable = (cause?: unknown): DomainError =>
  new DomainError("SERVICE_UNAVAILABLE", { metadata: { retryAfterSeconds: "1" }, cause });

const unsafe = ({ findings }: Extract<Conversion, { kind: "unsafe" }>): DomainError =>
  new DomainError("CLICK_CONTENT_INVALID", {
    details: findings.slice(0, 100).map(({ code, message, line, column }) => ({
      field: "content",
      code,
      message: `${message} (${line}:${column})`,
    })),
  });
