import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { migrate } from "#platform/db/migrate.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createEmptyTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { clickMigrations } from "../migrations/index.ts";

let database: TestDatabase;
let superuser: pg.Pool;
beforeAll(async () => {
  database = await createEmptyTestDatabase();
  superuser = new pg.Pool({ connectionString: database.superuserUrl, max: 1 });
});
afterAll(async () => {
  await superuser.end();
  await database.drop();
});

const logger = createLogger("test", "silent");

describe("the migrations", () => {
  test("let sessions expire that were created before there was a sweeper", async () => {
    const [first, ...further] = clickMigrations.list;
    if (first === undefined) throw new Error("there are no migrations");
    await migrate({ url: database.url, services: [{ ...clickMigrations, list: [first] }], logger });
    const [orgId, open, done] = [newId(), newId(), newId()];
    for (const [id, status] of [
      [open, "PRESENTED"],
      [done, "COMPLETED"],
    ]) {
      await superuser.query(
        `insert into click.session (organization_id, id, template_id, version_id, revision, label, locale, content_hash,
           terms_hash, status, metadata, context, client_id, request_id, created_at, expires_at, updated_at)
         values ($1, $2, $2, $2, 1, '1.0', 'en', '', '', $3, '{}', 'null', '', '', now(), now(), now())`,
        [orgId, id, status],
      );
    }
    const beforeTheLog = [first, ...further.slice(0, 3)];
    await migrate({ url: database.url, services: [{ ...clickMigrations, list: beforeTheLog }], logger });
    const { rows } = await superuser.query("select session_id from click.session_deadline");
    expect(rows).toEqual([{ session_id: open }]);
    const forced = await superuser.query(
      "select relforcerowsecurity as forced from pg_class where oid = 'click.session'::regclass",
    );
    expect(forced.rows).toEqual([{ forced: true }]);
  });

  test("refuse records from before there was a log, and leave them as they are", async () => {
    const migrated = migrate({ url: database.url, services: [clickMigrations], logger });
    await expect(migrated).rejects.toThrow("from before the evidence log");
    expect((await superuser.query("select from click.session")).rowCount).toBe(2);
    await superuser.query("delete from click.session");
    await migrate({ url: database.url, services: [clickMigrations], logger });
  });
});
