import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { DocumentStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { submit } from "./batch-harness.ts";
import { addBatch, type Customer, createCustomer, usedOf } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createFakeRenderer, type FakeRenderer } from "./fake-renderer.ts";
import { type DocgenHarness, startDocgen } from "./harness.ts";

let harness: DocgenHarness;
let renderers: FakeRenderer[];
beforeEach(async () => {
  renderers = [];
  harness = await startDocgen({ renderer: createFakeRenderer(0), checker: createFakeChecker() });
});
afterEach(async () => {
  for (const renderer of renderers) renderer.letGo();
  await harness.stop();
});

/** A process that renders nothing to its end. */
async function startHeld(places: number, slowMs = 1_000_000): Promise<FakeRenderer> {
  const renderer = createFakeRenderer(places);
  renderer.hold();
  renderers.push(renderer);
  await (await harness.another({ renderer, work: { pollMs: 10, slowMs } })).startWorkers();
  return renderer;
}

async function renderingOf({ organization }: Customer): Promise<number> {
  const { rows } = await harness.superuser.query(
    "select from docgen.document where organization_id = $1 and status = 'rendering'",
    [organization.orgId],
  );
  return rows.length;
}

/** Time enough for every process to have looked several times. */
const looks = () => new Promise((resolve) => setTimeout(resolve, 150));

describe("the last place of a process", () => {
  test("is for single documents alone", async () => {
    const slow = await createCustomer(harness);
    await addBatch(harness, slow, 10);
    const renderer = await startHeld(3);
    await until(() => renderer.jobs.length === 2);
    await looks();
    expect(renderer.freeSlots()).toBe(1);
    const other = await createCustomer(harness);
    await other.ask();
    await until(async () => (await renderingOf(other)) === 1);
    expect(await renderingOf(slow)).toBe(2);
    renderer.letGo();
    await until(() => renderer.jobs.length === 11);
  });

  test("is for items too when it is the only one", async () => {
    await addBatch(harness, await createCustomer(harness), 2);
    const renderer = await startHeld(1);
    await until(() => renderer.jobs.length === 1);
  });

  test("is not given to an item that another process has left", async () => {
    const slow = await createCustomer(harness);
    const [item] = await addBatch(harness, slow, 3);
    const renderer = await startHeld(2);
    await until(() => renderer.jobs.length === 1);
    await harness.superuser.query("update docgen.document set claimed_until = now() - interval '1 s' where id = $1", [
      item,
    ]);
    await looks();
    expect(renderer.jobs.length).toBe(1);
  });
});

test("next is the organization with the fewest documents in the renderers of all processes", async () => {
  const busy = await createCustomer(harness);
  for (let count = 0; count < 3; count += 1) await busy.ask();
  await startHeld(2);
  await until(async () => (await renderingOf(busy)) === 2);
  const other = await createCustomer(harness);
  for (let count = 0; count < 3; count += 1) await other.ask();
  // Its turn is over, and it has none in the renderers.
  await harness.superuser.query(
    "update docgen.turn set single_at = now() + interval '1 s' where organization_id = $1",
    [other.organization.orgId],
  );
  await startHeld(2);
  await until(async () => (await renderingOf(other)) === 2);
  expect(await renderingOf(busy)).toBe(2);
});

test("a rendering that took long puts the turn off by its time, and not for ever", async () => {
  const slow = await createCustomer(harness);
  await slow.ask();
  const renderer = await startHeld(1, 50);
  await until(() => renderer.jobs.length === 1);
  await new Promise((resolve) => setTimeout(resolve, 400));
  renderer.letGo();
  await until(async () => (await secondsAhead(slow)) > 0);
  const ahead = await secondsAhead(slow);
  expect(ahead).toBeLessThan(60);
  await until(async () => {
    const { documents } = await slow.organization.listDocuments({ pageSize: 1 });
    return documents[0]?.status === DocumentStatus.COMPLETED;
  });
});

/** By how much the turn for single documents lies in the future. */
async function secondsAhead({ organization }: Customer): Promise<number> {
  const { rows } = await harness.superuser.query<{ ahead: string }>(
    "select extract(epoch from single_at - now()) as ahead from docgen.turn where organization_id = $1",
    [organization.orgId],
  );
  return Number(rows[0]?.ahead);
}

test("a batch is refused while too many items wait, and takes nothing then", async () => {
  const customer = await createCustomer(harness);
  for (let count = 0; count < 4; count += 1) await addBatch(harness, customer, 500);
  const key = { idempotencyKey: randomUUID(), requestHash: new Uint8Array(32) };
  const { metadata } = await expectDomainError(submit(customer, ["Ada"], key), "GEN_BUSY");
  expect(metadata).toMatchObject({ retryAfterSeconds: "10" });
  expect(await usedOf(harness, customer.organization.orgId)).toEqual({ hour: 0, minute: 0 });
  await harness.superuser.query(
    `update docgen.document set status = 'cancelled', source = null
     where id = (select id from docgen.document where organization_id = $1 limit 1)`,
    [customer.organization.orgId],
  );
  expect((await submit(customer, ["Ada"], key)).replayed).toBe(false);
  await (await createCustomer(harness)).ask();
});
