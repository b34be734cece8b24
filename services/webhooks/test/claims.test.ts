import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import { startWebhooks, type WebhooksHarness } from "./harness.ts";
import { createFakeReceivers, type FakeReceivers } from "./receivers.ts";
import { createHook, insertDeliveries } from "./samples.ts";

let system: WebhooksHarness;
let receivers: FakeReceivers;

beforeEach(async () => {
  receivers = createFakeReceivers();
  system = await startWebhooks({ poster: receivers.poster });
});
afterEach(() => system.stop());

/** Whoever chooses what is sent next waits for somebody's lock. */
const claimerWaits = () =>
  until(async () => {
    const { rowCount } = await system.superuser.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'webhooks-claimer'
         and wait_event_type = 'Lock'`,
    );
    return (rowCount ?? 0) > 0;
  });

test("what is given up while it is being chosen is not chosen, and its queue comes to rest", async () => {
  const organization = system.organization();
  const { id } = await createHook(organization);
  const to = { orgId: organization.orgId, endpointId: id };
  await insertDeliveries(system, to, { pending: 2 });
  await system.superuser.query("update webhooks.delivery set due_at = now() where receiver_id = $1", [id]);
  const client = await system.superuser.connect();
  try {
    await client.query("begin");
    await client.query("update webhooks.delivery set status = 'dead', due_at = null where receiver_id = $1", [id]);
    await system.superuser.query(
      `insert into webhooks.queue (organization_id, receiver_id, places, is_ordered, next_at)
       values ($1, $2, 4, false, now())`,
      [organization.orgId, id],
    );
    await system.startWorkers();
    await claimerWaits();
    await client.query("commit");
  } finally {
    client.release();
  }
  await until(async () => {
    const { rows } = await system.superuser.query<{ at: Date | null }>(
      "select next_at as at from webhooks.queue where receiver_id = $1",
      [id],
    );
    return rows.every(({ at }) => at === null);
  });
  const { rowCount } = await system.superuser.query("select from webhooks.delivery where claim is not null");
  expect(rowCount).toBe(0);
  expect(receivers.requests).toEqual([]);
});
