import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { BatchStatus, DocumentStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { until } from "#platform/testing/until.ts";
import {
  badData,
  eventsOfBatch,
  expectConsistent,
  listItems,
  namesUpTo,
  readBatch,
  submit,
  untilEnded,
} from "./batch-harness.ts";
import { createCustomer, rowOf, usedOf } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createFakeRenderer } from "./fake-renderer.ts";
import { type DocgenHarness, present, startDocgen } from "./harness.ts";

/** Two processes on one database; the first one never renders. */
/** Items of a batch have all of its places but one. */
const renderer = createFakeRenderer(4);
let harness: DocgenHarness;
let stopWorking: () => Promise<void>;
beforeAll(async () => {
  harness = await startDocgen({ renderer, checker: createFakeChecker(), work: { pollMs: 10 } });
  stopWorking = async () => undefined;
});
afterAll(() => harness.stop());
beforeEach(() => renderer.letGo());

/** A second process that renders. */
async function startWorking(): Promise<void> {
  const process = await harness.another();
  await process.startWorkers();
  stopWorking = process.stop;
}

describe("cancelling a batch that was not begun", () => {
  test("cancels all of it, once, and its slot stays spent", async () => {
    const customer = await createCustomer(harness);
    const { organization } = customer;
    const { batch: other } = await submit(customer, ["Ada"]);
    const { batch } = await submit(customer, namesUpTo(5));
    const { id: batchId } = present(batch);
    const responses = await Promise.all(Array.from({ length: 4 }, () => organization.cancelBatch({ batchId })));
    for (const response of responses) {
      expect(response.batch).toMatchObject({ status: BatchStatus.CANCELLED, cancelled: 5, queued: 0 });
    }
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 2, minute: 0 });
    const { items, ended } = await expectConsistent(harness, organization, batchId);
    expect(ended).toEqual({ batchId, status: "cancelled", total: 5, completed: 0, failed: 0, cancelled: 5 });
    expect(await rowOf(harness, present(items[0]?.document).id)).toMatchObject({ status: "cancelled", source: null });
    await organization.cancelBatch({ batchId: present(other).id });
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 2, minute: 0 });
  });

  test("counts as well what was not valid", async () => {
    const customer = await createCustomer(harness);
    const { organization } = customer;
    const { batch } = await submit(customer, ["Ada", badData]);
    const { id: batchId } = present(batch);
    const cancelled = await organization.cancelBatch({ batchId });
    expect(cancelled.batch).toMatchObject({ status: BatchStatus.CANCELLED, cancelled: 1, failed: 1 });
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 1, minute: 0 });
    await expectConsistent(harness, organization, batchId);
  });
});

describe("cancelling a batch that runs", () => {
  test("cancels the rest; what is being rendered ends, and the batch with it; the slot stays spent", async () => {
    const customer = await createCustomer(harness);
    const { organization } = customer;
    await startWorking();
    renderer.hold();
    const { batch } = await submit(customer, namesUpTo(8));
    const { id: batchId } = present(batch);
    await until(async () => (await listItems(organization, batchId, DocumentStatus.RENDERING)).length === 3);
    const { batch: cancelled } = await organization.cancelBatch({ batchId });
    expect(cancelled).toMatchObject({ status: BatchStatus.RUNNING, queued: 3, cancelled: 5 });
    expect((await eventsOfBatch(harness, organization, batchId)).ended).toEqual([]);
    renderer.letGo();
    const ended = await untilEnded(organization, batchId);
    expect(ended).toMatchObject({ status: BatchStatus.CANCELLED, completed: 3, cancelled: 5 });
    await expectConsistent(harness, organization, batchId);
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 1, minute: 0 });
    expect((await organization.cancelBatch({ batchId })).batch).toEqual(ended);
    await stopWorking();
  });

  test("does nothing when nothing waits any more", async () => {
    const customer = await createCustomer(harness);
    const { organization } = customer;
    await startWorking();
    renderer.hold();
    const { batch } = await submit(customer, namesUpTo(3));
    const { id: batchId } = present(batch);
    await until(async () => (await listItems(organization, batchId, DocumentStatus.RENDERING)).length === 3);
    const answered = await organization.cancelBatch({ batchId });
    expect(answered.batch).toMatchObject({ status: BatchStatus.RUNNING, queued: 3, cancelled: 0 });
    renderer.letGo();
    expect((await untilEnded(organization, batchId)).status).toBe(BatchStatus.COMPLETED);
    await stopWorking();
  });

  test("at any moment leaves a batch that adds up and ends once", async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
    const random = randomFrom(seed);
    await startWorking();
    for (let round = 0; round < 12; round += 1) {
      const customer = await createCustomer(harness);
      const { organization } = customer;
      const { batch } = await submit(customer, namesUpTo(1 + Math.floor(random() * 12)));
      const { id: batchId } = present(batch);
      const after = Math.floor(random() * (present(batch).total + 1));
      await until(
        async () => (await readBatch(organization, batchId)).completed >= Math.min(after, present(batch).total),
      );
      await Promise.all([organization.cancelBatch({ batchId }), organization.cancelBatch({ batchId })]);
      const ended = await untilEnded(organization, batchId);
      await expectConsistent(harness, organization, batchId);
      const facts = { seed, round, status: ended.status, used: (await usedOf(harness, organization.orgId)).hour };
      expect(facts).toEqual({ ...facts, status: ended.cancelled > 0 ? BatchStatus.CANCELLED : BatchStatus.COMPLETED });
      expect(facts).toEqual({ ...facts, used: 1 });
    }
    await stopWorking();
  });
});

/** The same numbers for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
