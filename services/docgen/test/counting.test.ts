import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { DocumentStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { planLimits } from "../domain/usage.ts";
import { addBatch, createCustomer, rowOf, usedOf } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createFakeRenderer } from "./fake-renderer.ts";
import { type DocgenHarness, type DocgenProcess, present, startDocgen } from "./harness.ts";

/** Nothing is rendered here unless a test starts it. */
let harness: DocgenHarness;
let other: DocgenProcess;
beforeAll(async () => {
  const renderer = createFakeRenderer(1000);
  harness = await startDocgen({ renderer, checker: createFakeChecker(), work: { pollMs: 20 } });
  other = await harness.another();
});
afterAll(() => harness.stop());

const keyed = (text = "body") => ({
  idempotencyKey: randomUUID(),
  requestHash: createHash("sha256").update(text).digest(),
});

const documentsOf = async (orgId: string): Promise<number> =>
  (await harness.superuser.query("select from docgen.document where organization_id = $1", [orgId])).rows.length;

describe("an idempotency key", () => {
  test("makes one document and takes one slot, however many requests come at once", async () => {
    const customer = await createCustomer(harness);
    const { orgId } = customer.organization;
    const elsewhere = other.organization(orgId);
    const request = keyed();
    const source = { templateId: customer.templateId, dataJson: '{"name":"Ada"}' };
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        index % 2 === 0 ? customer.create({}, request) : elsewhere.createDocument({ source, ...request }),
      ),
    );
    expect(new Set(answers.map(({ document }) => document?.id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed).length).toBe(1);
    expect([await documentsOf(orgId), await usedOf(harness, orgId)]).toEqual([1, { hour: 1, minute: 1 }]);
  });

  test("answers the earlier document even when the template is gone", async () => {
    const { organization, templateId, create } = await createCustomer(harness);
    const request = keyed();
    const first = await create({}, request);
    await organization.deleteTemplate({ templateId });
    const second = await create({}, request);
    expect([second.document, second.replayed, first.replayed]).toEqual([first.document, true, false]);
    await expectDomainError(create({}, keyed()), "GEN_TEMPLATE_NOT_FOUND");
  });

  test("is refused for another request", async () => {
    const { create, organization } = await createCustomer(harness);
    const request = keyed();
    await create({}, request);
    const changed = { ...request, requestHash: keyed("other").requestHash };
    await expectDomainError(create({}, changed), "GEN_IDEMPOTENCY_CONFLICT");
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 1, minute: 1 });
  });

  test("of a document that was deleted answers that there is none", async () => {
    const { create, organization } = await createCustomer(harness);
    const request = keyed();
    const documentId = present((await create({}, request)).document).id;
    await organization.deleteDocument({ documentId });
    await expectDomainError(create({}, request), "GEN_DOCUMENT_NOT_FOUND");
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 0, minute: 0 });
  });

  test("belongs to one organization", async () => {
    const [one, two] = [await createCustomer(harness), await createCustomer(harness)];
    const request = keyed();
    const ids = [await one.ask({}, request), await two.ask({}, request)].map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });
});

describe("a request that is refused", () => {
  test("by the plan takes neither a slot nor its key", async () => {
    const { create, organization } = await createCustomer(harness);
    const { orgId } = organization;
    harness.auth.setPlan(orgId, Plan.GEN_STARTER);
    const { hour } = planLimits.gen_starter;
    // Also of the next hour, which could begin just now.
    await harness.superuser.query(
      `insert into docgen.usage_window select $1, 3600, date_trunc('hour', now()) + n * interval '1 hour', $2
       from generate_series(0, 1) n`,
      [orgId, hour],
    );
    const request = keyed();
    const error = await expectDomainError(create({}, request), "GEN_RATE_LIMITED");
    expect(error.metadata).toMatchObject({
      plan: "gen_starter",
      limit: String(hour),
      windowSeconds: "3600",
      retryAfterSeconds: expect.stringMatching(/^[1-9]\d*$/),
      resetAt: expect.stringMatching(/^\d+$/),
    });
    expect(await usedOf(harness, orgId)).toEqual({ hour: 2 * hour, minute: 0 });
    await harness.superuser.query("delete from docgen.usage_window where organization_id = $1", [orgId]);
    expect((await create({}, request)).replayed).toBe(false);
  });

  test("because it is not valid takes no slot", async () => {
    const { create, organization } = await createCustomer(harness);
    const error = await expectDomainError(create({ dataJson: "{}" }, keyed()), "GEN_INVALID_DATA");
    expect(error.metadata).toMatchObject({ path: "/name", expected: "string" });
    await expectDomainError(create({ timeZone: "Mars" }), "GEN_INVALID_REQUEST");
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 0, minute: 0 });
  });

  test("because too many wait takes no slot; items of batches are not counted", async () => {
    const customer = await createCustomer(harness);
    const { orgId } = customer.organization;
    await addBatch(harness, customer, 120);
    await Promise.all(Array.from({ length: 100 }, () => customer.ask()));
    await expectDomainError(customer.ask({}, keyed()), "GEN_BUSY");
    expect(await usedOf(harness, orgId)).toEqual({ hour: 100, minute: 100 });
    await (await createCustomer(harness)).ask();
  });
});

describe("a slot", () => {
  test("is given back once when its document is deleted before it is begun", async () => {
    const { ask, organization } = await createCustomer(harness);
    const documentId = (await ask()).id;
    await ask();
    const outcomes = await Promise.allSettled(
      [organization, other.organization(organization.orgId), organization].map((one) =>
        one.deleteDocument({ documentId }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBe(1);
    expect(await rowOf(harness, documentId)).toMatchObject({ status: "cancelled", slot: "returned", source: null });
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 1, minute: 1 });
    await expectDomainError(organization.getDocument({ documentId }), "GEN_DOCUMENT_NOT_FOUND");
  });

  test("is spent or given back when deleting and beginning race, never both", async () => {
    const customer = await createCustomer(harness);
    const { organization } = customer;
    const ids: string[] = [];
    for (let count = 0; count < 30; count += 1) ids.push((await customer.ask()).id);
    const racing = await harness.another();
    await racing.startWorkers();
    await Promise.all(ids.map((documentId) => organization.deleteDocument({ documentId })));
    await racing.stop();
    const rows = await Promise.all(ids.map((id) => rowOf(harness, id)));
    const returned = rows.filter(({ slot }) => slot === "returned");
    expect(returned.every(({ status, attempts }) => status === "cancelled" && attempts === 0)).toBe(true);
    expect(rows.filter(({ slot }) => slot === "spent").length).toBe(30 - returned.length);
    const used = 30 - returned.length;
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: used, minute: used });
    const { documents } = await organization.listDocuments({ pageSize: 50, status: DocumentStatus.UNSPECIFIED });
    expect(documents).toEqual([]);
  });
});
