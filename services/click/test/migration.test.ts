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
    const [first] = clickMigrations.list;
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
    await migrate({ url: database.url, services: [clickMigrations], logger });
    const { rows } = await superuser.query("select session_id from click.session_deadline");
    expect(rows).toEqual([{ session_id: open }]);
    const forced = await superuser.query(
      "select relforcerowsecurity as forced from pg_class where oid = 'click.session'::regclass",
    );
    expect(forced.rows).toEqual([{ forced: true }]);
  });
});
