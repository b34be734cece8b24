import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type AdminPort, createHealthState, startAdminPort } from "#platform/admin-port.ts";
import type { Environment } from "#platform/config.ts";
import { deadEventRoutes } from "#platform/events/dead-events.ts";
import { createLogger } from "#platform/logger.ts";
import { masterKeyRoutes } from "#platform/master-keys/routes.ts";
import { createMetrics } from "#platform/metrics.ts";
import { until } from "#platform/testing/until.ts";
import { type ClickHarness, startClick } from "../../services/click/test/harness.ts";
import { runAdmin } from "./run.ts";

let click: ClickHarness;
let port: AdminPort;
let env: Environment;

beforeAll(async () => {
  click = await startClick();
  port = await startAdminPort({
    host: "127.0.0.1",
    port: 0,
    token: "the-admin-token",
    routes: [],
    operatorRoutes: [
      deadEventRoutes(click.service.deadEvents ?? []),
      masterKeyRoutes(click.service.resealer === undefined ? [] : [click.service.resealer]),
    ],
    observed: { service: "admin", logger: createLogger("admin", "silent"), metrics: createMetrics() },
    health: createHealthState(),
    checkReady: async () => undefined,
  });
  env = { ASSENT_ADMIN_URL: `http://127.0.0.1:${port.port}`, ASSENT_ADMIN_TOKEN: "the-admin-token" };
});
afterAll(async () => {
  await port.close();
  await click.close();
});

const admin = (...args: string[]) => run("dead-events", ...args);

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: "", err: "" };
  const code = await runAdmin(args, {
    env,
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
  });
  return { code, ...printed };
}

const json = async (...args: string[]) => JSON.parse((await admin(...args, "--json")).out);

describe("dead-events", () => {
  test("list shows what consumers of the service gave up; requeue and discard say what came of it", async () => {
    for (const [consumer, id] of [
      ["click-publications", "a"],
      ["click-publications", "b"],
      ["click-statistics", "c"],
    ]) {
      await click.superuser.query(
        `insert into click.dead_event (consumer, event_id, subject, data, error, deliveries)
         values ($1, $2, 'assent.x.y.z', '{"some":"data"}', E'TypeError: no\\n    at line 1', 8)`,
        [consumer, id],
      );
    }
    const service = ["--service", "click"];
    const listed = await json("list", ...service);
    expect(listed.total).toBe(3);
    expect(listed.deadEvents.find(({ eventId }: { eventId: string }) => eventId === "c")).toEqual({
      consumer: "click-statistics",
      eventId: "c",
      subject: "assent.x.y.z",
      error: "TypeError: no\n    at line 1",
      deliveries: 8,
      diedAt: expect.stringMatching(/Z$/),
      data: '{"some":"data"}',
    });
    const { out } = await admin("list", ...service, "--consumer", "click-statistics");
    expect(out.split("\n")).toHaveLength(3);
    expect(out).toMatch(/ c +assent\.x\.y\.z +8 .* TypeError: no\n$/);

    const publications = [...service, "--consumer", "click-publications"];
    const requeued = await json("requeue", ...publications, "--all");
    expect(requeued).toEqual({ requeued: 0, failed: expect.any(Array), left: 0 });
    expect(requeued.failed).toHaveLength(2);
    expect((await admin("requeue", ...publications, "--event", "a")).out).toContain("requeued  0\n");
    expect(await json("discard", ...publications, "--event", "a")).toEqual({ discarded: 1 });
    expect(await json("discard", ...publications, "--all")).toEqual({ discarded: 1 });
    expect(await json("list", ...publications)).toEqual({ deadEvents: [], total: 0 });
  });

  test("nothing is requeued or discarded that was not named", async () => {
    const consumer = ["--service", "click", "--consumer", "click-statistics"];
    for (const args of [["list"], ["list", "--service", "x"], ["discard", ...consumer], ["requeue", "--all"]]) {
      expect((await admin(...args)).code).toBe(2);
    }
    expect((await admin("discard", ...consumer, "--all", "--event", "c")).code).toBe(2);
    const unknown = await admin("requeue", "--service", "click", "--consumer", "other", "--all");
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("click-publications, click-statistics")]);
  });
});

describe("master-keys", () => {
  const named = ["--service", "click", "--json"];

  test("reseal starts, and status says when everything is sealed with the newest key", async () => {
    expect(JSON.parse((await run("master-keys", "status", ...named)).out)).toMatchObject({
      service: "click",
      keys: [expect.stringMatching(/^[0-9a-f]{12}$/)],
      state: "never run",
    });
    const started = JSON.parse((await run("master-keys", "reseal", ...named)).out);
    expect(started.sealedWith).toBe(started.keys[0]);
    const finished = await until(async () => {
      const status = JSON.parse((await run("master-keys", "status", ...named)).out);
      return status.state === "finished" && status;
    });
    expect(finished).toMatchObject({ unreadable: 0, removableKeys: [] });
  });

  test("a service that has no master key is named", async () => {
    expect(await run("master-keys", "status", "--service", "docgen")).toMatchObject({ code: 2 });
    const { code, err } = await run("master-keys", "status", "--service", "auth");
    expect([code, err]).toEqual([1, expect.stringContaining("it has click")]);
  });
});
