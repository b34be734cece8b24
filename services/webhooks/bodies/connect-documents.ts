import { type Agreement, AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { documentView, summaryView } from "../../../views/compat/documents.ts";
import type { Written } from "../../../views/compat/scalars.ts";
import type { Lookups } from "./lookups.ts";

/** For all documents of a message; larger ones have to be fetched. */
const maxContentBytes = 25 * 1024 * 1024;
/** What seals and a certificate may add, about. */
const sealBytes = 1024 * 1024;
/** For all of them. */
const contentsDeadlineMs = 30_000;

/** What bounds the bytes of all messages in memory. */
export interface Room {
  /** Resolves when there is room for so many. */
  take(bytes: number): Promise<void>;
}

/**
 * An envelope with the bytes of its documents, sealed ones once it is completed, and then with its certificate. Either
 * all documents have their bytes, or none.
 */
export async function withContents(
  agreement: Agreement,
  envelope: { readonly [name: string]: Written },
  lookups: Lookups,
  room: Room | undefined,
): Promise<Written> {
  const contents = await contentsOf(agreement, lookups, room);
  const root = `/envelopes/${agreement.id}`;
  const envelopeDocuments = [
    ...agreement.documents.map((document) => ({ ...documentView(document, root), ...bytesOf(contents, document.id) })),
    { ...(summaryView(root) as { readonly [name: string]: Written }), ...bytesOf(contents, certificateKey) },
  ];
  return { ...envelope, envelopeDocuments };
}

const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

type Contents = ReadonlyMap<string, Uint8Array>;

const certificateKey = "certificate";

async function contentsOf(
  { id, status, documents }: Agreement,
  lookups: Lookups,
  room: Room | undefined,
): Promise<Contents> {
  const declared = documents.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  if (declared > maxContentBytes) return new Map();
  await room?.take(base64Length(Math.min(declared + sealBytes, maxContentBytes)));
  const signal = AbortSignal.timeout(contentsDeadlineMs);
  const contents = new Map<string, Uint8Array>();
  // One after the other, to keep only one of them in memory.
  for (const document of documents) {
    const content = await lookups.documentContent(id, document.documentId, signal);
    if (content !== undefined) contents.set(document.id, content);
  }
  const isCompleted = status === AgreementStatus.COMPLETED;
  const certificate = isCompleted ? await lookups.certificate(id, signal) : undefined;
  if (certificate !== undefined) contents.set(certificateKey, certificate);
  // What was sealed is larger than what was given.
  const total = [...contents.values()].reduce((sum, { length }) => sum + length, 0);
  return total > maxContentBytes ? new Map() : contents;
}

const bytesOf = (contents: Contents, key: string): { readonly PDFBytes?: string } => {
  const content = contents.get(key);
  return content === undefined ? {} : { PDFBytes: Buffer.from(content).toString("base64") };
};
