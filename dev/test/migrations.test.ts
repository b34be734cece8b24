import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { createLogger } from "#platform/logger.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { allMigrations, migrateAll } from "../migrations.ts";

const schemas = allMigrations.map(({ schema }) => schema);

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.superuserUrl, name: "test" });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** The first column of what the query finds. `$1` is the list of schemas; MikroORM's own table is left out. */
async function list(sql: string): Promise<unknown[]> {
  const found = await pool.query({ text: sql, values: [schemas], rowMode: "array" });
  return found.rows.map((row: unknown[]) => row[0]);
}

const tables = `(select c.oid, c.oid::regclass::text as name, c.relrowsecurity, c.relforcerowsecurity, obj_description(c.oid) as reason,
    exists (select from pg_attribute where attrelid = c.oid and attname = 'organization_id' and not attisdropped) as of_organization
  from pg_class c where c.relkind in ('r', 'p') and c.relnamespace::regnamespace::text = any($1) and c.relname <> 'migration')`;

describe("the migrated database", () => {
  test("is up to date, so that migrating again changes nothing", async () => {
    expect(await migrateAll(database.url, createLogger("test", "silent"))).toEqual([]);
  });

  test("every table with organization_id has row-level security, for its owner too", async () => {
    expect(
      await list(`select name from ${tables} t where of_organization and not (relrowsecurity and relforcerowsecurity)`),
    ).toEqual([]);
  });

  test("organization_id is a uuid that is never null, or the reason is in the comment on the table", async () => {
    expect(
      await list(`select t.name from ${tables} t join pg_attribute a on a.attrelid = t.oid
        where a.attname = 'organization_id' and (a.atttypid <> 'uuid'::regtype or not a.attnotnull) and t.reason is null`),
    ).toEqual([]);
  });

  test("every unique index contains organization_id, or the reason is in the comment on the table", async () => {
    expect(
      await list(`select i.indexrelid::regclass::text from pg_index i join ${tables} t on t.oid = i.indrelid
        where i.indisunique and t.reason is null and not exists (
          select from pg_attribute a where a.attrelid = t.oid and a.attname = 'organization_id' and a.attnum = any(i.indkey))`),
    ).toEqual([]);
  });

  test("the roles of the services have no privileges beyond their grants and own nothing", async () => {
    expect(
      await list(`select rolname from pg_roles where rolname like 'assent\\_%' and rolname <> 'assent_owner' and $1::text[] is not null
        and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolcanlogin)`),
    ).toEqual([]);
    expect(
      await list(`select c.oid::regclass::text from pg_class c
        where c.relnamespace::regnamespace::text = any($1) and pg_get_userbyid(c.relowner) <> 'assent_owner'`),
    ).toEqual([]);
  });

  test("no role of a service can use the schema of another one", async () => {
    expect(
      await list(`select r.rolname || ' in ' || s.name from unnest($1::text[]) s(name), pg_roles r
        where r.rolname ~ '^assent_(auth|templates|click|gateway)(_|$)' and has_schema_privilege(r.rolname, s.name, 'usage')
          and r.rolname !~ ('^assent_' || s.name || '(_|$)')`),
    ).toEqual([]);
  });
});
