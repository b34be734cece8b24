import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, jest, test } from "@jest/globals";
import {
  type AcceptBatchRequest_Item,
  AcceptBatchRequest_ItemSchema,
  type AcceptBatchResponse_Result,
  AcceptBatchResponse_ResultSchema,
  ItemErrorSchema,
} from "#gen/assent/click/v1/click_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { acceptCoalescerDefaults, createAcceptCoalescer } from "../accept-coalescer.ts";

const itemOf = (idempotencyKey: string, bodyBytes = 2): AcceptBatchRequest_Item =>
  create(AcceptBatchRequest_ItemSchema, { idempotencyKey, body: new Uint8Array(bodyBytes) });

const receiptFor = ({ idempotencyKey }: AcceptBatchRequest_Item): AcceptBatchResponse_Result =>
  create(AcceptBatchResponse_ResultSchema, {
    outcome: { case: "receipt", value: { receiptId: `receipt of ${idempotencyKey}` } },
  });

/** A click service whose batches return when the test says so. */
function createHeldRpc() {
  const batches: {
    items: AcceptBatchRequest_Item[];
    signal: AbortSignal;
    release(): void;
    fail(error: unknown): void;
  }[] = [];
  const send = (items: AcceptBatchRequest_Item[], signal: AbortSignal) =>
    new Promise<AcceptBatchResponse_Result[]>((resolve, reject) => {
      batches.push({ items, signal, release: () => resolve(items.map(receiptFor)), fail: reject });
    });
  return { batches, send };
}

const monotonic = (): number => performance.now();
const random = (): number => 0;
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe("accept", () => {
  test("a lone acceptance leaves at once", async () => {
    const rpc = createHeldRpc();
    const coalescer = createAcceptCoalescer({ send: rpc.send, monotonic, random });
    const accepted = coalescer.accept(itemOf("a"));
    await nextTurn();
    expect(rpc.batches).toHaveLength(1);
    rpc.batches[0]?.release();
    expect((await accepted).receiptId).toBe("receipt of a");
  });

  test("what comes in one turn of the event loop shares a batch", async () => {
    const rpc = createHeldRpc();
    const coalescer = createAcceptCoalescer({ send: rpc.send, monotonic, random });
    const accepted = ["a", "b", "c"].map((key) => coalescer.accept(itemOf(key)));
    await nextTurn();
    expect(rpc.batches.map(({ items }) => items.length)).toEqual([3]);
    rpc.batches[0]?.release();
    const receipts = await Promise.all(accepted);
    expect(receipts.map(({ receiptId }) => receiptId)).toEqual(["receipt of a", "receipt of b", "receipt of c"]);
  });

  test("at most two batches are under way, and what waits leaves together when one returns", async () => {
    const rpc = createHeldRpc();
    const coalescer = createAcceptCoalescer({ send: rpc.send, monotonic, random });
    const accepted: Promise<unknown>[] = [];
    for (const key of ["a", "b", "c", "d", "e"]) {
      accepted.push(coalescer.accept(itemOf(key)));
      await nextTurn();
    }
    expect(rpc.batches.map(({ items }) => items.length)).toEqual([1, 1]);
    rpc.batches[1]?.release();
    await until(() => rpc.batches.length === 3);
    expect(rpc.batches[2]?.items.map(({ idempotencyKey }) => idempotencyKey)).toEqual(["c", "d", "e"]);
    for (const batch of rpc.batches) batch.release();
    await Promise.all(accepted);
  });

  test("a batch has at most 256 items and at most 2 MiB", async () => {
    const rpc = createHeldRpc();
    const coalescer = createAcceptCoalescer({ send: rpc.send, monotonic, random });
    const many = Array.from({ length: 300 }, (_, n) => coalescer.accept(itemOf(`small ${n}`)));
    const large = Array.from({ length: 20 }, (_, n) => coalescer.accept(itemOf(`large ${n}`, 262_144)));
    await nextTurn();
    expect(rpc.batches[0]?.items).toHaveLength(256);
    expect(rpc.batches).toHaveLength(2);
    for (let released = 0; released < rpc.batches.length; released += 1) {
      const { items, release } = rpc.batches[released] as (typeof rpc.batches)[number];
      const bytes = items.reduce((sum, { body }) => sum + body.length, 0);
      expect(bytes).toBeLessThanOrEqual(acceptCoalescerDefaults.batchBytes);
      release();
      await nextTurn();
      await nextTurn();
    }
    await Promise.all([...many, ...large]);
  });

  test("an acceptance beyond the bounded queue is refused at once", async () => {
    expect(acceptCoalescerDefaults.waitingItems).toBe(4_000);
    const rpc = createHeldRpc();
    const coalescer = createAcceptCoalescer(
      { send: rpc.send, monotonic: () => 0, random },
      { ...acceptCoalescerDefaults, batchItems: 1, waitingItems: 40 },
    );
    const first = [coalescer.accept(itemOf("a")), coalescer.accept(itemOf("b"))];
    await nextTurn();
    const waiting = Array.from({ length: 40 }, (_, n) => coalescer.accept(itemOf(`${n}`)));
    const refused = await expectDomainError(coalescer.accept(itemOf("one too many")), "SERVICE_UNAVAILABLE");
    expect(refused.metadata).toEqual({ retryAfterSeconds: "1" });
    const all = Promise.allSettled([...first, ...waiting]);
    while (rpc.batches.length < 42) {
      for (const batch of rpc.batches) batch.release();
      await nextTurn();
    }
    for (const batch of rpc.batches) batch.release();
    expect((await all).every(({ status }) => status === "fulfilled")).toBe(true);
  });

  test("one bad item fails alone", async () => {
    const send = async (items: AcceptBatchRequest_Item[]) =>
      items.map((item) => {
        if (item.idempotencyKey !== "bad") return receiptFor(item);
        const details = [{ field: "userRef", code: "REQUIRED", message: "is required" }];
        const error = create(ItemErrorSchema, { errorCode: "CLICK_VALIDATION_FAILED", details });
        return create(AcceptBatchResponse_ResultSchema, { outcome: { case: "error", value: error } });
      });
    const coalescer = createAcceptCoalescer({ send, monotonic, random });
    const good = coalescer.accept(itemOf("good"));
    const bad = await expectDomainError(coalescer.accept(itemOf("bad")), "CLICK_VALIDATION_FAILED");
    expect(bad.details).toMatchObject([{ field: "userRef", code: "REQUIRED" }]);
    expect((await good).receiptId).toBe("receipt of good");
  });

  test("a batch that found no server is sent once more", async () => {
    let attempts = 0;
    const send = async (items: AcceptBatchRequest_Item[]) => {
      attempts += 1;
      if (attempts === 1) throw new ConnectError("down", Code.Unavailable);
      return items.map(receiptFor);
    };
    const coalescer = createAcceptCoalescer({ send, monotonic, random });
    expect((await coalescer.accept(itemOf("a"))).receiptId).toBe("receipt of a");
    expect(attempts).toBe(2);
  });

  test.each([
    ["twice unavailable", Code.Unavailable, 2],
    ["broken", Code.Internal, 1],
  ])("a batch that is %s fails all of its items after %i tries", async (_name, code, expectedAttempts) => {
    const send = jest.fn<() => Promise<AcceptBatchResponse_Result[]>>().mockRejectedValue(new ConnectError("no", code));
    const coalescer = createAcceptCoalescer({ send, monotonic, random });
    const accepted = await Promise.allSettled([coalescer.accept(itemOf("a")), coalescer.accept(itemOf("b"))]);
    expect(accepted.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(send).toHaveBeenCalledTimes(expectedAttempts);
  });

  test("an answer with another number of results fails the batch", async () => {
    const coalescer = createAcceptCoalescer({ send: async () => [], monotonic, random });
    await expect(coalescer.accept(itemOf("a"))).rejects.toThrow("another number of results");
  });

  test("nothing hangs when the call never returns, and the next batch still leaves", async () => {
    const rpc = createHeldRpc();
    const limits = { ...acceptCoalescerDefaults, batchesInFlight: 1, callMs: 30, queueMs: 10_000 };
    const coalescer = createAcceptCoalescer({ send: rpc.send, monotonic, random }, limits);
    const hung = coalescer.accept(itemOf("a"));
    await nextTurn();
    const next = coalescer.accept(itemOf("b"));
    await expectDomainError(hung, "SERVICE_UNAVAILABLE");
    expect(rpc.batches[0]?.signal.aborted).toBe(true);
    await until(() => rpc.batches.length === 2);
    rpc.batches[1]?.release();
    expect((await next).receiptId).toBe("receipt of b");
  });

  test("what waited too long is refused instead of being sent late", async () => {
    const rpc = createHeldRpc();
    let now = 0;
    const limits = { ...acceptCoalescerDefaults, batchesInFlight: 1 };
    const coalescer = createAcceptCoalescer({ send: rpc.send, monotonic: () => now, random }, limits);
    const first = coalescer.accept(itemOf("a"));
    await nextTurn();
    const late = coalescer.accept(itemOf("b"));
    now = 3_000;
    const inTime = coalescer.accept(itemOf("c"));
    now = 5_001;
    rpc.batches[0]?.release();
    await first;
    await expectDomainError(late, "SERVICE_UNAVAILABLE");
    await until(() => rpc.batches.length === 2);
    rpc.batches[1]?.release();
    expect((await inTime).receiptId).toBe("receipt of c");
  });
});
