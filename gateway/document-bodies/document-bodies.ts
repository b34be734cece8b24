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

/** Reads bodies that carry documents. */
export interface DocumentBodies {
  /** Takes the bytes over. Throws what is wrong with them, and an outage when there are too many to read. */
  read(job: DocumentBodyJob): Promise<ReadDocuments>;
  close(): Promise<void>;
}

/** Bodies beyond this are read by a thread: 33 MiB take some 200 ms, of which none may hold up other requests. */
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

/** What the sign service takes of a document. */
type DocumentSource =
  | { readonly case: "content"; readonly value: Uint8Array }
  | { readonly case: "problem"; readonly value: DocumentProblem };

/** The document that a `documentBase64` of a body stands for. */
export const documentSource = (files: readonly DocumentFile[], reference: string | null | undefined): DocumentSource =>
  fileSource(typeof reference === "string" ? files[Number(reference)] : undefined);

/** What could not be read is said by the service, when its turn comes in the order of its checks. */
export function fileSource(file: DocumentFile | undefined): DocumentSource {
  if (file === undefined || file.content === "missing") return { case: "problem", value: DocumentProblem.MISSING };
  if (file.content === "invalid-base64") return { case: "problem", value: DocumentProblem.INVALID_BASE64 };
  return { case: "content", value: file.content };
}
