import { randomBytes } from "node:crypto";
import pg from "pg";

export interface TestDatabase {
  /** Connects as the database's owner, who is no superuser: row-level security holds for it as for the services. */
  readonly url: string;
  /** Connects as a superuser, who sees and writes all rows: for looking into tables and for fixtures. */
  readonly superuserUrl: string;
  /** Two connections of a superuser at most. */
  readonly superuser: pg.Pool;
  /** Closes what is still connected and removes the database. */
  drop(): Promise<void>;
}

/** The address over the network, where it leads through a socket file: for what looks at addresses, or stands in between. */
export function overNetwork(url: string): string {
  const { hostname, port } = new URL(url);
  return hostname.startsWith("%2F") ? url.replace(`@${hostname}:${port}`, `@127.0.0.1:${port}`) : url;
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

/** A backup of a database that is in use: as it is now. Its connections break for a moment. */
export async function copyTestDatabase(superuserUrl: string): Promise<TestDatabase> {
  const name = new URL(superuserUrl).pathname.slice(1);
  const run = (sql: string): Promise<void> => runOnce(testCluster().superuserUrl, sql);
  await run(`alter database ${name} with allow_connections false`);
  try {
    await run(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`);
    return await createFromTemplate(name, "wal_log");
  } finally {
    await run(`alter database ${name} with allow_connections true`);
  }
}

/**
 * Keeps what the tables of a schema hold, and puts it back as often as it is asked to: what a restore of the database does
 * for whoever uses this schema, without new connections. For a superuser.
 */
export async function backUpSchema(superuser: pg.Pool, schema: string): Promise<() => Promise<void>> {
  const backup = `backup_${randomBytes(8).toString("hex")}`;
  const found = await superuser.query<{ name: string; columns: string }>(
    `select c.oid::regclass::text as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     group by c.oid`,
    [schema],
  );
  const sequences = await superuser.query<{ name: string; value: string | null }>(
    `select quote_ident(schemaname) || '.' || quote_ident(sequencename) as name, last_value as value
     from pg_sequences where schemaname = $1`,
    [schema],
  );
  const tables = found.rows.map((table, n) => ({ ...table, copy: `${backup}.t${n}` }));
  const keep = tables.map(({ name, columns, copy }) => `create table ${copy} as select ${columns} from ${name}`);
  await superuser.query([`create schema ${backup}`, ...keep].join(";"));
  const putBack = [
    "begin",
    // No triggers, and no order in which the tables must be filled.
    "set local session_replication_role = replica",
    `truncate ${tables.map(({ name }) => name).join(", ")}`,
    ...tables.map(
      ({ name, columns, copy }) =>
        `insert into ${name} (${columns}) overriding system value select ${columns} from ${copy}`,
    ),
    ...sequences.rows.map(({ name, value }) => `select setval('${name}', ${value ?? 1}, ${value !== null})`),
    "commit",
  ].join(";");
  return async () => {
    await superuser.query(putBack);
  };
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

/** To copy its files takes half of the work of writing them to the log, which no crash of this server will need. */
async function createFromTemplate(template: string, strategy = "file_copy"): Promise<TestDatabase> {
  const cluster = testCluster();
  const name = `test_${randomBytes(8).toString("hex")}`;
  await runOnce(
    cluster.superuserUrl,
    `create database ${name} template ${template} strategy ${strategy} owner ${new URL(cluster.ownerUrl).username}`,
  );
  const superuserUrl = withDatabase(cluster.superuserUrl, name);
  const superuser = new pg.Pool({ connectionString: superuserUrl, max: 2 });
  // Dropping the database may reach a connection that is just being closed.
  superuser.on("error", () => {});
  return {
    url: withDatabase(cluster.ownerUrl, name),
    superuserUrl,
    superuser,
    drop: async () => {
      await superuser.end();
      await runOnce(cluster.superuserUrl, `drop database if exists ${name} with (force)`);
    },
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
