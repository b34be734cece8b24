import { randomBytes } from "node:crypto";
import pg from "pg";

export interface TestDatabase {
  /** Connects as the database's owner, who is no superuser: row-level security holds for it as for the services. */
  readonly url: string;
  /** Connects as a superuser, who sees and writes all rows: for looking into tables and for fixtures. */
  readonly superuserUrl: string;
  /** Closes what is still connected and removes the database. */
  drop(): Promise<void>;
}

/** What dev/jest/global-setup.mjs leaves in ASSENT_TEST_POSTGRES. */
interface TestCluster {
  readonly superuserUrl: string;
  readonly ownerUrl: string;
  /** The database that has all migrations applied. */
  readonly template: string;
}

/** A database of the test's own with all migrations applied, cloned in about 0.1 s. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return createFromTemplate(testCluster().template);
}

/** A database of the test's own with nothing in it. */
export async function createEmptyTestDatabase(): Promise<TestDatabase> {
  return createFromTemplate("template0");
}

/** Breaks the connections of the pools with this name, as an outage does; resolves when they are gone. */
export async function terminateSessions(database: TestDatabase, poolName: string): Promise<void> {
  await runOnce(
    database.superuserUrl,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = current_database() and application_name = $1`,
    [poolName],
  );
}

async function createFromTemplate(template: string): Promise<TestDatabase> {
  const cluster = testCluster();
  const name = `test_${randomBytes(8).toString("hex")}`;
  await runOnce(
    cluster.superuserUrl,
    // To copy its files takes half of the work of writing them to the log, which no crash of this server will need.
    `create database ${name} template ${template} strategy file_copy owner ${new URL(cluster.ownerUrl).username}`,
  );
  return {
    url: withDatabase(cluster.ownerUrl, name),
    superuserUrl: withDatabase(cluster.superuserUrl, name),
    drop: () => runOnce(cluster.superuserUrl, `drop database if exists ${name} with (force)`),
  };
}

function testCluster(): TestCluster {
  const text = process.env.ASSENT_TEST_POSTGRES;
  if (text === undefined)
    throw new Error("ASSENT_TEST_POSTGRES is not set: run the tests with this repository's jest.config.mjs");
  return JSON.parse(text) as TestCluster;
}

async function runOnce(url: string, sql: string, values: readonly unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql, [...values]);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
