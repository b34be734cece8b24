import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { DocumentStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { terminateSessions } from "#platform/testing/database.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { planLimits } from "../domain/usage.ts";
import type { WorkLoop, WorkTimes } from "../work/work-loop.ts";
import { addBatch, blobsOf, createCustomer, readEvents, rowOf, usedOf } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createFakeRenderer } from "./fake-renderer.ts";
import { type DocgenHarness, present, startDocgen } from "./harness.ts";

/** The process that accepts; whether it renders as well is for each test. */
let harness: DocgenHarness;
const renderer = createFakeRenderer(1);
// Seldom enough that a look for work of others rarely holds the place which a new document is to have.
const work: Partial<WorkTimes> = { pollMs: 150, lapsedMs: 20 };
beforeEach(async () => {
  renderer.letGo();
  renderer.setDeaf(false);
  harness = await startDocgen({ renderer, checker: createFakeChecker(), work });
});
afterEach(async () => {
  renderer.letGo();
  await harness.stop();
});

const statusOf = async (id: string): Promise<string> => (await rowOf(harness, id)).status;

/** A process that takes claims for a moment, never renews them, and whose renderer never ends: as if it were frozen. */
async function startFrozen() {
  const frozen = createFakeRenderer(1);
  frozen.hold();
  frozen.setDeaf(true);
  const times = { ...work, leaseMs: 150, renewMs: 1_000_000, graceMs: 10, lapsedMs: 1_000_000 };
  const process = await harness.another({ renderer: frozen, work: times });
  await process.startWorkers();
  return { process, renderer: frozen };
}

describe("a document whose process is gone", () => {
  test("is rendered by another one into one artifact, and what comes too late is dropped", async () => {
    const frozen = await startFrozen();
    const { organization, ask } = await createCustomer(harness);
    const { id } = await ask();
    await until(() => frozen.renderer.jobs.length === 1);
    const before = await rowOf(harness, id);
    expect(before).toMatchObject({ status: "rendering", slot: "spent", attempts: 1 });
    await harness.startWorkers();
    await until(async () => (await statusOf(id)) === "completed");
    const { document } = await organization.getDocument({ documentId: id });
    frozen.renderer.answer(() => ({ pdf: Buffer.from("too late") }));
    frozen.renderer.letGo();
    await until(() => frozen.renderer.freeSlots() === 1);
    await frozen.process.stop();
    expect((await organization.getDocument({ documentId: id })).document).toEqual(document);
    expect(await rowOf(harness, id)).toMatchObject({ attempts: 2, slot: "spent" });
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 1, minute: 1 });
    expect(await blobsOf(harness, organization.orgId)).toBe(1);
    expect((await readEvents(harness, organization.orgId)).length).toBe(1);
  });

  test("fails when it was begun three times and never ended", async () => {
    const { organization, ask } = await createCustomer(harness);
    const { id } = await ask();
    await harness.superuser.query(
      `update docgen.document set status = 'rendering', claim = gen_random_uuid(), claimed_until = now(), attempts = 3,
         slot = 'spent' where id = $1`,
      [id],
    );
    await harness.startWorkers();
    await until(async () => (await statusOf(id)) === "failed");
    const { document } = await organization.getDocument({ documentId: id });
    expect(document?.failure).toMatchObject({ errorCode: "GEN_RENDER_FAILED", details: { reason: "crashed" } });
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 1, minute: 1 });
  });

  test("is not taken from a process that is slow and renews its lease", async () => {
    const slow = createFakeRenderer(1);
    slow.hold();
    const process = await harness.another({ renderer: slow, work: { ...work, leaseMs: 1_500, renewMs: 20 } });
    await process.startWorkers();
    const { id } = await (await createCustomer(harness)).ask();
    await until(() => slow.jobs.length === 1);
    const firstEnd = await claimedUntil(id);
    await harness.startWorkers();
    // Well beyond the lease that the claim began with.
    await until(async () => (await claimedUntil(id)) > firstEnd + 1_500);
    slow.letGo();
    await until(async () => (await statusOf(id)) === "completed");
    expect(await rowOf(harness, id)).toMatchObject({ attempts: 1 });
    expect(renderer.jobs.some(({ createdAt }) => createdAt.getTime() === slow.jobs[0]?.createdAt.getTime())).toBe(
      false,
    );
  });
});

const claimedUntil = async (id: string): Promise<number> => {
  const { rows } = await harness.superuser.query<{ at: Date }>(
    "select claimed_until as at from docgen.document where id = $1",
    [id],
  );
  return present(rows[0]).at.getTime();
};

describe("a process that stops", () => {
  test("lets what is being rendered end", async () => {
    await harness.startWorkers();
    const { ask } = await createCustomer(harness);
    renderer.hold();
    const { id } = await ask();
    const waiting = await ask();
    await until(async () => (await statusOf(id)) === "rendering");
    const stopped = loopOf(harness).stop();
    renderer.letGo();
    await stopped;
    expect(await rowOf(harness, id)).toMatchObject({ status: "completed", attempts: 1 });
    expect(await rowOf(harness, waiting.id)).toMatchObject({ status: "queued", attempts: 0, slot: "taken" });
  });

  test("gives back what takes too long, whose slot stays spent", async () => {
    const stopping = createFakeRenderer(1);
    stopping.hold();
    stopping.setDeaf(true);
    const process = await harness.another({ renderer: stopping, work: { ...work, graceMs: 20 } });
    await process.startWorkers();
    const { organization, ask, create } = await createCustomer(harness);
    const { id } = await ask();
    await until(() => stopping.jobs.length === 1);
    await process.stop();
    expect(await rowOf(harness, id)).toMatchObject({ status: "queued", claim: null, attempts: 0, slot: "spent" });
    stopping.letGo();
    await harness.startWorkers();
    await until(async () => (await statusOf(id)) === "completed");
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 1, minute: 1 });
    expect((await create({}, { waitMs: 20_000 })).document?.status).toBe(DocumentStatus.COMPLETED);
  });

  test("given back and deleted, a document gives no slot back", async () => {
    const { organization, ask } = await createCustomer(harness);
    const { id: documentId } = await ask();
    await harness.superuser.query("update docgen.document set slot = 'spent' where id = $1", [documentId]);
    await organization.deleteDocument({ documentId });
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 1, minute: 1 });
  });
});

test("a process that begins to stop answers those who wait at once, and those who come later", async () => {
  renderer.hold();
  await harness.startWorkers();
  const { create } = await createCustomer(harness);
  const begun = performance.now();
  const rendering = create({}, { waitMs: 30_000 });
  await until(() => renderer.freeSlots() === 0);
  const waiting = create({}, { waitMs: 30_000 });
  harness.service.beginStop?.();
  const { document } = await rendering;
  const late = (await Promise.all([waiting, create({}, { waitMs: 30_000 })])).map((answer) => answer.document?.status);
  expect(document?.status).toBe(DocumentStatus.RENDERING);
  expect(late).toEqual([DocumentStatus.QUEUED, DocumentStatus.QUEUED]);
  expect(performance.now() - begun).toBeLessThan(5_000);
});

const loopOf = ({ service }: DocgenHarness) =>
  present(service.workers.find(({ name }) => name === "document-renderer"));

function hasPlace(): boolean {
  const place = (loopOf(harness) as WorkLoop).keepPlace();
  place?.free();
  return place !== undefined;
}

describe("a document that is begun as it is added", () => {
  test("is claimed from the first, and neither it nor its end is read", async () => {
    await harness.stop();
    // The first look for the work of others holds the only place for a moment, and there is no other look in time.
    harness = await startDocgen({ renderer, checker: createFakeChecker(), work: { ...work, pollMs: 600_000 } });
    await harness.startWorkers();
    await until(hasPlace, 60_000);
    const { organization, create } = await createCustomer(harness);
    renderer.hold();
    const waiting = create({}, { waitMs: 20_000 });
    const { rows } = await until(async () => {
      const found = await harness.superuser.query("select status, slot, attempts, claim from docgen.document");
      return found.rows.length === 1 && found;
    });
    expect(rows[0]).toMatchObject({ status: "rendering", slot: "spent", attempts: 1, claim: expect.any(String) });
    renderer.letGo();
    const { document } = await waiting;
    expect(document).toEqual((await organization.getDocument({ documentId: present(document).id })).document);
  });

  test("leaves its place to others when it is refused", async () => {
    await harness.startWorkers();
    const { organization, ask } = await createCustomer(harness);
    harness.auth.setPlan(organization.orgId, Plan.GEN_STARTER);
    const plan = planLimits.gen_starter;
    await harness.superuser.query(
      `insert into docgen.usage_window select $1, 3600, date_bin('1 hour', now() + n * interval '1 hour', 'epoch'), $2
       from generate_series(0, 1) n`,
      [organization.orgId, plan.hour],
    );
    for (let count = 0; count < 3; count += 1) await expectDomainError(ask(), "GEN_RATE_LIMITED");
    const other = await createCustomer(harness);
    const { document } = await other.create({}, { waitMs: 20_000 });
    expect(await rowOf(harness, present(document).id)).toMatchObject({ status: "completed", attempts: 1 });
  });

  test("is rendered once by another process when its own is gone before it could begin", async () => {
    const { organization, ask } = await createCustomer(harness);
    const { id } = await ask();
    // As a process leaves it that ends right after the commit.
    await harness.superuser.query(
      `update docgen.document set status = 'rendering', claim = gen_random_uuid(), attempts = 1, slot = 'spent',
         claimed_until = clock_timestamp() + interval '100 ms' where id = $1`,
      [id],
    );
    const before = renderer.jobs.length;
    await harness.startWorkers();
    await until(async () => (await statusOf(id)) === "completed");
    expect(await rowOf(harness, id)).toMatchObject({ attempts: 2, slot: "spent" });
    expect(renderer.jobs.length).toBe(before + 1);
    expect((await readEvents(harness, organization.orgId)).length).toBe(1);
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 1, minute: 1 });
  });
});

describe("what is next", () => {
  test("goes from organization to organization, single documents before items of batches", async () => {
    const customers = [];
    for (let count = 0; count < 3; count += 1) customers.push(await createCustomer(harness));
    const [one, two, three] = [present(customers[0]), present(customers[1]), present(customers[2])];
    const names = new Map<string, string>();
    const add = (name: string, ids: readonly string[]) => ids.map((id) => names.set(id, name));
    add("one batch", await addBatch(harness, one, 3));
    add("two batch", await addBatch(harness, two, 1));
    for (let count = 0; count < 4; count += 1) add("one", [(await one.ask()).id]);
    for (let count = 0; count < 2; count += 1) add("two", [(await two.ask()).id]);
    add("three", [(await three.ask()).id]);
    await harness.startWorkers();
    const started = await until(async () => {
      const { rows } = await harness.superuser.query<{ id: string; status: string }>(
        "select id, status from docgen.document order by started_at",
      );
      return rows.every(({ status }) => status === "completed") && rows.map(({ id }) => names.get(id));
    });
    const firstRound = new Set(started.slice(0, 3));
    expect(firstRound).toEqual(new Set(["one", "two", "three"]));
    expect(new Set(started.slice(3, 5))).toEqual(new Set(["one", "two"]));
    expect(started.slice(5, 7)).toEqual(["one", "one"]);
    expect(new Set(started.slice(7, 9))).toEqual(new Set(["one batch", "two batch"]));
    expect(started.slice(9)).toEqual(["one batch", "one batch"]);
  });

  test("is rendered once, however many processes look for it", async () => {
    const renderers = [createFakeRenderer(3), createFakeRenderer(3), createFakeRenderer(3)];
    const { ask, organization } = await createCustomer(harness);
    await Promise.all(Array.from({ length: 40 }, () => ask()));
    for (const one of renderers) await (await harness.another({ renderer: one })).startWorkers();
    await until(async () => {
      const query = { pageSize: 100, status: DocumentStatus.COMPLETED };
      return (await organization.listDocuments(query)).documents.length === 40;
    });
    expect(renderers.flatMap(({ jobs }) => jobs).length).toBe(40);
    expect((await readEvents(harness, organization.orgId)).length).toBe(40);
  });

  test("is answered to those who wait in another process", async () => {
    renderer.hold();
    await harness.startWorkers();
    const { create, ask } = await createCustomer(harness);
    // The only place here is taken, so the other process takes the next one.
    await ask();
    await until(() => renderer.freeSlots() === 0);
    await (await harness.another({ renderer: createFakeRenderer(1) })).startWorkers();
    const response = await create({}, { waitMs: 20_000 });
    expect(response.document?.status).toBe(DocumentStatus.COMPLETED);
  });
});

describe("an outage of the database", () => {
  test("while a document is being rendered costs nothing but time", async () => {
    await harness.startWorkers();
    const { organization, create } = await createCustomer(harness);
    renderer.hold();
    const waiting = create({}, { waitMs: 20_000 });
    await until(() => renderer.freeSlots() === 0);
    await Promise.all(["docgen", "docgen-claimer"].map((name) => terminateSessions(harness.database, name)));
    renderer.letGo();
    const { document } = await waiting;
    expect(document?.status).toBe(DocumentStatus.COMPLETED);
    expect(await rowOf(harness, present(document).id)).toMatchObject({ attempts: 1 });
    expect((await readEvents(harness, organization.orgId)).length).toBe(1);
  });

  test("that ends every transaction now and then loses no document and renders none into two", async () => {
    await harness.startWorkers();
    await (await harness.another({ renderer: createFakeRenderer(2) })).startWorkers();
    const { organization, create } = await createCustomer(harness);
    const ids = new Set<string>();
    const asking = Array.from({ length: 25 }, async () => {
      const { document } = await create().catch(() => ({ document: undefined }));
      if (document !== undefined) ids.add(document.id);
    });
    for (let count = 0; count < 5; count += 1) await terminateSessions(harness.database, "docgen");
    await Promise.all(asking);
    const rows = await until(async () => {
      const query = { pageSize: 100 };
      const { documents } = await organization.listDocuments(query);
      return documents.every(({ status }) => status === DocumentStatus.COMPLETED) && documents;
    });
    expect([...ids].every((id) => rows.some((row) => row.id === id))).toBe(true);
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: rows.length, minute: rows.length });
    expect((await readEvents(harness, organization.orgId)).length).toBe(rows.length);
  });
});

describe("a document that is deleted while it is being rendered", () => {
  test("makes room at once, and those who wait for it are told", async () => {
    await harness.startWorkers();
    const { organization, create, ask } = await createCustomer(harness);
    renderer.hold();
    const waiting = create({}, { waitMs: 20_000 });
    await until(() => renderer.freeSlots() === 0);
    const [listed] = (await organization.listDocuments({ pageSize: 1 })).documents;
    const documentId = present(listed).id;
    await organization.deleteDocument({ documentId });
    const { document } = await waiting;
    expect([document?.id, document?.status]).toEqual([documentId, DocumentStatus.CANCELLED]);
    await until(() => renderer.freeSlots() === 1);
    renderer.letGo();
    const next = await ask();
    await until(async () => (await statusOf(next.id)) === "completed");
    expect(await rowOf(harness, documentId)).toMatchObject({ status: "cancelled", slot: "spent" });
  });
});
