import { DomainError } from "#platform/errors.ts";
import type { MergeHtml } from "#platform/restricted-html/merge-html.ts";
import { createWorkerPool, WorkerPoolError } from "#platform/worker-pool.ts";
import { type Conversion, type ConversionJob, convertContent } from "./convert-content.ts";

/** Makes HTML of texts without holding up anything else. */
export interface HtmlConverter {
  /** Rejects with CLICK_CONTENT_INVALID for a text that must not be shown, and SERVICE_UNAVAILABLE when it cannot be done now. */
  convert(job: ConversionJob): Promise<ConvertedHtml>;
  close(): Promise<void>;
}

export interface ConvertedHtml {
  readonly html: string;
  readonly merge: MergeHtml | null;
}

/** What takes less than 5 ms; Markdown can take time that grows with the square of its length. */
const inlineCharacters = { HTML: 12_000, TEXT: 12_000, MARKDOWN: 2_000 };

export function createHtmlConverter(): HtmlConverter {
  const pool = createWorkerPool<ConversionJob, Conversion>({
    module: new URL("./convert-worker.ts", import.meta.url),
    size: 1,
    maxWaiting: 100,
    waitMs: 4_000,
    deadlineMs: 10_000,
    maxHeapMb: 512,
  });
  return {
    convert: async (job) => {
      const isSmall = job.content.length <= inlineCharacters[job.format];
      const conversion = isSmall ? convertContent(job) : await pool.run(job).catch(unavailable);
      if (conversion.kind === "html") return conversion;
      throw unsafe(conversion);
    },
    close: () => pool.close(),
  };
}

function unavailable(error: unknown): never {
  if (!(error instanceof WorkerPoolError)) throw error;
  throw new DomainError("SERVICE_UNAVAILABLE", { metadata: { retryAfterSeconds: "1" }, cause: error });
}

const unsafe = ({ findings }: Extract<Conversion, { kind: "unsafe" }>): DomainError =>
  new DomainError("CLICK_CONTENT_INVALID", {
    details: findings.slice(0, 100).map(({ code, message, line, column }) => ({
      field: "content",
      code,
      message: `${message} (${line}:${column})`,
    })),
  });
