import { DomainError } from "#platform/errors.ts";
import { createWorkerPool } from "#platform/worker-pool.ts";
import { type ConvertedText, convertText, type TextJob } from "./convert-text.ts";

/** Converts texts to the HTML of documents, without blocking other work. */
export interface TextConverter {
  /** Rejects with GEN_TEMPLATE_ERROR, GEN_INVALID_DATA, and an outage when there is no capacity at the moment. */
  convert(job: TextJob): Promise<string>;
  close(): Promise<void>;
}

/** Texts of this length take less than 5 ms; malicious Markdown takes time quadratic in its length. */
const inlineCharacters = { HTML: 8_000, TEXT: 8_000, PDF: 8_000, MARKDOWN: 1_000 };

export function createTextConverter(): TextConverter {
  const pool = createWorkerPool<TextJob, ConvertedText>({
    module: new URL("./convert-thread.ts", import.meta.url),
    size: 1,
    maxWaiting: 100,
    waitMs: 4_000,
    deadlineMs: 10_000,
    maxHeapMb: 512,
  });
  const convert = async (job: TextJob): Promise<ConvertedText> => {
    // What is filled in is longer than its field.
    const length = (job.values ?? []).reduce((sum, [, value]) => sum + value.length, job.content.length);
    if (length <= inlineCharacters[job.format]) return convertText(job);
    return pool.run(job);
  };
  return {
    convert: async (job) => {
      const converted = await convert(job);
      switch (converted.kind) {
        case "html":
          return converted.html;
        case "unsafe":
          throw new DomainError("GEN_TEMPLATE_ERROR", { message: converted.message.slice(0, 200).toWellFormed() });
        case "too_long":
          throw new DomainError("GEN_INVALID_DATA", {
            message: "With this data the text exceeds the maximum length of a document.",
            metadata: { path: "", expected: "shorter texts" },
          });
      }
    },
    close: () => pool.close(),
  };
}
