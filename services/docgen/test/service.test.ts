import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { createEmptyTestDatabase } from "#platform/testing/database.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { configFromEnv } from "../config.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createTemplate, type DocgenHarness, startDocgen } from "./harness.ts";
import { pngOf } from "./images.ts";

let harness: DocgenHarness;
beforeAll(async () => {
  harness = await startDocgen({ checker: createFakeChecker() });
});
afterAll(() => harness.stop());

describe("checkReady", () => {
  test("passes on a migrated database", async () => {
    await harness.service.checkReady();
  });

  test("fails until the database is migrated", async () => {
    const database = await createEmptyTestDatabase();
    const process = await harness.another({ config: { databaseUrl: database.url } });
    await expect(process.service.checkReady()).rejects.toThrow();
    await process.stop();
    await database.drop();
  });

  test("does not need the other services", async () => {
    const nobody = createMemoryTransport(() => undefined, { interceptors: [] });
    const process = await harness.another({ auth: nobody, templates: nobody });
    await process.service.checkReady();
  });
});

describe("a process", () => {
  test("starts and stops with its workers", async () => {
    const process = await harness.another();
    await process.startWorkers();
    await createTemplate(process.organization());
    await process.stop();
    await expect(process.service.checkReady()).rejects.toThrow();
  });
});

describe("a database that is busy or away", () => {
  test("answers SERVICE_UNAVAILABLE when a lock is held for too long, and nothing has changed", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const holder = await harness.superuser.connect();
    try {
      await holder.query("begin");
      await holder.query("select from docgen.template where id = $1 for update", [id]);
      const update = organization.updateTemplate({ templateId: id, name: "Late" });
      await expectDomainError(update, "SERVICE_UNAVAILABLE");
    } finally {
      await holder.query("rollback");
      holder.release();
    }
    expect((await organization.getTemplate({ templateId: id })).template).toMatchObject({ name: "Offer" });
  });

  test("works again after its connections were cut", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const { asset } = await organization.createAsset({ name: "logo", content: pngOf(1, 1) });
    await harness.superuser.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name like 'docgen%'`,
    );
    await until(async () => (await organization.getTemplate({ templateId: id })).template);
    await until(async () => (await organization.getAsset({ assetId: asset?.id ?? "" })).asset);
  });
});

describe("configFromEnv", () => {
  test("reads the database and has defaults for the rest", () => {
    const env = {
      DATABASE_URL: "postgres://db/assent",
      NATS_URL: "nats://bus",
      AUTH_TARGET: "auth:50051",
      TEMPLATES_TARGET: "templates:50051",
    };
    expect(configFromEnv(env)).toEqual({
      databaseUrl: "postgres://db/assent",
      databaseRole: "",
      poolSize: 12,
      rendererProcesses: 0,
      rendererMemoryMb: 512,
      renderersKept: 1,
    });
  });

  test("names everything that is missing or too small", () => {
    expect(() => configFromEnv({ DATABASE_POOL_SIZE: "7" })).toThrow(
      /DATABASE_URL[\s\S]*DATABASE_POOL_SIZE[\s\S]*NATS_URL[\s\S]*AUTH_TARGET[\s\S]*TEMPLATES_TARGET/,
    );
  });
});
