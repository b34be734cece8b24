import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  type Batch,
  type BatchItem,
  BatchItemSchema,
  BatchSchema,
  BatchStatus,
  type CreateBatchRequest,
  type DocgenService,
  DocumentStatus,
  FailureSchema,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import type { Caller } from "#platform/caller.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { type FakeDocuments, rate } from "./fake-docgen-documents.ts";

const now = timestampFromDate(new Date("2026-11-20T17:00:00.123Z"));

export interface FakeBatchesDeps {
  enter(context: HandlerContext): Caller;
  readonly documents: FakeDocuments;
}

interface Stored {
  readonly organizationId: string;
  readonly batch: Batch;
  readonly items: BatchItem[];
}

/** Batches whose documents wait until a test finishes them. */
export function createFakeBatches({ enter, documents }: FakeBatchesDeps) {
  const stored = new Map<string, Stored>();
  const keys = new Map<string, { hash: string; id: string }>();
  const seen: CreateBatchRequest[] = [];

  const find = (id: string, caller: Caller): Stored => {
    const found = stored.get(id);
    if (found?.organizationId !== caller.orgId) throw new DomainError("GEN_BATCH_NOT_FOUND");
    return found;
  };
  const itemOf = (
    caller: Caller,
    batchId: string,
    { ref, source }: CreateBatchRequest["items"][number],
    index: number,
  ) => {
    const document = documents.add(caller, source, DocumentStatus.QUEUED, batchId);
    try {
      documents.requireTemplate(source, caller);
    } catch (error) {
      const { code = "GEN_RENDER_FAILED", message = "" } = fromConnectError(error) ?? {};
      Object.assign(document, {
        status: DocumentStatus.FAILED,
        failure: create(FailureSchema, {
          errorCode: code,
          message,
          details: { path: "/price", expected: "number", line: "3" },
        }),
      });
    }
    return create(BatchItemSchema, { index, ref, document });
  };

  const handlers = {
    createBatch: (request, context) => {
      const caller = enter(context);
      seen.push(request);
      const hash = Buffer.from(request.requestHash).toString("hex");
      const known = keys.get(`${caller.orgId} ${request.idempotencyKey}`);
      if (request.idempotencyKey !== "" && known !== undefined) {
        if (known.hash !== hash) throw new DomainError("GEN_IDEMPOTENCY_CONFLICT");
        return { batch: find(known.id, caller).batch, rate, replayed: true };
      }
      const id = newId();
      const items = request.items.map((item, index) => itemOf(caller, id, item, index));
      const failed = items.filter(({ document }) => document?.status === DocumentStatus.FAILED).length;
      const batch = create(BatchSchema, {
        id,
        status: BatchStatus.QUEUED,
        total: items.length,
        queued: items.length - failed,
        failed,
        createdAt: now,
      });
      stored.set(id, { organizationId: caller.orgId, batch, items });
      keys.set(`${caller.orgId} ${request.idempotencyKey}`, { hash, id });
      return { batch, rate };
    },
    getBatch: ({ batchId }, context) => ({ batch: find(batchId, enter(context)).batch }),
    listBatches: ({ afterId, pageSize, status }, context) => {
      const caller = enter(context);
      const wanted = [...stored.values()]
        .filter(({ organizationId }) => organizationId === caller.orgId)
        .map(({ batch }) => batch)
        .filter((batch) => status === BatchStatus.UNSPECIFIED || batch.status === status)
        .filter(({ id }) => afterId === "" || id < afterId)
        .sort((one, other) => (one.id < other.id ? 1 : -1));
      return { batches: wanted.slice(0, pageSize), hasMore: wanted.length > pageSize };
    },
    listBatchItems: ({ batchId, status, fromIndex, pageSize }, context) => {
      const { items } = find(batchId, enter(context));
      const wanted = items
        .filter(({ document }) => status === DocumentStatus.UNSPECIFIED || document?.status === status)
        .filter(({ index }) => index >= fromIndex);
      return { items: wanted.slice(0, pageSize), hasMore: wanted.length > pageSize };
    },
    cancelBatch: ({ batchId }, context) => {
      const { batch } = find(batchId, enter(context));
      const cancelled = batch.cancelled + batch.queued;
      return { batch: Object.assign(batch, { status: BatchStatus.CANCELLED, cancelled, queued: 0, completedAt: now }) };
    },
  } satisfies Partial<ServiceImpl<typeof DocgenService>>;

  /** Ends the items that wait, as a renderer would. */
  const finish = (batchId: string): void => {
    for (const { document } of stored.get(batchId)?.items ?? []) {
      if (document?.status !== DocumentStatus.QUEUED) continue;
      const content = documents.stored.get(document.id)?.content ?? new Uint8Array();
      const done = {
        status: DocumentStatus.COMPLETED,
        pages: 1,
        bytes: BigInt(content.length),
        sha256: "cd".repeat(32),
      };
      Object.assign(document, done);
    }
  };
  return { handlers, stored, seen, finish };
}
