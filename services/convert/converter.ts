import { DomainError } from "#platform/errors.ts";
import { createFairQueue } from "#platform/fair-queue.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { createWorkerPool, WorkerPoolError } from "#platform/worker-pool.ts";
import type { LookedInto, LookJob } from "./look-into.ts";
import { type OfficeFormat, officeFormat } from "./look-into.ts";
import type { Office, Printed } from "./office.ts";

/** Prints files, one at a time in each program. */
export interface Converter {
  /** What is printed here. Rejects when LibreOffice does not start. */
  formats(): Promise<readonly string[]>;
  /**
   * Throws CORRUPTED_DOCUMENT for what cannot be printed, INVALID_DOCUMENT_FORMAT, and SERVICE_UNAVAILABLE when too much
   * waits already.
   */
  convert(owner: string, format: string, content: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface ConverterOptions {
  readonly office: Office;
  /** Whether files cannot show others. Without it those are refused that nobody looks into. */
  isApart(): Promise<boolean>;
  /** Files of one organization that are printed at once. There may be one more, for those that have none. */
  readonly places: number;
  readonly logger: Logger;
  readonly metrics?: Pick<Metrics, "convertDuration"> | undefined;
}

interface Task {
  readonly bytes: number;
  run(): Promise<void>;
  refuse(): void;
}

/** Waiting files are in memory. Of one organization, and of all. */
const maxWaiting = { own: 32, all: 128 };
const maxWaitingBytes = 128 * 1024 * 1024;

export function createConverter({ office, isApart, places, logger, metrics }: ConverterOptions): Converter {
  const queue = createFairQueue<Task>();
  const threads = createWorkerPool<LookJob, LookedInto>({
    module: new URL("./look-thread.ts", import.meta.url),
    ...{ size: places + 1, maxWaiting: places + 1, waitMs: 10_000, deadlineMs: 10_000, maxHeapMb: 512 },
  });
  const closing = new AbortController();
  let [running, waitingBytes] = [0, 0];

  /** One more than places serves those that have nothing running, so that nobody waits behind another's files. */
  const handOut = (): void => {
    while (running <= places) {
      const taken = queue.take({ idleOwnersOnly: running >= places });
      if (taken === undefined) break;
      const { owner, task } = taken;
      const from = performance.now();
      running += 1;
      waitingBytes -= task.bytes;
      void task.run().finally(() => {
        running -= 1;
        queue.finish(owner, performance.now() - from);
        handOut();
      });
    }
  };
  const look = async (job: LookJob): Promise<LookedInto> => {
    try {
      return await threads.run(job);
    } catch (error) {
      if (!(error instanceof WorkerPoolError) || error.failure === "BUSY" || error.failure === "CLOSED") throw error;
      // Expected of files that are made for it alone.
      logger.warn({ failure: error.failure }, "a file could not be looked into");
      return {
        kind: "refused",
        problem: "The file takes too much time or memory to be read. Save it again and retry.",
      };
    }
  };
  const isTaken = async ({ packaging }: OfficeFormat): Promise<boolean> => packaging !== "binary" || (await isApart());
  const print = async (format: OfficeFormat, content: Uint8Array, signal: AbortSignal): Promise<Uint8Array> => {
    if (!(await isTaken(format))) throw new DomainError("INVALID_DOCUMENT_FORMAT", { message: notApart });
    const looked = await look({ format: format.name, content });
    if (looked.kind === "refused") throw corrupted(looked.problem);
    const either = AbortSignal.any([signal, closing.signal]);
    let printed = await office.print(format, looked.bytes, either);
    // The system may have needed memory for something else; a file that ends two programs is at fault itself.
    if (printed.kind === "ended" && printed.end === "killed")
      printed = await office.print(format, looked.bytes, either);
    if (printed.kind === "printed") return printed.pdf;
    if (printed.end === "aborted") throw unavailable();
    throw corrupted(endings[printed.end]);
  };
  const measured = async (printing: Promise<Uint8Array>): Promise<Uint8Array> => {
    const from = performance.now();
    let outcome = "converted";
    try {
      return await printing;
    } catch (error) {
      outcome = error instanceof DomainError && error.code === "CORRUPTED_DOCUMENT" ? "refused" : "failed";
      throw error;
    } finally {
      metrics?.convertDuration.observe({ outcome }, (performance.now() - from) / 1000);
    }
  };
  const isFull = (owner: string, bytes: number): boolean =>
    queue.waitingOf(owner).length >= maxWaiting.own ||
    queue.waiting() >= maxWaiting.all ||
    (waitingBytes > 0 && waitingBytes + bytes > maxWaitingBytes);
  return {
    formats: async () => {
      const taken = await Promise.all(office.formats.map(isTaken));
      return office.formats.filter((_, index) => taken[index]).map(({ name }) => name);
    },
    convert: (owner, name, content, signal) =>
      new Promise((resolve, reject) => {
        const format = officeFormat(name);
        if (format === undefined || !office.formats.includes(format)) {
          return reject(new DomainError("INVALID_DOCUMENT_FORMAT"));
        }
        if (closing.signal.aborted || isFull(owner, content.length)) return reject(unavailable());
        const task: Task = {
          bytes: content.length,
          refuse: () => reject(unavailable()),
          run: () => {
            signal.removeEventListener("abort", giveUp);
            return measured(print(format, content, signal)).then(resolve, reject);
          },
        };
        const giveUp = () => {
          queue.remove(owner, task);
          waitingBytes -= task.bytes;
          task.refuse();
        };
        signal.addEventListener("abort", giveUp, { once: true });
        if (signal.aborted) return task.refuse();
        queue.add(owner, task);
        waitingBytes += task.bytes;
        handOut();
      }),
    close: async () => {
      closing.abort();
      for (const task of queue.clear()) task.refuse();
      await threads.close();
      await office.close();
    },
  };
}

const notApart =
  "Files of the type .doc are not converted here, because LibreOffice cannot be kept from other files. Save it as .docx, or send a PDF.";

const unavailable = () => new DomainError("SERVICE_UNAVAILABLE", { metadata: { retryAfterSeconds: "5" } });

const corrupted = (message: string) => new DomainError("CORRUPTED_DOCUMENT", { message });

const tooMuchMemory = "The file takes too much memory to be converted to a PDF. Send a PDF instead.";

const endings: Readonly<Record<Exclude<(Printed & { kind: "ended" })["end"], "aborted">, string>> = {
  timeout: "The file takes too long to be converted to a PDF. Send a PDF instead.",
  out_of_memory: tooMuchMemory,
  killed: tooMuchMemory,
  too_large: "The PDF that the file is converted to is too large. Send a PDF instead.",
  unreadable:
    "The file is damaged, encrypted or not what its name says. Save it again and retry, or send a PDF instead.",
};
