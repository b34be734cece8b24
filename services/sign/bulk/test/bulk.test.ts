import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { RecipientRole } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { BulkBatch } from "#gen/assent/sign/v1/sign_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { smallestPdf } from "../../intake/merge-pdfs.ts";
import { type Organization, type SignHarness, startSign } from "../../test/harness.ts";

let system: SignHarness;
let organization: Organization;

beforeAll(async () => {
  system = await startSign();
});
beforeEach(() => {
  organization = system.organization();
});
afterAll(() => system.stop());

const copyFor = (email: string) => ({
  recipients: [{ recipientId: "1", role: RecipientRole.SIGNER, roleName: "Client", name: "Person", email }],
});

async function createTemplate(owner = organization): Promise<string> {
  const { agreement } = await owner.createAgreement({
    isTemplate: true,
    definition: {
      ...{ name: "NDA", emailSubject: "NDA" },
      documents: [
        {
          ...{ documentId: "1", name: "NDA.pdf", fileExtension: "pdf" },
          source: { case: "content", value: smallestPdf },
        },
      ],
      recipients: [{ recipientId: "1", role: RecipientRole.SIGNER, roleName: "Client" }],
    },
  });
  return agreement?.id ?? "";
}

async function submit(emails: readonly string[]): Promise<BulkBatch> {
  const { list } = await organization.createBulkList({ name: "Clients", copies: emails.map(copyFor) });
  const { batch } = await organization.sendBulkList({
    ...{ listId: list?.id ?? "", batchName: "Autumn" },
    target: { id: { case: "templateId", value: await createTemplate() } },
  });
  if (batch === undefined) throw new Error("the answer has no batch");
  return batch;
}

const read = async (id: string): Promise<BulkBatch | undefined> => (await organization.getBulkBatch({ id })).batch;

const ended = (id: string): Promise<BulkBatch> =>
  until(async () => {
    const batch = await read(id);
    return batch?.endedAt === undefined ? undefined : batch;
  });

const addressees = async (): Promise<string[]> => {
  const sql = `select r.email from sign.agreement a join sign.recipient r
    on r.organization_id = a.organization_id and r.agreement_id = a.id
    where a.organization_id = $1 and a.status = 'sent' order by r.email`;
  const { rows } = await system.superuser.query<{ email: string }>(sql, [organization.orgId]);
  return rows.map(({ email }) => email);
};

describe("a bulk list", () => {
  test("sends every copy once though two processes work and one of them ends in between", async () => {
    const emails = Array.from({ length: 30 }, (_, index) => `p${String(index).padStart(2, "0")}@example.com`);
    const [one, other] = [await system.another(), await system.another()];
    const batch = await submit(emails);
    expect(batch).toMatchObject({ name: "Autumn", total: 30, queued: 30, sent: 0, failed: 0 });
    await Promise.all([one.startWorkers(), other.startWorkers()]);
    await until(async () => ((await read(batch.id))?.sent ?? 0) >= 5, 20_000);
    await one.stop();
    expect(await ended(batch.id)).toMatchObject({ total: 30, queued: 0, sent: 30, failed: 0, failures: [] });
    expect(await addressees()).toEqual(emails);
    // Nobody needs them any more, and whom they name.
    const { rows } = await system.superuser.query("select copies from sign.bulk_batch where id = $1", [batch.id]);
    expect(rows).toEqual([{ copies: [] }]);
    await other.stop();
  });

  test("counts what is wrong as failed, with its code, and ends all the same", async () => {
    const worker = await system.another();
    await worker.startWorkers();
    const batch = await submit(["ann@example.com", "nobody", "bob@example.com"]);
    const { sent, failed, failures } = await ended(batch.id);
    expect({ sent, failed }).toEqual({ sent: 2, failed: 1 });
    expect(failures).toMatchObject([{ index: 1, errorCode: "INVALID_EMAIL" }]);
    expect(await addressees()).toEqual(["ann@example.com", "bob@example.com"]);

    // Those that it has made are listed page by page, whatever becomes of them, and no others.
    await organization.createAgreement({ definition: { emailSubject: "Another" } });
    const listed = { bulkBatchId: batch.id.toUpperCase(), withParts: true, withTotal: true, limit: 1 };
    const page = await organization.listAgreements(listed);
    const rest = await organization.listAgreements({ ...listed, cursor: page.nextCursor });
    const found = [...page.agreements, ...rest.agreements];
    expect([page.total, rest.nextCursor]).toEqual([2n, ""]);
    expect(found.map(({ recipients }) => recipients[0]?.email).sort()).toEqual(["ann@example.com", "bob@example.com"]);
    await organization.voidAgreement({ agreementId: found[0]?.id ?? "", reason: "Mistake" });
    expect((await organization.listAgreements(listed)).total).toBe(2n);
    expect((await system.organization().listAgreements(listed)).total).toBe(0n);
    await worker.stop();
  });

  test("makes no copies of a draft that was sent since, with what people have put into it", async () => {
    const { list } = await organization.createBulkList({ name: "Clients", copies: [copyFor("ann@example.com")] });
    const templateId = await createTemplate();
    const { agreement } = await organization.createAgreement({
      definition: { recipients: [{ recipientId: "1", roleName: "Client", name: "Bob", email: "bob@example.com" }] },
      compositions: [{ layers: [{ source: { case: "templateId", value: templateId } }] }],
    });
    const id = agreement?.id ?? "";
    const { batch } = await organization.sendBulkList({
      ...{ listId: list?.id ?? "" },
      target: { id: { case: "agreementId", value: id } },
    });
    await organization.sendAgreement({ agreementId: id });
    const worker = await system.another();
    await worker.startWorkers();
    const { failures } = await ended(batch?.id ?? "");
    expect(failures).toMatchObject([{ errorCode: "ENVELOPE_CANNOT_BE_MODIFIED" }]);
    expect(await addressees()).toEqual(["bob@example.com"]);
    await worker.stop();
  });

  test("waits no longer than its attempts for what is away", async () => {
    const batch = await submit(["ann@example.com"]);
    await system.superuser.query(
      "update sign.job set attempts = 19 where organization_id = $1 and kind = 'bulk-copy'",
      [organization.orgId],
    );
    const worker = await system.another();
    system.auth.setAway(true);
    await worker.startWorkers();
    const { failed, failures } = await ended(batch.id);
    expect([failed, failures[0]?.errorCode]).toEqual([1, "SERVICE_UNAVAILABLE"]);
    system.auth.setAway(false);
    await worker.stop();
  });

  test("of nobody ends at once", async () => {
    expect(await submit([])).toMatchObject({ total: 0, queued: 0, endedAt: expect.anything() });
  });

  test("can be read, changed and deleted by its organization only", async () => {
    const { list } = await organization.createBulkList({ name: "Clients", copies: [copyFor("ann@example.com")] });
    const id = list?.id ?? "";
    const stranger = system.organization();
    const target = { id: { case: "templateId" as const, value: await createTemplate(stranger) } };
    for (const call of [
      stranger.getBulkList({ id }),
      stranger.updateBulkList({ id, name: "Mine" }),
      stranger.deleteBulkList({ id }),
      stranger.sendBulkList({ listId: id, target }),
    ]) {
      await expectDomainError(call, "BULK_LIST_NOT_FOUND");
    }
    expect((await stranger.listBulkLists({})).lists).toEqual([]);
    await expectDomainError(organization.sendBulkList({ listId: id, target }), "TEMPLATE_NOT_FOUND");
    const changed = await organization.updateBulkList({ id, name: "Others", copies: [] });
    expect(changed.list).toMatchObject({ name: "Others", copyCount: 0 });
    expect((await organization.listBulkLists({})).lists).toMatchObject([{ id, name: "Others" }]);
    const batch = await submit([]);
    await expectDomainError(stranger.getBulkBatch({ id: batch.id }), "BULK_BATCH_NOT_FOUND");
    expect((await stranger.listBulkBatches({})).batches).toEqual([]);
    await organization.deleteBulkList({ id });
    await expectDomainError(organization.getBulkList({ id }), "BULK_LIST_NOT_FOUND");
    await expectDomainError(organization.getBulkBatch({ id: randomUUID() }), "BULK_BATCH_NOT_FOUND");
  });
});
