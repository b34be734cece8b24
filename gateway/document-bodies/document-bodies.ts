import { DocumentProblem } from "#gen/assent/sign/v1/agreement_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { createWorkerPool } from "#platform/worker-pool.ts";
import type { DocumentFile } from "./document-file.ts";
import {
  type DocumentBodyJob,
  type DocumentRefusal,
  type ReadDocuments,
  readDocuments,
  type SentDocuments,
} from "./read-documents.ts";

/** Parses bodies that contain documents. */
export interface DocumentBodies {
  /**
   * Takes ownership of the bytes. Throws validation errors, and an outage error when too many bodies are
   * waiting.
   */
  read(job: DocumentBodyJob): Promise<ReadDocuments>;
  close(): Promise<void>;
}

/** Larger bodies are parsed in a thread: 33 MiB take about 200 ms, which must not block other requests. */
const aloneBytes = 262_144;

export function createDocumentBodies(): DocumentBodies {
  const threads = createWorkerPool<DocumentBodyJob, SentDocuments | DocumentRefusal>({
    module: new URL("./document-thread.ts", import.meta.url),
    size: 2,
    maxWaiting: 64,
    waitMs: 15_000,
    deadlineMs: 10_000,
    maxHeapMb: 512,
    transferOf: ({ bytes }) => [bytes.buffer],
  });
  const readElsewhere = async (job: DocumentBodyJob): Promise<ReadDocuments> => {
    const read = await threads.run(job);
    if ("code" in read) throw new DomainError(read.code, { message: read.message, details: read.details });
    return { value: JSON.parse(read.json), files: read.files };
  };
  return {
    read: async (job) => (job.bytes.length <= aloneBytes ? readDocuments(job) : readElsewhere(job)),
    close: () => threads.close(),
  };
}

/** A document as the sign service takes it. */
type DocumentSource =
  | { readonly case: "content"; readonly value: Uint8Array }
  | { readonly case: "problem"; readonly value: DocumentProblem };

/** The file that a body's `documentBase64` refers to. */
export const documentSource = (files: readonly DocumentFile[], reference: string | null | undefined): DocumentSource =>
  fileSource(typeof reference === "string" ? files[Number(reference)] : undefined);

/** The service reports an undecodable file, at its place in the order of checks. */
export function fileSource(file: DocumentFile | undefined): DocumentSource {
  if (file === undefined || file.content === "missing") return { case: "problem", value: DocumentProblem.MISSING };
  if (file.content === "invalid-base64") return { case: "problem", value: DocumentProblem.INVALID_BASE64 };
  return { case: "content", value: file.content };
}
