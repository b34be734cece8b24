import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Migration } from "@mikro-orm/migrations";
import pg from "pg";
import { createLogger } from "../../logger.ts";
import { createEmptyTestDatabase, type TestDatabase } from "../../testing/database.ts";
import { until } from "../../testing/until.ts";
import { createRoleSql } from "../ddl.ts";
import { migrate, type ServiceMigrations } from "../migrate.ts";

const logger = createLogger("test", "silent");

class First extends Migration {
  override up(): void {
    this.addSql(createRoleSql("assent_migrate_test"));
    this.addSql("create table library.book (id integer primary key, title text)");
    this.addSql("select pg_sleep(0.2)");
  }
}

class Second extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql("create index concurrently book_title on library.book (title)");
  }
}

class Third extends Migration {
  override up(): void {
    this.addSql("create table library.shelf (id integer)");
    this.addSql("alter table library.book add column shelf integer");
  }
}

class Broken extends Migration {
  override up(): void {
    this.addSql("create table library.half (id integer)");
    this.addSql("create table library.book (id integer)");
  }
}

const library = (...list: ServiceMigrations["list"]): ServiceMigrations => ({ schema: "library", list });
const first = { name: "001_initial", class: First };
const third = { name: "003_shelves", class: Third };
const second = { name: "002_title_index", class: Second };

let database: TestDatabase;
beforeEach(async () => {
  database = await createEmptyTestDatabase();
});
afterEach(() => database.drop());

const run = (...services: ServiceMigrations[]) => migrate({ url: database.url, services, logger });

async function query(sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: database.superuserUrl });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

describe("migrate", () => {
  test("makes the schema, applies what is pending in order and says what it did", async () => {
    expect(await run(library(first))).toEqual(["library.001_initial"]);
    expect(await run(library(first))).toEqual([]);
    expect(await run(library(first, second))).toEqual(["library.002_title_index"]);
    expect(await query("select indexname from pg_indexes where indexname = 'book_title'")).toHaveLength(1);
  });

  test("the same service in several processes at once is migrated once", async () => {
    const results = await Promise.all(Array.from({ length: 4 }, () => run(library(first, second))));
    expect(results.flat().sort()).toEqual(["library.001_initial", "library.002_title_index"]);
  });

  test("two databases of one cluster may be migrated at once, although roles belong to the cluster", async () => {
    const other = await createEmptyTestDatabase();
    try {
      const both = [database, other].map(({ url }) => migrate({ url, services: [library(first)], logger }));
      expect(await Promise.all(both)).toEqual([["library.001_initial"], ["library.001_initial"]]);
    } finally {
      await other.drop();
    }
  });

  test("a migration that fails leaves nothing behind, and those before it stay", async () => {
    const broken = { name: "002_broken", class: Broken };
    await expect(run(library(first, broken))).rejects.toThrow("already exists");
    expect(await query("select tablename from pg_tables where schemaname = 'library' order by 1")).toEqual([
      { tablename: "book" },
      { tablename: "migration" },
    ]);
    expect(await run(library(first, second))).toEqual(["library.002_title_index"]);
  });

  test("whoever comes after a migration that waits for a long read is served, and the migration is done after it", async () => {
    await run(library(first));
    const reader = new pg.Client({ connectionString: database.superuserUrl });
    const writer = new pg.Client({ connectionString: database.superuserUrl });
    await Promise.all([reader.connect(), writer.connect()]);
    await reader.query("begin");
    await reader.query("select from library.book");
    const migrating = migrate({ url: database.url, services: [library(first, second, third)], logger });
    const waits =
      "select from pg_stat_activity where application_name = 'assent-migrate-library' and wait_event_type = 'Lock'";
    // It waits for the lock and gives it up, again and again.
    for (let n = 0; n < 3; n += 1) {
      await until(async () => (await query(waits)).length > 0);
      await writer.query("insert into library.book values ($1, 'Emma')", [n]);
    }
    await reader.query("commit");
    // What was applied before the lock was missed counts as well.
    expect(await migrating).toEqual(["library.002_title_index", "library.003_shelves"]);
    await Promise.all([reader.end(), writer.end()]);
  });

  test("a migration that never gets its lock fails, and leaves nothing behind", async () => {
    await run(library(first));
    const reader = new pg.Client({ connectionString: database.superuserUrl });
    await reader.connect();
    await reader.query("begin");
    await reader.query("select from library.book");
    const services = [library(first, third)];
    await expect(migrate({ url: database.url, services, logger, lockPausesMs: [1] })).rejects.toThrow("lock timeout");
    await reader.end();
    expect(await query("select from pg_tables where schemaname = 'library' and tablename = 'shelf'")).toEqual([]);
    expect(await run(...services)).toEqual(["library.003_shelves"]);
  });

  test("services without migrations cost nothing", async () => {
    expect(await run({ schema: "empty", list: [] })).toEqual([]);
    expect(await query("select from pg_namespace where nspname = 'empty'")).toHaveLength(0);
  });
});
