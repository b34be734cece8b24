import { createWorkerPool } from "#platform/worker-pool.ts";
import type { SealFinding } from "../seal/verify-seals.ts";

/** A signature of a file; the certificate in DER. */
export interface FoundSeal extends Omit<SealFinding, "certificate" | "signedPartSha256"> {
  readonly certificate: Uint8Array | undefined;
  readonly signedPartSha256: Uint8Array | undefined;
  /** What was added after it, in a sentence; empty when nothing was, or it is not intact. */
  readonly addition: string;
}

/** Looks at the signatures of files that anybody sends. */
export interface SealReader {
  /** Throws an outage when too many are looked at, or this one takes too long. */
  read(file: Uint8Array): Promise<readonly FoundSeal[]>;
  close(): Promise<void>;
}

/** In a thread: hashing a large file with many signatures takes a second, which must not hold up anybody else. */
export function createSealReader(): SealReader {
  const threads = createWorkerPool<Uint8Array<ArrayBuffer>, readonly FoundSeal[]>({
    module: new URL("./seal-thread.ts", import.meta.url),
    size: 1,
    maxWaiting: 16,
    waitMs: 10_000,
    deadlineMs: 10_000,
    maxHeapMb: 256,
    transferOf: ({ buffer }) => [buffer],
  });
  return {
    read: async (file) => {
      // The bytes of a message share their memory with the rest of it.
      const own = new Uint8Array(file);
      return threads.run(own);
    },
    close: () => threads.close(),
  };
}
