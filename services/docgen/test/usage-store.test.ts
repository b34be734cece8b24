import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool, withOrg } from "#platform/db/pool.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { type Plan, type PlanLimits, planLimits } from "../domain/usage.ts";
import { readUsage, readUsed, returnSlots, type Slots, type Taken, takeSlots } from "../store/usage-store.ts";
import { present } from "./harness.ts";

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, role: "assent_docgen", name: "usage-test", max: 8 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const newOrgId = (): OrgId => present(parseOrgId(randomUUID()));

const take = (
  orgId: OrgId,
  plan: PlanLimits,
  now?: Date,
  windows: readonly ("hour" | "minute")[] = ["hour", "minute"],
) => withOrg(pool, orgId, (tenant) => takeSlots(tenant, plan, windows, now));

const giveBack = (orgId: OrgId, slots: Slots) => withOrg(pool, orgId, (tenant) => returnSlots(tenant, slots));

const usedAt = async (orgId: OrgId, now?: Date) => (await withOrg(pool, orgId, (tenant) => readUsed(tenant, now))).used;

const granted = (taken: Taken) => (taken.granted ? taken : undefined);
const refused = (taken: Taken) => (taken.granted ? undefined : taken.refusal);

const plans = Object.entries(planLimits) as [Plan, PlanLimits][];
const minuteMs = 60_000;
const hour = Date.parse("2026-03-01T10:00:00.000Z");

describe.each(plans)("the windows of %s", (_name, plan) => {
  test("give its documents until the last millisecond of a minute, and again from the first of the next", async () => {
    const orgId = newOrgId();
    const lastMs = new Date(hour + 5 * minuteMs - 1);
    for (let nth = 1; nth <= plan.minute; nth += 1) {
      // Spread over the minute, from its first millisecond to its last.
      const now = nth === 1 ? new Date(hour + 4 * minuteMs) : lastMs;
      expect(granted(await take(orgId, plan, now))?.rate).toMatchObject({
        limit: plan.minute,
        remaining: plan.minute - nth,
        windowSeconds: 60,
      });
    }
    expect(refused(await take(orgId, plan, lastMs))).toEqual({
      limit: plan.minute,
      remaining: 0,
      resetAt: (hour + 5 * minuteMs) / 1000,
      retryAfterSeconds: 1,
      windowSeconds: 60,
    });
    expect(await usedAt(orgId, lastMs)).toEqual({ hour: plan.minute, minute: plan.minute });
    const next = new Date(hour + 5 * minuteMs);
    expect(granted(await take(orgId, plan, next))?.slots).toEqual({ hourStart: new Date(hour), minuteStart: next });
    expect(await usedAt(orgId, next)).toEqual({ hour: plan.minute + 1, minute: 1 });
  });

  test("give no more in the last millisecond of an hour that is used up, and everything in the next", async () => {
    const orgId = newOrgId();
    await useHour(orgId, plan.hour - 1);
    const lastMs = new Date(hour + 60 * minuteMs - 1);
    expect(granted(await take(orgId, plan, lastMs))?.rate).toMatchObject({ limit: plan.hour, remaining: 0 });
    const refusal = { limit: plan.hour, remaining: 0, resetAt: hour / 1000 + 3600, windowSeconds: 3600 };
    expect(refused(await take(orgId, plan, lastMs))).toEqual({ ...refusal, retryAfterSeconds: 1 });
    expect(await usedAt(orgId, lastMs)).toEqual({ hour: plan.hour, minute: 1 });
    const next = new Date(hour + 60 * minuteMs);
    expect(granted(await take(orgId, plan, next))?.rate).toMatchObject({ limit: plan.minute, windowSeconds: 60 });
    expect(await usedAt(orgId, next)).toEqual({ hour: 1, minute: 1 });
  });

  test("give exactly its documents of a minute when many ask at the same time", async () => {
    const orgId = newOrgId();
    const now = new Date(hour + 1);
    const asked = plan.minute + 20;
    const taken = await Promise.all(Array.from({ length: asked }, () => take(orgId, plan, now)));
    expect(taken.filter(granted).length).toBe(plan.minute);
    expect(await usedAt(orgId, now)).toEqual({ hour: plan.minute, minute: plan.minute });
  });
});

/** Uses this much of the hour that the tests take from. */
async function useHour(orgId: OrgId, used: number): Promise<void> {
  await withOrg(pool, orgId, ({ client }) =>
    client.query("insert into docgen.usage_window values ($1, 3600, $2, $3)", [orgId, new Date(hour), used]),
  );
}

const plan = planLimits.gen_pro;

describe("a refusal", () => {
  test("takes nothing of the other window", async () => {
    const orgId = newOrgId();
    await useHour(orgId, plan.hour);
    const now = new Date(hour + 30_000);
    expect(refused(await take(orgId, plan, now))).toMatchObject({ windowSeconds: 3600, retryAfterSeconds: 3570 });
    expect(await usedAt(orgId, now)).toEqual({ hour: plan.hour, minute: 0 });
  });

  test("names the hour when both windows are used up", async () => {
    const orgId = newOrgId();
    await useHour(orgId, plan.hour - plan.minute);
    const now = new Date(hour + 30_000);
    for (let nth = 1; nth <= plan.minute; nth += 1) await take(orgId, plan, now);
    expect(refused(await take(orgId, plan, now))?.windowSeconds).toBe(3600);
  });
});

describe("a slot of the hour alone", () => {
  test("takes nothing of the minute, and is given though the minute is used up", async () => {
    const orgId = newOrgId();
    const now = new Date(hour);
    for (let nth = 1; nth <= plan.minute; nth += 1) await take(orgId, plan, now);
    const taken = granted(await take(orgId, plan, now, ["hour"]));
    expect(taken?.slots).toEqual({ hourStart: new Date(hour) });
    expect(taken?.rate).toMatchObject({ windowSeconds: 60, remaining: 0 });
    expect(await usedAt(orgId, now)).toEqual({ hour: plan.minute + 1, minute: plan.minute });
  });
});

describe("a slot that is given back", () => {
  test("goes to the windows that it was taken from", async () => {
    const orgId = newOrgId();
    const before = new Date(hour + 60 * minuteMs - 1);
    const after = new Date(hour + 60 * minuteMs);
    const first = present(granted(await take(orgId, plan, before)));
    await take(orgId, plan, before);
    await take(orgId, plan, after);
    await giveBack(orgId, first.slots);
    expect([await usedAt(orgId, before), await usedAt(orgId, after)]).toEqual([
      { hour: 1, minute: 1 },
      { hour: 1, minute: 1 },
    ]);
    const batch = present(granted(await take(orgId, plan, after, ["hour"])));
    await giveBack(orgId, batch.slots);
    expect(await usedAt(orgId, after)).toEqual({ hour: 1, minute: 1 });
  });

  test("never makes less than nothing used, and no window that was removed", async () => {
    const orgId = newOrgId();
    const now = new Date(hour);
    const { slots } = present(granted(await take(orgId, plan, now)));
    await giveBack(orgId, slots);
    await giveBack(orgId, slots);
    expect(await usedAt(orgId, now)).toEqual({ hour: 0, minute: 0 });
    await giveBack(orgId, { hourStart: new Date(0), minuteStart: new Date(0) });
    expect(await usedAt(orgId, new Date(0))).toEqual({ hour: 0, minute: 0 });
  });

  test("while others take does not make anybody wait for each other", async () => {
    const orgId = newOrgId();
    const now = new Date(hour);
    const large = planLimits.gen_payg;
    const first = await Promise.all(Array.from({ length: 20 }, () => take(orgId, large, now)));
    await Promise.all(
      first.flatMap((taken) => [giveBack(orgId, present(granted(taken)).slots), take(orgId, large, now)]),
    );
    expect(await usedAt(orgId, now)).toEqual({ hour: 20, minute: 20 });
  });
});

describe("reading", () => {
  test("takes nothing and says the same as the last take", async () => {
    const orgId = newOrgId();
    const now = new Date(hour);
    const taken = present(granted(await take(orgId, plan, now)));
    const read = () => withOrg(pool, orgId, (tenant) => readUsage(tenant, plan, now));
    expect([await read(), await read()]).toEqual([taken.rate, taken.rate]);
  });

  test("follows the clock of the database when no other is given", async () => {
    const orgId = newOrgId();
    const before = Date.now();
    const { now } = await withOrg(pool, orgId, (tenant) => readUsed(tenant));
    expect(now.getTime()).toBeGreaterThanOrEqual(before - 1_000);
    expect(now.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  test("shows nothing of other organizations", async () => {
    const now = new Date(hour);
    await take(newOrgId(), plan, now);
    expect(await usedAt(newOrgId(), now)).toEqual({ hour: 0, minute: 0 });
  });
});
