import { DomainError } from "#platform/errors.ts";
import { createWorkerPool, WorkerPoolError } from "#platform/worker-pool.ts";
import type { StaticFile } from "../static-file.ts";

/** The OpenAPI document as JSON, and its reference page. */
export interface Reference {
  readonly document: StaticFile;
  readonly page: StaticFile;
  /** Lets the page use its own styles and nothing else. */
  readonly pagePolicy: string;
}

export interface ReferenceSource {
  /** Throws SERVICE_UNAVAILABLE when it could not be made. */
  read(): Promise<Reference>;
  close(): Promise<void>;
}

/**
 * Made by a thread when somebody first asks: it takes as long as the rest of a start, and many processes are never
 * asked. The thread ends after it.
 */
export function createReferenceSource(publicUrl: string): ReferenceSource {
  const threads = createWorkerPool<string, Reference>({
    module: new URL("./reference-thread.ts", import.meta.url),
    size: 1,
    maxWaiting: 1,
    waitMs: 30_000,
    deadlineMs: 30_000,
    idleMs: 0,
    maxHeapMb: 512,
  });
  let made: Promise<Reference> | undefined;
  const make = (): Promise<Reference> =>
    threads.run(publicUrl).catch((error: unknown) => {
      made = undefined;
      throw error instanceof WorkerPoolError ? new DomainError("SERVICE_UNAVAILABLE", { cause: error }) : error;
    });
  return {
    read: () => {
      made ??= make();
      return made;
    },
    close: () => threads.close(),
  };
}
