import { DomainError } from "#platform/errors.ts";
import { createWorkerPool, WorkerPoolError } from "#platform/worker-pool.ts";
import type { StaticFile } from "../static-file.ts";

/** The OpenAPI document as a page. */
export interface ReferencePage {
  readonly page: StaticFile;
  /** Lets the page use its own styles and nothing else. */
  readonly pagePolicy: string;
}

export interface Reference {
  /** The OpenAPI document as JSON. */
  readonly document: StaticFile;
  /** Throws SERVICE_UNAVAILABLE when it could not be made. */
  readPage(): Promise<ReferencePage>;
  close(): Promise<void>;
}

/**
 * The page is made by a thread when somebody first asks for it: it takes as long as the rest of a start, and many
 * processes are never asked. The thread ends after it.
 */
export function createReference(document: StaticFile): Reference {
  const threads = createWorkerPool<Uint8Array, ReferencePage>({
    module: new URL("./reference-thread.ts", import.meta.url),
    size: 1,
    maxWaiting: 1,
    waitMs: 60_000,
    deadlineMs: 60_000,
    idleMs: 0,
    maxHeapMb: 512,
  });
  let made: Promise<ReferencePage> | undefined;
  const make = (): Promise<ReferencePage> =>
    threads.run(document.bytes).catch((error: unknown) => {
      made = undefined;
      throw error instanceof WorkerPoolError ? new DomainError("SERVICE_UNAVAILABLE", { cause: error }) : error;
    });
  return {
    document,
    readPage: () => {
      made ??= make();
      return made;
    },
    close: () => threads.close(),
  };
}
