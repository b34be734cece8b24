import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { MayDeleteByTimeResponseSchema } from "#gen/assent/click/v1/click_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { createPool } from "#platform/db/pool.ts";
import { createLogger } from "#platform/logger.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { sweep, sweepDeliveries } from "../workers/sweep.ts";
import { startWebhooks, type WebhooksHarness } from "./harness.ts";
import { createFakeReceivers, publishDocuments } from "./receivers.ts";
import { createHook } from "./samples.ts";

let system: WebhooksHarness;
const receivers = createFakeReceivers();
beforeAll(async () => {
  system = await startWebhooks({ poster: receivers.poster });
  await system.startWorkers();
});
afterAll(() => system.stop());

const day = 24 * 3_600_000;
const over = 31 * day;

test("what is old goes: deliveries with their events and attempts, keys, deleted endpoints, idle queues, days", async () => {
  const organization = system.organization();
  const { id } = await createHook(organization, { idempotencyKey: "key-1" });
  const { id: deletedId } = await createHook(organization);
  await organization.deleteEndpoint({ id: deletedId });
  await publishDocuments(system.bus, organization.orgId);
  const count = async (table: string) => (await system.superuser.query(`select from webhooks.${table}`)).rowCount;
  const counts = async () => {
    const tables = ["delivery", "attempt", "event", "idempotency_key", "endpoint", "queue", "use_day"];
    return Promise.all(tables.map(count));
  };
  const idle = "select from webhooks.queue where next_at is null";
  await until(async () => (await count("attempt")) === 1);
  // It is looked at once more when its lease would have run out.
  system.clock.advance(61_000);
  await until(async () => (await system.superuser.query(idle)).rowCount === 1);
  const holds = { mark: 0, hasHolds: false };
  const asked: string[] = [];
  let allowed = true;
  const { sweepAfter, close } = createSweeper(
    ({ orgId }) => {
      asked.push(orgId);
      return holds;
    },
    () => allowed,
  );
  try {
    await sweepAfter(0);
    expect(await counts()).toEqual([1, 1, 1, 1, 2, 0, 1]);
    await sweepAfter(2 * day);
    expect(await counts()).toEqual([1, 1, 1, 0, 1, 0, 1]);
    expect(asked).toEqual([]);
    // A database that went back may have forgotten a hold.
    allowed = false;
    await sweepAfter(over);
    expect(asked).toEqual([]);
    allowed = true;
    holds.hasHolds = true;
    await sweepAfter(over);
    expect([asked, await counts()]).toEqual([[organization.orgId], [1, 1, 1, 0, 1, 0, 1]]);
    // A hold that was answered after it was asked about, and lifted again before it is asked about anew.
    holds.hasHolds = false;
    await organization.noteHolds({ mark: 1 });
    await expectDomainError(sweepAfter(over), "HOLDS_CHANGED");
    expect(await counts()).toEqual([1, 1, 1, 0, 1, 0, 1]);
    holds.mark = 1;
    await sweepAfter(over);
    expect(await counts()).toEqual([0, 0, 0, 0, 1, 0, 1]);
    await sweepAfter(33 * day);
    expect(await counts()).toEqual([0, 0, 0, 0, 1, 0, 0]);
  } finally {
    await close();
  }
  // A receiver whose queue is gone is sent to as before.
  await publishDocuments(system.bus, organization.orgId);
  await until(async () => (await organization.listDeliveries({ endpointId: id })).deliveries[0]?.attemptCount === 1);
});

test("an organization that cannot be swept, or gets a hold between batches, keeps its deliveries and no others", async () => {
  const two = [system.organization(), system.organization()];
  const [failing, held] = two.toSorted((a, b) => (a.orgId < b.orgId ? -1 : 1)) as [(typeof two)[0], (typeof two)[0]];
  for (const organization of two) {
    await createHook(organization);
    await publishDocuments(system.bus, organization.orgId);
    await until(async () => (await organization.listDeliveries({})).deliveries[0]?.attemptCount === 1);
  }
  const copies = `insert into webhooks.delivery overriding user value select (jsonb_populate_record(d, jsonb_build_object(
      'id', gen_random_uuid(), 'event_id', gen_random_uuid()))).*
    from webhooks.delivery d, generate_series(1, 1000) where organization_id = $1`;
  await system.superuser.query(copies, [held.orgId]);
  const rowsOf = async (table: string) => {
    const sql = `select from webhooks.${table} where organization_id = $1`;
    return Promise.all([failing, held].map(async ({ orgId }) => (await system.superuser.query(sql, [orgId])).rowCount));
  };
  const asked: string[] = [];
  let isHeld = true;
  const sweeper = createSweeper(({ orgId }) => {
    asked.push(orgId);
    return { mark: 1, hasHolds: isHeld && orgId === held.orgId && asked.filter((one) => one === orgId).length > 1 };
  });
  try {
    await failing.noteHolds({ mark: 2 });
    await expectDomainError(sweeper.sweepAfter(over), "HOLDS_CHANGED");
    expect([await rowsOf("delivery"), asked.filter((one) => one === held.orgId).length]).toEqual([[1, 1], 2]);
    // What no delivery keeps any more is looked at when the organization's deliveries go.
    await system.superuser.query("delete from webhooks.delivery where organization_id = $1", [failing.orgId]);
    const [, before] = await rowsOf("event");
    await system.superuser.query(
      `insert into webhooks.event overriding user value select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid()))).*
       from webhooks.event e where organization_id = $1 limit 1`,
      [held.orgId],
    );
    await sweeper.sweepAfter(over);
    expect([await rowsOf("delivery"), await rowsOf("event")]).toEqual([
      [0, 1],
      [0, (before ?? 0) + 1],
    ]);
    isHeld = false;
    await sweeper.sweepAfter(over);
    expect([await rowsOf("delivery"), await rowsOf("event")]).toEqual([
      [0, 0],
      [0, 0],
    ]);
  } finally {
    await sweeper.close();
  }
});

/** Sweeps as if so much time had passed. */
function createSweeper(
  findPersonHold: (caller: Caller) => { mark: number; hasHolds: boolean },
  mayDelete = () => true,
) {
  const sweeperPool = createPool({ url: system.database.url, role: "assent_webhooks_sweeper", name: "sweep-test" });
  const transport = createMemoryTransport(
    (router) =>
      router.service(SignService, { findPersonHold: (_request, context) => findPersonHold(requireCaller(context)) }),
    { interceptors: [] },
  );
  const evidenceLog = {
    mayDeleteByTime: async () => create(MayDeleteByTimeResponseSchema, { allowed: mayDelete() }),
  };
  return {
    sweepAfter: async (ms: number) => {
      const clock = { now: () => new Date(Date.now() + ms) };
      const deps = { sweeperPool, clock, logger: createLogger("test", "silent"), evidenceLog };
      await sweep(deps);
      await sweepDeliveries({ ...deps, sign: createClient(SignService, transport) });
    },
    close: () => sweeperPool.end(),
  };
}
