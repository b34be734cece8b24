import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { until } from "#platform/testing/until.ts";
import { claimDue } from "../store/queue-store.ts";
import { type Delivered, loadManyClaimed, recordManyDelivered } from "../store/sender-store.ts";
import { type Organization, startWebhooks, type WebhooksHarness } from "./harness.ts";
import { publishDocuments } from "./receivers.ts";
import { createHook } from "./samples.ts";

let system: WebhooksHarness;
let sender: pg.Pool;
let claimer: pg.Pool;

beforeAll(async () => {
  system = await startWebhooks();
  // What is noted is sent by nobody but the test.
  await system.service.workers.find(({ name }) => name === "consumer webhooks")?.start();
  const as = (role: string) => createPool({ url: system.database.url, role, name: role, max: 2 });
  sender = as("assent_webhooks_sender");
  claimer = as("assent_webhooks_claimer");
});
afterAll(async () => {
  await system.service.workers.find(({ name }) => name === "consumer webhooks")?.stop();
  await sender.end();
  await claimer.end();
  await system.stop();
});

/** Claims of a new organization with one endpoint, for which more waits than it has places. */
async function claimed() {
  const organization = system.organization();
  const { id } = await createHook(organization);
  await publishDocuments(system.bus, organization.orgId, 5);
  await until(async () => (await organization.listDeliveries({})).deliveries.length === 5);
  const claiming = {
    claim: randomUUID(),
    isOrdered: false,
    limit: 100,
    now: new Date(),
    leaseMs: 60_000,
    takesLapsed: true,
  };
  const claims = (await claimDue(claimer, claiming)).claimed.filter(({ orgId }) => orgId === organization.orgId);
  expect(claims).toHaveLength(4);
  return { organization, id, claims };
}

const attempt = { at: new Date(), statusCode: 204, durationMs: 7, response: "thanks", url: "https://example.com/in" };
const record = (claims: readonly Delivered["claimed"][]) =>
  recordManyDelivered(
    sender,
    claims.map((one) => ({ claimed: one, attempts: 0, attempt })),
    new Date(),
  );

const placesOf = async (receiverId: string) => {
  const { rows } = await system.superuser.query<{ isFull: boolean; isDue: boolean }>(
    `select is_full as "isFull", next_at <= now() as "isDue" from webhooks.queue where receiver_id = $1`,
    [receiverId],
  );
  return rows[0];
};

const attemptCounts = async (organization: Organization) =>
  (await organization.listDeliveries({})).deliveries.map(({ attemptCount }) => attemptCount).sort();

test("claims of many organizations are loaded together, each with its own event, address and secrets", async () => {
  const [a, b] = [await claimed(), await claimed()];
  const stranger = { ...a.claims[0], orgId: b.organization.orgId } as Delivered["claimed"];
  const lost = { ...a.claims[0], claim: randomUUID() } as Delivered["claimed"];
  const loaded = await loadManyClaimed(sender, [...a.claims, stranger, ...b.claims, lost]);
  expect(loaded.map((one) => (typeof one === "string" ? one : one.endpoint?.id))).toEqual([
    ...Array.from({ length: 4 }, () => a.id),
    "none",
    ...Array.from({ length: 4 }, () => b.id),
    "none",
  ]);
  expect(loaded[0]).toMatchObject({ event: { type: "document.completed" }, delivery: { attempts: 0 } });
});

test("what was delivered is written down once, and who waits for a place is looked for again", async () => {
  const { organization, id, claims } = await claimed();
  expect(await placesOf(id)).toEqual({ isFull: true, isDue: false });
  const [first, ...others] = claims;
  const lost = others.map((one) => ({ ...one, claim: randomUUID() }));
  expect(await record([first as Delivered["claimed"], ...lost])).toEqual([true, false, false, false]);
  expect(await record([first as Delivered["claimed"]])).toEqual([false]);
  expect(await placesOf(id)).toMatchObject({ isDue: true });
  expect(await attemptCounts(organization)).toEqual([0, 0, 0, 0, 1]);
});

test("nothing is written down of an endpoint that is failing, or that somebody else is looking at", async () => {
  const { organization, id, claims } = await claimed();
  const client = await system.superuser.connect();
  try {
    await client.query("begin");
    await client.query("select from webhooks.queue where receiver_id = $1 for update", [id]);
    expect(await record(claims)).toEqual([false, false, false, false]);
    await client.query("rollback");
  } finally {
    client.release();
  }
  await system.superuser.query("update webhooks.endpoint set failing_since = now() where id = $1", [id]);
  expect(await record(claims)).toEqual([false, false, false, false]);
  await system.superuser.query("update webhooks.endpoint set failing_since = null where id = $1", [id]);
  await system.superuser.query("update webhooks.queue set places = 1 where receiver_id = $1", [id]);
  expect(await record(claims)).toEqual([false, false, false, false]);
  expect(await attemptCounts(organization)).toEqual([0, 0, 0, 0, 0]);
});
