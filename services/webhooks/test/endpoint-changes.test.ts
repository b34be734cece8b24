import { randomUUID } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { DisabledReason } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { dumpTables } from "#platform/testing/database-dump.ts";
import { giveUpWaiting } from "../store/delivery-store.ts";
import { type Organization, startWebhooks, type WebhooksHarness } from "./harness.ts";
import { countDeliveries, createHook, hookUrl, insertDeliveries } from "./samples.ts";

let system: WebhooksHarness;
let organization: Organization;

beforeAll(async () => {
  system = await startWebhooks();
});
beforeEach(() => {
  organization = system.organization();
});
afterAll(() => system.stop());

const hourMs = 60 * 60 * 1000;

describe("switching", () => {
  test("off gives up what waits for this endpoint, and on forgets its failures", async () => {
    const [{ id }, other] = [await createHook(organization), await createHook(organization)];
    const { orgId } = organization;
    const counts = { pending: 2_100, failed: 3, delivered: 1 };
    await insertDeliveries(system, { orgId, endpointId: id }, counts);
    await insertDeliveries(system, { orgId, endpointId: other.id }, { pending: 1 });
    await system.superuser.query("update webhooks.endpoint set failing_since = now() where id = $1", [id]);
    const { endpoint: off } = await organization.updateEndpoint({ id, enabled: false });
    expect(off).toMatchObject({ enabled: false, disabledReason: DisabledReason.BY_REQUEST });
    expect(off?.failingSince).toBeDefined();
    expect(await countDeliveries(system, id)).toEqual({ dead: 2_103, delivered: 1 });
    expect(await countDeliveries(system, other.id)).toEqual({ pending: 1 });
    const { endpoint: still } = await organization.updateEndpoint({ id, enabled: false });
    expect(still?.disabledAt).toEqual(off?.disabledAt);
    const { endpoint: on } = await organization.updateEndpoint({ id, enabled: true });
    expect(on).toMatchObject({ enabled: true, disabledReason: DisabledReason.UNSPECIFIED });
    expect([on?.disabledAt, on?.failingSince]).toEqual([undefined, undefined]);
    expect(await countDeliveries(system, id)).toEqual({ dead: 2_103, delivered: 1 });
  });

  test("on again is no way to hide failures, but another address is", async () => {
    const { id } = await createHook(organization);
    await system.superuser.query("update webhooks.endpoint set failing_since = now() where id = $1", [id]);
    const { endpoint } = await organization.updateEndpoint({ id, enabled: true, url: hookUrl });
    expect(endpoint?.failingSince).toBeDefined();
    const { endpoint: moved } = await organization.updateEndpoint({ id, url: `${hookUrl}2` });
    expect(moved?.failingSince).toBeUndefined();
  });

  test("off leaves alone what somebody else has locked, and waits for nobody", async () => {
    const { id } = await createHook(organization);
    const { orgId } = organization;
    await insertDeliveries(system, { orgId, endpointId: id }, { pending: 2 });
    const pool = system.superuser;
    await withOrg(pool, orgId, async ({ client }) => {
      await client.query("select from webhooks.delivery where receiver_id = $1 order by due_at limit 1 for update", [
        id,
      ]);
      await organization.updateEndpoint({ id, enabled: false });
    });
    expect(await countDeliveries(system, id)).toEqual({ pending: 1, dead: 1 });
    expect(await withOrg(pool, orgId, (tenant) => giveUpWaiting(tenant, id))).toBe(1);
  });
});

describe("a secret", () => {
  test("of an endpoint is followed by another; the last one before it is kept for a day", async () => {
    const { id, secret } = await createHook(organization);
    const [first, none] = await storedSecrets(id);
    expect(none).toBeNull();
    const before = system.clock.now();
    const rotated = await organization.rotateEndpointSecret({ id });
    expect(rotated.secret).not.toBe(secret);
    const until = rotated.endpoint?.previousSecretUntil;
    const overlap = until === undefined ? 0 : timestampDate(until).getTime() - before.getTime();
    expect(overlap).toBeGreaterThanOrEqual(24 * hourMs);
    expect(overlap).toBeLessThan(25 * hourMs);
    const [second, previous] = await storedSecrets(id);
    expect(previous).toBe(first);
    await organization.rotateEndpointSecret({ id });
    expect((await storedSecrets(id))[1]).toBe(second);
    system.clock.advance(24 * hourMs + 1_000);
    expect((await organization.getEndpoint({ id })).endpoint?.previousSecretUntil).toBeUndefined();
  });

  test("that is made several times at once is made one after the other", async () => {
    const wish = { idempotencyKey: randomUUID() };
    const { id, secret } = await createHook(organization, wish);
    const [first] = await storedSecrets(id);
    const answers = await Promise.all([1, 2, 3].map(() => organization.rotateEndpointSecret({ id })));
    const [current, previous] = await storedSecrets(id);
    expect(new Set([first, current, previous]).size).toBe(3);
    const { secret: now } = await createHook(organization, wish);
    expect(now).not.toBe(secret);
    expect(answers.map((answer) => answer.secret)).toContain(now);
  });

  test("is nowhere in the database as it is", async () => {
    const { id, secret } = await createHook(organization, { idempotencyKey: randomUUID() });
    const rotated = await organization.rotateEndpointSecret({ id });
    const { value } = await organization.createConnectSecret({});
    const stored = await dumpTables(system.superuser);
    for (const text of [secret, rotated.secret, value]) {
      const base64 = text.replace("whsec_", "");
      const bytes = Buffer.from(base64, "base64");
      for (const form of [base64, bytes.toString("hex"), Buffer.from(base64).toString("hex")]) {
        expect(stored.includes(form)).toBe(false);
      }
    }
    // What was looked through is where secrets are.
    expect(stored).toContain(id);
    await organization.deleteEndpoint({ id });
    const { rows } = await system.superuser.query(
      "select secret, previous_secret from webhooks.endpoint where id = $1",
      [id],
    );
    expect(rows).toEqual([{ secret: Buffer.alloc(0), previous_secret: null }]);
  });
});

/** Hex of the current and the previous secret, as they are stored. */
async function storedSecrets(id: string): Promise<readonly (string | null)[]> {
  const { rows } = await system.superuser.query<{ current: string; previous: string | null }>(
    `select encode(secret, 'hex') as current, encode(previous_secret, 'hex') as previous
     from webhooks.endpoint where id = $1`,
    [id],
  );
  return rows.flatMap(({ current, previous }) => [current, previous]);
}
