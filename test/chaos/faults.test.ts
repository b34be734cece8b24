import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createPool } from "#platform/db/pool.ts";
import { createFaultProxy, type FaultProxy } from "#platform/net/fault-proxy.ts";
import { until } from "#platform/testing/until.ts";
import type { Api } from "../support/api.ts";
import { collectEvents, type EventLog } from "../support/events.ts";
import { registerEndpoint } from "../support/hooks.ts";
import { startReceiver } from "../support/receiver.ts";
import { describeDistributed, type System, startSystem } from "../support/system.ts";

describeDistributed("faults", () => {
  let system: System;
  let events: EventLog;
  let api: Api;
  let slug: string;
  let toClick: FaultProxy | undefined;

  beforeAll(async () => {
    system = await startSystem("distributed", {
      interpose: async (service, port) => {
        if (service !== "click") return port;
        toClick = await createFaultProxy({ host: "127.0.0.1", port });
        return toClick.port;
      },
    });
    events = await collectEvents(system.bus, "faults");
    api = await system.newOrganization();
    ({ slug } = await api.publishTemplate());
  });
  afterAll(async () => {
    await events?.stop();
    await system?.stop();
    await toClick?.close();
  });

  test("a click process killed between commit and answer has recorded once, and the retry gets that receipt", async () => {
    const [click] = system.distributed?.of("click") ?? [];
    if (click === undefined || toClick === undefined) throw new Error("no click process");
    const body = { templateSlug: slug, userRef: "survivor" };
    // The connection must stand before its answers are held: gRPC begins with an exchange of settings.
    expect((await api.accept("connects", { templateSlug: slug, userRef: "first" })).status).toBe(201);

    const before = await receiptIds(system, api);
    const recordedSince = async () => (await receiptIds(system, api)).filter((id) => !before.includes(id));
    toClick.setMode("hold-answers");
    const unanswered = api.accept("killed", body);
    await until(async () => (await recordedSince()).length === 1);
    const [recorded] = await recordedSince();
    click.kill("SIGKILL");
    await click.exited();
    toClick.cut();
    toClick.setMode("pass");
    await click.start();

    const first = await unanswered;
    expect([200, 503]).toContain(first.status);
    // The gateway finds the process again in its own time; clients try again as long as it answers 503.
    const retry = await until(async () => {
      const answer = await api.accept("killed", body);
      return answer.status === 503 ? undefined : answer;
    }, 15_000);
    expect(retry.status).toBe(200);
    expect(retry.body.receiptId).toBe(recorded);
    if (first.status === 200) expect(first.body.receiptId).toBe(recorded);
    expect(await recordedSince()).toEqual([recorded]);
    // The relay of the killed process has a lease of 15 s, which nobody takes before it has run out.
    await until(() => eventsOf(events, [recorded ?? ""]).length > 0, 30_000);
    expect(eventsOf(events, [recorded ?? ""])).toHaveLength(1);
  });

  test("accepts go on while NATS is stopped, and every event arrives once when it is back", async () => {
    await system.nats?.kill();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => api.accept(`dark-${n}`, { templateSlug: slug, userRef: "in-the-dark" })),
    );
    expect(answers.map((a) => a.status)).toEqual(answers.map(() => 201));
    const receipts: string[] = answers.map((a) => a.body.receiptId);
    expect(eventsOf(events, receipts)).toHaveLength(0);
    await system.nats?.restart();
    await until(() => eventsOf(events, receipts).length === 40, 30_000);
    expect(new Set(eventsOf(events, receipts).map((e) => e.acceptanceRecorded?.receiptId))).toEqual(new Set(receipts));
  });

  test("a stopped click process answers 503 with Retry-After, and the gateway recovers by itself", async () => {
    const [click] = system.distributed?.of("click") ?? [];
    const before = await receiptIds(system, api);
    await click?.stop();
    const refused = await api.accept("while-down", { templateSlug: slug, userRef: "patient" });
    expect(refused.status).toBe(503);
    expect(refused.body.errorCode).toBe("SERVICE_UNAVAILABLE");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await click?.start();
    await until(async () => (await api.accept("while-down", { templateSlug: slug, userRef: "patient" })).status < 300);
    expect(await receiptIds(system, api)).toHaveLength(before.length + 1);
  });

  test("what a killed webhooks process was sending does not hold up its endpoint", async () => {
    const [webhooks] = system.distributed?.of("webhooks") ?? [];
    const customer = await startReceiver();
    try {
      const owner = await system.newOrganization();
      const { slug: terms } = await owner.publishTemplate();
      const accept = (n: number) => owner.accept(`hook-${n}`, { templateSlug: terms, userRef: "u" });
      await registerEndpoint(owner, customer, "mute");
      customer.answerWith("mute", "nothing");
      for (let n = 0; n < 8; n += 1) expect((await accept(n)).status).toBe(201);
      // As many as it may have at once.
      await until(() => customer.at("mute").length === 4, 30_000);
      webhooks?.kill("SIGKILL");
      await webhooks?.exited();
      customer.answerWith("mute", 204);
      await webhooks?.start();
      const backAt = performance.now();
      const timesHeard = () => [...Map.groupBy(customer.at("mute"), ({ headers }) => headers["webhook-id"]).values()];
      await until(() => timesHeard().length === 8, 60_000);
      // Less than the bus gives a subscriber to work on an event, as what was taken from it by the dead must not wait for that.
      expect(performance.now() - backAt).toBeLessThan(20_000);
      // What was under way is sent once more.
      await until(() => timesHeard().filter((requests) => requests.length > 1).length >= 4, 30_000);
    } finally {
      await customer.close();
    }
  });

  test("every process ends with exit code 0 on SIGTERM under load", async () => {
    let stopped = false;
    const load = Array.from({ length: 8 }, async (_, n) => {
      for (let i = 0; !stopped; i++) {
        await api.accept(`drain-${n}-${i}`, { templateSlug: slug, userRef: "u" }).catch(() => undefined);
      }
    });
    const codes: Array<number | null> = [];
    for (const process of [...(system.distributed?.processes ?? [])].reverse()) codes.push(await process.stop());
    stopped = true;
    await Promise.all(load);
    expect(codes).toEqual(codes.map(() => 0));
  });
});

const eventsOf = (events: EventLog, receiptIds: readonly string[]) =>
  events
    .of("assent.click.acceptance.recorded")
    .filter((event) => receiptIds.includes(event.acceptanceRecorded?.receiptId ?? ""));

/** Of everything that the organization has recorded, whether or not the service can be reached. */
async function receiptIds(system: System, api: Api): Promise<string[]> {
  const pool = createPool({ url: system.inspectUrl, name: "test", max: 1 });
  try {
    const { rows } = await pool.query("select receipt_id from click.acceptance where organization_id = $1", [
      api.organizationId,
    ]);
    return rows.map((row) => row.receipt_id);
  } finally {
    await pool.end();
  }
}
