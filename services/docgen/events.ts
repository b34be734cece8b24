import { type EventContext, type OutboxRecord, outboxRecord } from "#platform/outbox/outbox.ts";
import type { Batch } from "./domain/batch.ts";
import type { Failure } from "./domain/document.ts";

/** What an event says about a document. */
export interface EventDocument {
  readonly id: string;
  readonly templateId: string | null;
  readonly templateVersion: number | null;
  readonly batchId: string | null;
}

/** The event of a document that was rendered. */
export const documentCompleted = (
  context: EventContext,
  document: EventDocument,
  { pages, bytes, sha256 }: { readonly pages: number; readonly bytes: number; readonly sha256: Uint8Array },
): OutboxRecord =>
  outboxRecord(context, "assent.docgen.document.completed", document.id, {
    documentCompleted: {
      ...payloadOf(document),
      pages,
      bytes: String(bytes),
      sha256: Buffer.from(sha256).toString("hex"),
    },
  });

/** The event of a document that could not be rendered. */
export const documentFailed = (context: EventContext, document: EventDocument, failure: Failure): OutboxRecord =>
  outboxRecord(context, "assent.docgen.document.failed", document.id, {
    documentFailed: { ...payloadOf(document), errorCode: failure.code },
  });

const payloadOf = ({ id, templateId, templateVersion, batchId }: EventDocument) => ({
  documentId: id,
  ...(templateId === null ? {} : { templateId }),
  ...(templateVersion === null ? {} : { version: templateVersion }),
  ...(batchId === null ? {} : { batchId }),
});

/** The event of a batch that has ended. */
export const batchCompleted = (
  context: EventContext,
  batch: Pick<Batch, "id" | "status" | "total" | "completed" | "failed" | "cancelled">,
): OutboxRecord => {
  const { id: batchId, status, total, completed, failed, cancelled } = batch;
  return outboxRecord(context, "assent.docgen.batch.completed", batchId, {
    batchCompleted: { batchId, status, total, completed, failed, cancelled },
  });
};
