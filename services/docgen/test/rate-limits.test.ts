import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import type { CreateDocumentResponse } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { planLimits } from "../domain/usage.ts";
import { submit } from "./batch-harness.ts";
import { type Customer, createCustomer, usedOf } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createFakeRenderer } from "./fake-renderer.ts";
import { type DocgenHarness, type DocgenProcess, startDocgen } from "./harness.ts";

/** Two processes on one database; nothing is rendered. */
let harness: DocgenHarness;
let other: DocgenProcess;
beforeAll(async () => {
  harness = await startDocgen({ renderer: createFakeRenderer(0), checker: createFakeChecker() });
  other = await harness.another();
});
afterAll(() => harness.stop());

async function createWithPlan(plan: Plan): Promise<Customer> {
  const customer = await createCustomer(harness);
  harness.auth.setPlan(customer.organization.orgId, plan);
  return customer;
}

/** Waits for the next minute when this one is about to end, so that what follows happens in one. */
const untilMinuteHasRoom = () => until(() => Date.now() % 60_000 < 52_000, 20_000);

/** As if documents had been made in this hour already. */
async function useHour({ organization }: Customer, used: number): Promise<void> {
  await untilMinuteHasRoom();
  await harness.superuser.query(
    `insert into docgen.usage_window values ($1, 3600, date_trunc('hour', now()), $2)
     on conflict (organization_id, seconds, window_start) do update set used = excluded.used`,
    [organization.orgId, used],
  );
}

describe("the plan", () => {
  test("gives exactly its documents of a minute to all clients of an organization, whichever process they ask", async () => {
    await untilMinuteHasRoom();
    const customer = await createWithPlan(Plan.BUSINESS);
    const elsewhere = { ...customer, organization: other.organization(customer.organization.orgId) };
    const source = { templateId: customer.templateId, dataJson: '{"name":"Ada"}' };
    const answers = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        (index % 2 === 0 ? customer : elsewhere).organization.createDocument({ source }),
      ),
    );
    const granted = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    const refused = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason as unknown] : []));
    expect(granted.length).toBe(planLimits.business.minute);
    expect(refused.every((error) => error instanceof Error && error.message.includes("has been reached"))).toBe(true);
    expect(await usedOf(harness, customer.organization.orgId)).toEqual({ hour: 20, minute: 20 });
    // Each says what was left after it.
    expect(granted.map(remainingOf).sort((one, two) => one - two)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  test("gives exactly its batches of an hour, and takes none of the minute", async () => {
    const customer = await createWithPlan(Plan.GEN_STARTER);
    await useHour(customer, 55);
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => submit(customer, ["Ada", "Grace"])));
    expect(answers.filter(({ status }) => status === "fulfilled").length).toBe(5);
    expect(await usedOf(harness, customer.organization.orgId)).toEqual({ hour: 60, minute: 0 });
    const { metadata } = await expectDomainError(submit(customer, ["Ada"]), "GEN_RATE_LIMITED");
    expect(metadata).toMatchObject({ plan: "gen_starter", limit: "60", windowSeconds: "3600" });
  });

  test("holds for each organization on its own", async () => {
    const one = await createWithPlan(Plan.GEN_STARTER);
    const two = await createWithPlan(Plan.GEN_STARTER);
    await one.ask();
    await two.ask();
    expect(await usedOf(harness, two.organization.orgId)).toEqual({ hour: 1, minute: 1 });
  });

  test("that was changed holds after about a second", async () => {
    const customer = await createWithPlan(Plan.GEN_STARTER);
    const planNow = async () => (await customer.organization.getUsage({})).plan;
    expect(await planNow()).toBe("gen_starter");
    harness.auth.setPlan(customer.organization.orgId, Plan.GEN_PAYG);
    const changedAt = performance.now();
    await until(async () => (await planNow()) === "gen_payg");
    expect(performance.now() - changedAt).toBeLessThan(20_000);
    expect((await customer.organization.getUsage({})).minute?.limit).toBe(100);
  });
});

const remainingOf = ({ rate }: CreateDocumentResponse): number => rate?.remaining ?? -1;

describe("a refusal", () => {
  test("names the minute when the hour has documents left", async () => {
    await untilMinuteHasRoom();
    const customer = await createWithPlan(Plan.GEN_STARTER);
    await customer.ask();
    const error = await expectDomainError(customer.ask(), "GEN_RATE_LIMITED");
    expect(error).toBeInstanceOf(DomainError);
    const { metadata } = error;
    expect(metadata).toMatchObject({ plan: "gen_starter", limit: "1", windowSeconds: "60" });
    const nextMinute = (Math.floor(Date.now() / 60_000) + 1) * 60;
    expect(Number(metadata.resetAt)).toBe(nextMinute);
    expect(Number(metadata.retryAfterSeconds)).toBeGreaterThanOrEqual(1);
    expect(Number(metadata.retryAfterSeconds)).toBeLessThanOrEqual(60);
  });

  test("names the hour when that is used up, and when both are", async () => {
    const customer = await createWithPlan(Plan.GEN_PRO);
    await useHour(customer, 600);
    const { metadata } = await expectDomainError(customer.ask(), "GEN_RATE_LIMITED");
    expect(metadata).toMatchObject({ plan: "gen_pro", limit: "600", windowSeconds: "3600" });
    expect(Number(metadata.retryAfterSeconds)).toBeLessThanOrEqual(3_600);
    expect(await usedOf(harness, customer.organization.orgId)).toEqual({ hour: 600, minute: 0 });
  });

  test("comes before a large request is checked, and looks the same", async () => {
    const customer = await createWithPlan(Plan.GEN_PRO);
    await useHour(customer, 600);
    const large = { ...customer, templateId: randomUUID() };
    const padding = JSON.stringify({ padding: "x".repeat(20_000) });
    // The template is not looked for.
    const refusals = [
      large.organization.createDocument({ source: { templateId: large.templateId, dataJson: padding } }),
      submit(large, ["Ada"]),
    ];
    for (const refusal of refusals) {
      const { metadata } = await expectDomainError(refusal, "GEN_RATE_LIMITED");
      expect(metadata).toMatchObject({ plan: "gen_pro", limit: "600", windowSeconds: "3600" });
    }
    // Nor is an item that is not even clear.
    const source = { templateId: randomUUID(), dataJson: "{" };
    const unclear = customer.organization.createBatch({ items: [{ ref: "a", source }] });
    await expectDomainError(unclear, "GEN_RATE_LIMITED");
    expect(await usedOf(harness, customer.organization.orgId)).toEqual({ hour: 600, minute: 0 });
  });

  test("is none for a key that was just used with the last slot", async () => {
    const customer = await createWithPlan(Plan.GEN_PRO);
    await useHour(customer, 599);
    const key = { idempotencyKey: randomUUID(), requestHash: createHash("sha256").update("a").digest() };
    const answers = await Promise.all(Array.from({ length: 5 }, () => submit(customer, ["Ada"], key)));
    expect(answers.filter(({ replayed }) => !replayed).length).toBe(1);
  });

  test("does not keep the key of the request", async () => {
    const customer = await createWithPlan(Plan.GEN_PRO);
    await useHour(customer, 600);
    const key = { idempotencyKey: randomUUID(), requestHash: createHash("sha256").update("a").digest() };
    await expectDomainError(submit(customer, ["Ada"], key), "GEN_RATE_LIMITED");
    await useHour(customer, 0);
    expect((await submit(customer, ["Ada"], key)).replayed).toBe(false);
  });
});

describe("the state of the rate", () => {
  test("is that of the window that has less left, with documents and batches, made and answered again", async () => {
    await untilMinuteHasRoom();
    const customer = await createWithPlan(Plan.GEN_PRO);
    const key = { idempotencyKey: randomUUID(), requestHash: createHash("sha256").update("a").digest() };
    expect((await customer.create({}, key)).rate).toMatchObject({ limit: 10, remaining: 9 });
    expect((await submit(customer, ["Ada"])).rate).toMatchObject({ limit: 10, remaining: 9 });
    await useHour(customer, 595);
    const replay = await customer.create({}, key);
    expect(replay).toMatchObject({ replayed: true, rate: { limit: 600, remaining: 5 } });
    const { rate } = await submit(customer, ["Ada"]);
    expect(rate).toMatchObject({ limit: 600, remaining: 4 });
    expect(Number(rate?.resetAt) % 3_600).toBe(0);
    expect(rate?.retryAfterSeconds).toBeGreaterThanOrEqual(1);
  });
});

describe("usage", () => {
  test("shows what is used of both windows and takes nothing", async () => {
    await untilMinuteHasRoom();
    const customer = await createWithPlan(Plan.GEN_HOA);
    const before = await customer.organization.getUsage({});
    expect(before).toMatchObject({ plan: "gen_hoa", hour: { limit: 600, used: 0 }, minute: { limit: 10, used: 0 } });
    const { id } = await customer.ask();
    await submit(customer, ["Ada"]);
    const after = await customer.organization.getUsage({});
    expect(after).toMatchObject({ hour: { limit: 600, used: 2 }, minute: { limit: 10, used: 1 } });
    expect([Number(after.hour?.resetAt) % 3600, Number(after.minute?.resetAt) % 60]).toEqual([0, 0]);
    await customer.organization.deleteDocument({ documentId: id });
    expect(await customer.organization.getUsage({})).toMatchObject({ hour: { used: 1 }, minute: { used: 0 } });
  });

  test("is refused while nobody knows the plan", async () => {
    const organization = harness.organization();
    harness.auth.setAway(true);
    await expectDomainError(organization.getUsage({}), "SERVICE_UNAVAILABLE").finally(() =>
      harness.auth.setAway(false),
    );
  });
});
