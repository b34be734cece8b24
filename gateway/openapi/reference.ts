import { DomainError } from "#platform/errors.ts";
import { createWorkerPool, WorkerPoolError } from "#platform/worker-pool.ts";
import { type StaticFile, staticFile } from "../static-file.ts";
import type { ReferenceFile } from "./page/reference-page.ts";

/** Lets the pages use their own style and script, ask this origin, and nothing else. */
export const referencePagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** A page of the reference, or what it loads. */
export interface ServedReference extends StaticFile {
  readonly contentType: string;
}

export interface Reference {
  /** The OpenAPI document as JSON. */
  readonly document: StaticFile;
  /** By the part of the address after /docs/. Throws SERVICE_UNAVAILABLE when the pages could not be made. */
  readFile(name: string): Promise<ServedReference | undefined>;
  close(): Promise<void>;
}

/**
 * The pages are made by a thread when somebody first asks for one: it takes as long as the rest of a start, and many
 * processes are never asked. The thread ends after it.
 */
export function createReference(document: StaticFile): Reference {
  const threads = createWorkerPool<Uint8Array, ReadonlyMap<string, ReferenceFile>>({
    module: new URL("./reference-thread.ts", import.meta.url),
    size: 1,
    maxWaiting: 1,
    waitMs: 60_000,
    deadlineMs: 60_000,
    idleMs: 0,
    maxHeapMb: 512,
  });
  let made: Promise<ReadonlyMap<string, ServedReference>> | undefined;
  const make = (): Promise<ReadonlyMap<string, ServedReference>> =>
    threads.run(document.bytes).then(served, (error: unknown) => {
      made = undefined;
      throw error instanceof WorkerPoolError ? new DomainError("SERVICE_UNAVAILABLE", { cause: error }) : error;
    });
  return {
    document,
    readFile: async (name) => {
      made ??= make();
      return (await made).get(name);
    },
    close: () => threads.close(),
  };
}

const served = (files: ReadonlyMap<string, ReferenceFile>): ReadonlyMap<string, ServedReference> =>
  new Map([...files].map(([name, { text, contentType }]) => [name, { ...staticFile(text), contentType }]));
