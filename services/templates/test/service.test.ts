import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createMemoryBus } from "#platform/events/memory.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { createEmptyTestDatabase } from "#platform/testing/database.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { configFromEnv } from "../config.ts";
import { createTemplatesService } from "../service.ts";
import {
  createPublished,
  createTemplate,
  pdfChecker,
  startTemplates,
  type TemplatesHarness,
  updateTemplate,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("checkReady", () => {
  test("passes on a migrated database", async () => {
    await harness.service.checkReady();
  });

  test("fails until the database is migrated", async () => {
    const database = await createEmptyTestDatabase();
    const runtime = {
      logger: createLogger("templates", "silent"),
      metrics: createMetrics(),
      clock: harness.clock,
      newId,
      bus: createMemoryBus(),
    };
    const service = await createTemplatesService({ databaseUrl: database.url }, { runtime, sign: pdfChecker() });
    await expect(service.checkReady()).rejects.toThrow();
    await service.close();
    await database.drop();
  });
});

describe("a database that is busy or away", () => {
  test("answers SERVICE_UNAVAILABLE when a lock is held for too long, and nothing has changed", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const holder = await harness.superuser.connect();
    try {
      await holder.query("begin");
      await holder.query("select from templates.template where id = $1 for update", [id]);
      const update = updateTemplate(organization, id, ["name"], { name: "Late" });
      await expectDomainError(update, "SERVICE_UNAVAILABLE");
    } finally {
      await holder.query("rollback");
      holder.release();
    }
    expect(await updateTemplate(organization, id, [], {})).toMatchObject({ name: "Terms" });
  });

  test("answers SERVICE_UNAVAILABLE when its connections are cut, and works again afterwards", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const item = {
      organizationId: organization.orgId,
      template: { case: "templateId" as const, value: template.id },
    };
    await harness.client.resolveTemplates({ items: [item] });
    await harness.superuser.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name like 'templates%'`,
    );
    await until(async () => (await organization.getTemplate({ templateId: template.id })).template);
    await until(async () => (await harness.client.resolveTemplates({ items: [item] })).results[0]?.snapshot);
  });
});

describe("configFromEnv", () => {
  test("reads the database and has defaults for the rest", () => {
    const env = { DATABASE_URL: "postgres://db/assent", NATS_URL: "nats://bus", SIGN_TARGET: "sign:50051" };
    expect(configFromEnv(env)).toEqual({
      databaseUrl: "postgres://db/assent",
      databaseRole: "",
      poolSize: 10,
      screenshotBytes: 2_147_483_648,
    });
  });

  test("names everything that is missing", () => {
    expect(() => configFromEnv({})).toThrow(/DATABASE_URL is required.*NATS_URL is required/s);
  });
});
