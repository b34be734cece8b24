import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, Code, createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { systemClock } from "#platform/clock.ts";
import { migrate } from "#platform/db/migrate.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics, type Metrics } from "#platform/metrics.ts";
import { createFaultProxy, type FaultProxy } from "#platform/net/fault-proxy.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import type { Service } from "#platform/service.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { openOwnedDatabase } from "../../../../dev/own-postgres.ts";
import { type RunningPostgres, startPostgres } from "../../../../dev/postgres.ts";
import { clickMigrations } from "../../migrations/index.ts";
import { createClickService } from "../../service.ts";
import { createFakeTemplates, type FakeTemplate } from "../../test/fake-templates.ts";
import { type Accepted, acceptOne, as, codeOf, newOrg, testIssuer } from "../../test/harness.ts";

const folder = mkdtempSync(join(tmpdir(), "assent-click-outage-"));
const templates = createFakeTemplates();
const logger = createLogger("click", "silent");
let postgres: RunningPostgres;
let proxy: FaultProxy;
/** Reaches the database whatever the proxy does. */
let direct: pg.Pool;
let service: Service;
let client: Client<typeof ClickService>;
let metrics: Metrics;

beforeAll(async () => {
  postgres = await startPostgres({ dataDir: folder, durable: true });
  const url = await openOwnedDatabase(postgres.url, "click", "assent_owner");
  await migrate({ url, services: [clickMigrations], logger });
  proxy = await createFaultProxy({ host: "127.0.0.1", port: postgres.port });
  const superuserUrl = new URL(postgres.url);
  superuserUrl.pathname = "/click";
  direct = new pg.Pool({ connectionString: superuserUrl.href, max: 1 });
  direct.on("error", () => {});
  const throughProxy = new URL(url);
  throughProxy.port = String(proxy.port);
  const config = { databaseUrl: throughProxy.href, masterKey: randomBytes(32).toString("base64"), issuer: testIssuer };
  metrics = createMetrics();
  const runtime = { logger, metrics, clock: systemClock, newId, bus: createMemoryBus() };
  service = await createClickService(config, {
    runtime,
    templates: templates.transport,
    docgen: createMemoryTransport(() => undefined, { interceptors: [] }),
  });
  const interceptors = serverInterceptors({ service: "click", logger, metrics });
  client = createClient(
    ClickService,
    createMemoryTransport(service.routes, { interceptors, defaultTimeoutMs: 15_000 }),
  );
});
afterAll(async () => {
  await service.close();
  await direct.end();
  await proxy.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

const orgOf = (template: FakeTemplate) => template.organizationId as OrgId;
const itemOf = (template: FakeTemplate, key: string) => ({
  orgId: orgOf(template),
  key,
  body: { templateId: template.templateId, userRef: key },
});
const acceptedSoFar = new Map<string, Accepted>();

/** Retries what may be retried, as clients do; every answer for a key must be the same receipt. */
async function acceptPatiently(template: FakeTemplate, key: string): Promise<void> {
  await until(async () => {
    try {
      const answer = await acceptOne(client, itemOf(template, key));
      const known = acceptedSoFar.get(key);
      if (known !== undefined) expect(answer.receiptJson).toBe(known.receiptJson);
      acceptedSoFar.set(key, answer);
      return true;
    } catch (error) {
      expect(await codeOf(Promise.reject(error))).toBe("SERVICE_UNAVAILABLE");
      return false;
    }
  });
}

describe("a restart of Postgres", () => {
  test("refuses what it interrupts in a way that is safe to retry, and every key ends with one receipt", async () => {
    const template = templates.add(newOrg());
    const keys = Array.from({ length: 60 }, (_, n) => `restart-${n}`);
    const before = Promise.all(keys.slice(0, 20).map((key) => acceptPatiently(template, key)));
    await until(() => acceptedSoFar.size > 3);
    const crash = postgres.kill("immediate");
    const during = Promise.all(keys.slice(20, 40).map((key) => acceptPatiently(template, key)));
    await crash;
    await expectDomainError(acceptOne(client, itemOf(template, "alone")), "SERVICE_UNAVAILABLE");
    await expectDomainError(client.getReceipt({ receiptId: newId() }, as(orgOf(template))), "SERVICE_UNAVAILABLE");
    await expect(service.checkReady()).rejects.toThrow();
    await postgres.restart();
    await Promise.all([before, during, ...keys.slice(40).map((key) => acceptPatiently(template, key))]);
    await Promise.all(keys.map((key) => acceptPatiently(template, key)));
    const sql = "select count(*)::int as n from click.acceptance where organization_id = $1";
    expect((await direct.query(sql, [template.organizationId])).rows).toEqual([{ n: 60 }]);
    await service.checkReady();
  });
});

describe("a lost connection", () => {
  test("an answer that is lost after the commit is found again by the retry", async () => {
    const template = templates.add(newOrg());
    await acceptPatiently(template, "warm");
    proxy.setMode("hold-answers");
    const outcome = expectDomainError(acceptOne(client, itemOf(template, "lost")), "SERVICE_UNAVAILABLE");
    const recorded = await until(async () => {
      const sql = "select receipt_id as id from click.acceptance where organization_id = $1 and receipt_id <> $2";
      const values = [template.organizationId, acceptedSoFar.get("warm")?.receipt.receiptId];
      return (await direct.query<{ id: string }>(sql, values)).rows[0]?.id;
    });
    proxy.cut();
    await outcome;
    proxy.setMode("pass");
    await acceptPatiently(template, "lost");
    expect(acceptedSoFar.get("lost")).toMatchObject({ replayed: true, receipt: { receiptId: recorded } });
  });

  test("a server that does not answer does not hold the recorder for ever", async () => {
    const template = templates.add(newOrg());
    await acceptPatiently(template, "warm up");
    proxy.setMode("hold-answers");
    const outcomes = ["a", "b"].map((key) => codeOf(acceptOne(client, itemOf(template, key))));
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(["SERVICE_UNAVAILABLE"]));
    const measured = await metrics.registry.metrics();
    expect(measured).toContain('assent_database_up{service="click"} 0');
    // The calls have succeeded, and their items have not.
    expect(measured).toMatch(
      /^assent_rpc_items_total\{service="click",method="AcceptBatch",code="SERVICE_UNAVAILABLE"\} [1-9]/m,
    );
    expect(measured).not.toMatch(/^assent_rpc_duration_seconds_count\{.*method="AcceptBatch",code="(?!ok)/m);
    proxy.setMode("pass");
    for (const key of ["a", "b"]) await acceptPatiently(template, key);
  });
});

describe("an outage of the templates service", () => {
  test.each([Code.Unavailable, Code.DeadlineExceeded])("is one of ours as well (%s)", async (code) => {
    const template = templates.add(newOrg());
    const name = { case: "templateId", value: template.templateId } as const;
    templates.fail(code);
    try {
      await expectDomainError(acceptOne(client, itemOf(template, "k")), "SERVICE_UNAVAILABLE");
      await expectDomainError(client.createSession({ template: name }, as(orgOf(template))), "SERVICE_UNAVAILABLE");
    } finally {
      templates.fail(undefined);
    }
    await acceptOne(client, itemOf(template, "k"));
  });

  test("a defect there is not shown, and does not use up the key", async () => {
    const template = templates.add(newOrg());
    templates.fail(Code.Internal);
    try {
      await expectDomainError(acceptOne(client, itemOf(template, "k")), "INTERNAL_ERROR");
    } finally {
      templates.fail(undefined);
    }
    await acceptOne(client, itemOf(template, "k"));
  });
});
