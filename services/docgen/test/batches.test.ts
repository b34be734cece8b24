import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { BatchStatus, DocumentStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { RenderError } from "../renderer/render-job.ts";
import { expectConsistent, listItems, namesUpTo, readBatch, submit, untilEnded } from "./batch-harness.ts";
import { createCustomer, rowOf, usedOf } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createFakeRenderer } from "./fake-renderer.ts";
import { createPublished, type DocgenHarness, present, requestId, startDocgen, traceparent } from "./harness.ts";

const renderer = createFakeRenderer();
let harness: DocgenHarness;
beforeAll(async () => {
  harness = await startDocgen({ renderer, checker: createFakeChecker(), work: { pollMs: 20 } });
  await harness.startWorkers();
});
afterAll(() => harness.stop());
beforeEach(() => {
  renderer.letGo();
  renderer.answer(() => ({}));
});

const keyed = (text = "body") => ({
  idempotencyKey: randomUUID(),
  requestHash: createHash("sha256").update(text).digest(),
});

describe("a batch", () => {
  test("is accepted, runs and is completed; its items are documents in their order", async () => {
    const customer = await createCustomer(harness);
    const { organization } = customer;
    renderer.hold();
    const response = await submit(customer, namesUpTo(12));
    const { id } = present(response.batch);
    expect(response).toMatchObject({
      replayed: false,
      batch: { status: BatchStatus.QUEUED, total: 12, queued: 12, completed: 0, failed: 0, cancelled: 0 },
    });
    const begun = await until(async () => {
      const items = await listItems(organization, id, DocumentStatus.RENDERING);
      return items.length === 3 && items;
    });
    expect(begun.map(({ index }) => index)).toEqual([0, 1, 2]);
    const running = await readBatch(organization, id);
    expect([running.status, running.queued, running.completedAt]).toEqual([BatchStatus.RUNNING, 12, undefined]);
    renderer.letGo();
    const ended = await untilEnded(organization, id);
    expect(ended).toMatchObject({ status: BatchStatus.COMPLETED, completed: 12, completedAt: expect.anything() });
    const { items, ended: event } = await expectConsistent(harness, organization, id);
    expect(items.map(({ index, ref }) => [index, ref])).toEqual(namesUpTo(12).map((_, n) => [n, `row-${n}`]));
    expect(event).toEqual({ batchId: id, status: "completed", total: 12, completed: 12, failed: 0, cancelled: 0 });
    const documentId = present(items[3]?.document).id;
    const { content, document } = await organization.getDocumentContent({ documentId });
    expect(Buffer.from(content).toString()).toContain("Name 3");
    expect(document).toMatchObject({ batchId: id, status: DocumentStatus.COMPLETED });
  });

  test("is begun in the order of its items", async () => {
    const customer = await createCustomer(harness);
    const { batch } = await submit(customer, namesUpTo(60));
    await untilEnded(customer.organization, present(batch).id);
    const { rows } = await harness.superuser.query<{ item_index: number }>(
      "select item_index from docgen.document where batch_id = $1 order by started_at, item_index",
      [present(batch).id],
    );
    expect(rows.map((row) => row.item_index)).toEqual(namesUpTo(60).map((_, index) => index));
  });

  test("takes one slot of the hour and none of the minute, however many items there are", async () => {
    const customer = await createCustomer(harness);
    const { orgId } = customer.organization;
    harness.auth.setPlan(orgId, Plan.GEN_STARTER);
    const { batch } = await submit(customer, namesUpTo(30));
    const { rate } = await submit(customer, namesUpTo(2));
    expect(await usedOf(harness, orgId)).toEqual({ hour: 2, minute: 0 });
    expect(rate).toMatchObject({ remaining: expect.any(Number) });
    await untilEnded(customer.organization, present(batch).id);
    expect(await usedOf(harness, orgId)).toEqual({ hour: 2, minute: 0 });
  });

  test("tells of its end with the request that submitted it", async () => {
    const customer = await createCustomer(harness);
    const { batch } = await submit(customer, namesUpTo(2));
    const { id } = present(batch);
    await untilEnded(customer.organization, id);
    const { rows } = await harness.superuser.query<{ subject: string; data: string }>(
      "select subject, data from docgen.outbox where organization_id = $1 order by position desc limit 1",
      [customer.organization.orgId],
    );
    const { subject, data } = present(rows[0]);
    const event = JSON.parse(data) as Record<string, unknown>;
    expect(subject).toBe("assent.docgen.batch.completed");
    expect(event).toMatchObject({
      aggregateId: id,
      requestId,
      traceparent,
      organizationId: customer.organization.orgId,
    });
  });

  test("with items that cannot be rendered is completed with errors", async () => {
    const customer = await createCustomer(harness);
    renderer.answer(({ content }) => {
      if (JSON.stringify(content).includes("Grace")) throw new RenderError("GEN_TEMPLATE_ERROR", "No.", { line: "1" });
      return {};
    });
    const { batch } = await submit(customer, ["Ada", "Grace", "Edsger"]);
    const ended = await untilEnded(customer.organization, present(batch).id);
    expect(ended).toMatchObject({ status: BatchStatus.COMPLETED_WITH_ERRORS, completed: 2, failed: 1 });
    const { items, ended: event } = await expectConsistent(harness, customer.organization, ended.id);
    expect(event).toMatchObject({ status: "completed_with_errors", completed: 2, failed: 1 });
    expect(items[1]?.document?.failure).toMatchObject({ errorCode: "GEN_TEMPLATE_ERROR", details: { line: "1" } });
  });

  test("with every item deleted on its own is cancelled and has taken its slot all the same", async () => {
    const customer = await createCustomer(harness);
    renderer.hold();
    await occupyRenderer();
    const { batch } = await submit(customer, ["Ada", "Grace"]);
    const { id } = present(batch);
    for (const { document } of await listItems(customer.organization, id)) {
      await customer.organization.deleteDocument({ documentId: present(document).id });
    }
    expect(await readBatch(customer.organization, id)).toMatchObject({ status: BatchStatus.CANCELLED, cancelled: 2 });
    expect(await usedOf(harness, customer.organization.orgId)).toEqual({ hour: 1, minute: 0 });
  });
});

/** Fills the renderer with documents of somebody else. */
async function occupyRenderer(): Promise<void> {
  const { ask } = await createCustomer(harness);
  for (let count = 0; count < 4; count += 1) await ask();
  await until(() => renderer.freeSlots() === 0);
}

describe("an idempotency key", () => {
  test("makes one batch and takes one slot, however many requests come at once", async () => {
    const customer = await createCustomer(harness);
    const { orgId } = customer.organization;
    const key = keyed();
    const responses = await Promise.all(Array.from({ length: 5 }, () => submit(customer, namesUpTo(20), key)));
    expect(new Set(responses.map(({ batch }) => batch?.id)).size).toBe(1);
    expect(responses.filter(({ replayed }) => !replayed).length).toBe(1);
    expect(await usedOf(harness, orgId)).toEqual({ hour: 1, minute: 0 });
    await untilEnded(customer.organization, present(responses[0]?.batch).id);
    const later = await submit(customer, namesUpTo(20), key);
    expect(later).toMatchObject({ replayed: true, batch: { status: BatchStatus.COMPLETED, completed: 20 } });
    expect(later.rate?.remaining).toBeGreaterThan(0);
    expect(await usedOf(harness, orgId)).toEqual({ hour: 1, minute: 0 });
  });

  test("is refused for another request and for a document", async () => {
    const customer = await createCustomer(harness);
    const key = keyed();
    await submit(customer, ["Ada"], key);
    const other = { ...keyed("another"), idempotencyKey: key.idempotencyKey };
    await expectDomainError(submit(customer, ["Grace"], other), "GEN_IDEMPOTENCY_CONFLICT");
    await expectDomainError(customer.create({}, key), "GEN_IDEMPOTENCY_CONFLICT");
  });
});

test("batches are listed newest first, page by page and by status", async () => {
  const customer = await createCustomer(harness);
  const { organization } = customer;
  const done = present((await submit(customer, ["Ada"])).batch).id;
  await untilEnded(organization, done);
  const wrong = present((await submit(customer, ["{}"])).batch).id;
  renderer.hold();
  const running = present((await submit(customer, namesUpTo(2))).batch).id;
  await until(async () => (await readBatch(organization, running)).status === BatchStatus.RUNNING);
  const idsOf = async (status: BatchStatus, page: { afterId?: string; pageSize?: number } = {}) => {
    const { batches, hasMore } = await organization.listBatches({ status, pageSize: 9, ...page });
    return [batches.map(({ id }) => id), hasMore];
  };
  expect(await idsOf(BatchStatus.UNSPECIFIED, { pageSize: 2 })).toEqual([[running, wrong], true]);
  expect(await idsOf(BatchStatus.UNSPECIFIED, { afterId: wrong })).toEqual([[done], false]);
  expect(await idsOf(BatchStatus.RUNNING)).toEqual([[running], false]);
  expect(await idsOf(BatchStatus.QUEUED)).toEqual([[], false]);
  expect(await idsOf(BatchStatus.COMPLETED)).toEqual([[done], false]);
  expect(await idsOf(BatchStatus.COMPLETED_WITH_ERRORS)).toEqual([[wrong], false]);
  const { batches } = await organization.listBatches({ pageSize: 1 });
  expect(batches).toEqual([await readBatch(organization, running)]);
  expect((await harness.organization().listBatches({ pageSize: 9 })).batches).toEqual([]);
});

test("batches of other organizations are unknown", async () => {
  const customer = await createCustomer(harness);
  renderer.hold();
  await occupyRenderer();
  const { batch } = await submit(customer, ["Ada"]);
  const { id: batchId } = present(batch);
  const stranger = harness.organization();
  for (const id of [batchId, randomUUID()]) {
    await expectDomainError(stranger.getBatch({ batchId: id }), "GEN_BATCH_NOT_FOUND");
    await expectDomainError(stranger.listBatchItems({ batchId: id, pageSize: 1 }), "GEN_BATCH_NOT_FOUND");
    await expectDomainError(stranger.cancelBatch({ batchId: id }), "GEN_BATCH_NOT_FOUND");
  }
  const [item] = await listItems(customer.organization, batchId);
  expect((await rowOf(harness, present(item?.document).id)).status).toBe("queued");
  // Nor are templates of others found for the items of a batch.
  const { id: templateId } = await createPublished(stranger);
  const answer = await submit({ ...customer, templateId }, ["Ada"]);
  expect(answer.batch).toMatchObject({ failed: 1 });
});
