import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { MayDeleteByTimeResponseSchema } from "#gen/assent/click/v1/click_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { requireCaller } from "#platform/caller.ts";
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
  const sweeperPool = createPool({ url: system.database.url, role: "assent_webhooks_sweeper", name: "sweep-test" });
  const holds = { mark: 0, hasHolds: false };
  const asked: string[] = [];
  let allowed = true;
  const signTransport = createMemoryTransport(
    (router) =>
      router.service(SignService, {
        findPersonHold: (_request, context) => {
          asked.push(requireCaller(context).orgId);
          return holds;
        },
      }),
    { interceptors: [] },
  );
  const evidenceLog = { mayDeleteByTime: async () => create(MayDeleteByTimeResponseSchema, { allowed }) };
  const sweepAfter = async (ms: number) => {
    const clock = { now: () => new Date(Date.now() + ms) };
    const deps = { sweeperPool, clock, logger: createLogger("test", "silent"), evidenceLog };
    await sweep(deps);
    await sweepDeliveries({ ...deps, sign: createClient(SignService, signTransport) });
  };
  try {
    await sweepAfter(0);
    expect(await counts()).toEqual([1, 1, 1, 1, 2, 0, 1]);
    await sweepAfter(2 * day);
    expect(await counts()).toEqual([1, 1, 1, 0, 1, 0, 1]);
    expect(asked).toEqual([]);
    const over = 30 * day + 60_000;
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
    await sweeperPool.end();
  }
  // A receiver whose queue is gone is sent to as before.
  await publishDocuments(system.bus, organization.orgId);
  await until(async () => (await organization.listDeliveries({ endpointId: id })).deliveries[0]?.attemptCount === 1);
});
