import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { BatchStatus, DocumentStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { badData, expectConsistent, itemsOf, listItems, namesUpTo, submit, untilEnded } from "./batch-harness.ts";
import { createCustomer, usedOf } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createFakeRenderer } from "./fake-renderer.ts";
import { type DocgenHarness, present, startDocgen } from "./harness.ts";

const renderer = createFakeRenderer();
let harness: DocgenHarness;
beforeAll(async () => {
  harness = await startDocgen({ renderer, checker: createFakeChecker(), work: { pollMs: 20 } });
  await harness.startWorkers();
});
afterAll(() => harness.stop());
beforeEach(() => renderer.letGo());

describe("items that are not valid", () => {
  test("are recorded as failed at once, and the others are rendered", async () => {
    const customer = await createCustomer(harness);
    const { organization, templateId } = customer;
    renderer.hold();
    const source = { templateId, dataJson: '{"name":"Ada"}' };
    const { batch } = await organization.createBatch({
      items: [
        { ref: "good", source },
        { ref: "no-template", source: { ...source, templateId: randomUUID(), metadataJson: '{"a":"b"}' } },
        { ref: "bad-data", source: { ...source, dataJson: badData, locale: "DE-de" } },
        { ref: "no-json", source: { ...source, dataJson: "[" } },
        { ref: "no-version", source: { ...source, version: 9 } },
        { ref: "bad-zone", source: { ...source, timeZone: "Mars/Base", metadataJson: "[" } },
      ],
    });
    const { id } = present(batch);
    expect(batch).toMatchObject({ status: BatchStatus.QUEUED, total: 6, queued: 1, failed: 5 });
    const failed = await listItems(organization, id, DocumentStatus.FAILED);
    expect(failed.map(({ ref, document }) => [ref, document?.failure?.errorCode])).toEqual([
      ["no-template", "GEN_TEMPLATE_NOT_FOUND"],
      ["bad-data", "GEN_INVALID_DATA"],
      ["no-json", "GEN_INVALID_REQUEST"],
      ["no-version", "GEN_TEMPLATE_NOT_FOUND"],
      ["bad-zone", "GEN_INVALID_REQUEST"],
    ]);
    // The name of nothing is not kept: it may be the name of something of another organization.
    expect(failed.map(({ document }) => document?.templateId)).toEqual(["", templateId, templateId, "", templateId]);
    expect(failed[0]?.document).toMatchObject({ metadataJson: '{"a":"b"}', completedAt: expect.anything() });
    expect(failed[1]?.document).toMatchObject({ locale: "de-DE", failure: { details: { path: "/name" } } });
    expect(failed[4]?.document?.failure?.details).toMatchObject({ field: "timeZone", reason: expect.any(String) });
    renderer.letGo();
    expect(await untilEnded(organization, id)).toMatchObject({ status: BatchStatus.COMPLETED_WITH_ERRORS });
    await expectConsistent(harness, organization, id);
  });

  test("alone make a batch that has ended when it is answered, and whose slot is used", async () => {
    const customer = await createCustomer(harness);
    const { batch } = await submit(customer, [badData, badData]);
    expect(batch).toMatchObject({
      status: BatchStatus.COMPLETED_WITH_ERRORS,
      failed: 2,
      completedAt: expect.anything(),
    });
    const { ended } = await expectConsistent(harness, customer.organization, present(batch).id);
    expect(ended).toMatchObject({ status: "completed_with_errors", total: 2, failed: 2 });
    expect(await usedOf(harness, customer.organization.orgId)).toEqual({ hour: 1, minute: 0 });
    expect((await customer.organization.cancelBatch({ batchId: present(batch).id })).batch).toEqual(batch);
    expect(await usedOf(harness, customer.organization.orgId)).toEqual({ hour: 1, minute: 0 });
  });

  test("are no reason to accept what nobody can name", async () => {
    const customer = await createCustomer(harness);
    const [item] = itemsOf(customer, ["Ada"]);
    const request = { items: [{ ...present(item), ref: "two\nlines" }] };
    const error = await expectDomainError(customer.organization.createBatch(request), "VALIDATION_FAILED");
    expect(error.details.map(({ field }) => field)).toEqual(["items[0].ref"]);
    await expect(customer.organization.createBatch({ items: [] })).rejects.toThrow();
    await expect(submit(customer, namesUpTo(501))).rejects.toThrow();
    expect(await usedOf(harness, customer.organization.orgId)).toEqual({ hour: 0, minute: 0 });
  });

  test("do not include those that a service could not be asked about: then nothing is accepted", async () => {
    const { organization, templateId } = await createCustomer(harness);
    const items = [
      { source: { templateId, dataJson: '{"name":"Ada"}' } },
      { source: { templateRef: { templateId: randomUUID() } } },
    ];
    await expect(organization.createBatch({ items })).rejects.not.toBeInstanceOf(DomainError);
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 0, minute: 0 });
  });
});

describe("the items of a batch", () => {
  test("come page by page and by their status", async () => {
    const customer = await createCustomer(harness);
    const { organization } = customer;
    const { batch } = await submit(customer, ["a", badData, "b", "c", badData]);
    const { id: batchId } = await untilEnded(organization, present(batch).id);
    const first = await organization.listBatchItems({ batchId, pageSize: 2 });
    const second = await organization.listBatchItems({ batchId, pageSize: 2, fromIndex: 2 });
    const last = await organization.listBatchItems({ batchId, pageSize: 2, fromIndex: 4 });
    expect([first, second, last].map((page) => [page.items.map(({ index }) => index), page.hasMore])).toEqual([
      [[0, 1], true],
      [[2, 3], true],
      [[4], false],
    ]);
    const failed = { batchId, pageSize: 1, status: DocumentStatus.FAILED };
    expect((await organization.listBatchItems(failed)).items.map(({ index }) => index)).toEqual([1]);
    const next = await organization.listBatchItems({ ...failed, fromIndex: 2 });
    expect([next.items.map(({ index }) => index), next.hasMore]).toEqual([[4], false]);
    expect((await organization.listBatchItems({ batchId, pageSize: 1, fromIndex: 2 ** 32 - 1 })).items).toEqual([]);
  });
});
