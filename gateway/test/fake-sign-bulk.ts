import { create } from "@bufbuild/protobuf";
import { type BulkBatch, BulkBatchSchema, type BulkList, BulkListSchema } from "#gen/assent/sign/v1/sign_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { type FakeSignCore, requireDraft, type SignHandlers } from "./fake-sign.ts";
import { at } from "./sample-agreement.ts";

interface Owned<Value> {
  readonly orgId: string;
  readonly value: Value;
}

/** Bulk lists and batches of the fake: one copy in five fails, the others stay queued. */
export function createFakeSignBulk({ enter, find }: FakeSignCore): SignHandlers {
  const lists = new Map<string, Owned<BulkList>>();
  const batches = new Map<string, Owned<BulkBatch>>();
  const ofOrg = <Value>(known: ReadonlyMap<string, Owned<Value>>, orgId: string): Value[] =>
    [...known.values()].filter((one) => one.orgId === orgId).map(({ value }) => value);
  const listOf = (id: string, orgId: string): BulkList => {
    const list = lists.get(id);
    if (list?.orgId !== orgId) throw new DomainError("BULK_LIST_NOT_FOUND");
    return list.value;
  };
  return {
    createBulkList: (request, context) => {
      const { orgId } = enter(context, "createBulkList", request);
      const { name, copies } = request;
      const list = create(BulkListSchema, { id: newId(), name, copies, copyCount: copies.length, createdAt: at(0) });
      lists.set(list.id, { orgId, value: list });
      return { list };
    },
    getBulkList: (request, context) => ({
      list: listOf(request.id, enter(context, "getBulkList", request).orgId),
    }),
    listBulkLists: (request, context) => {
      const { orgId } = enter(context, "listBulkLists", request);
      return { lists: ofOrg(lists, orgId).map((list) => ({ ...list, copies: [] })) };
    },
    updateBulkList: (request, context) => {
      const list = listOf(request.id, enter(context, "updateBulkList", request).orgId);
      return { list: Object.assign(list, { name: request.name, copies: request.copies }) };
    },
    deleteBulkList: (request, context) => {
      const list = listOf(request.id, enter(context, "deleteBulkList", request).orgId);
      lists.delete(list.id);
      return {};
    },
    sendBulkList: (request, context) => {
      const caller = enter(context, "sendBulkList", request);
      const { id, copies } = listOf(request.listId, caller.orgId);
      requireDraft(find(request.target, caller));
      const failed = Math.floor(copies.length / 5);
      const batch = create(BulkBatchSchema, {
        id: newId(),
        listId: id,
        name: request.batchName,
        total: copies.length,
        queued: copies.length - failed,
        failed,
        submittedAt: at(3),
        failures: failed === 0 ? [] : [{ index: 4, errorCode: "INVALID_EMAIL", message: "The address is not valid." }],
      });
      batches.set(batch.id, { orgId: caller.orgId, value: batch });
      return { batch };
    },
    getBulkBatch: (request, context) => {
      const { orgId } = enter(context, "getBulkBatch", request);
      const batch = batches.get(request.id);
      if (batch?.orgId !== orgId) throw new DomainError("BULK_BATCH_NOT_FOUND");
      return { batch: batch.value };
    },
    listBulkBatches: (request, context) => ({
      batches: ofOrg(batches, enter(context, "listBulkBatches", request).orgId),
    }),
  };
}
