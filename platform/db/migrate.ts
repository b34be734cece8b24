import { setTimeout as delay } from "node:timers/promises";
import { Migration, Migrator } from "@mikro-orm/migrations";
import { MikroORM } from "@mikro-orm/postgresql";
import pg from "pg";
import type { Logger } from "../logger.ts";
import { identifier } from "./ddl.ts";
import { isLockFailure } from "./errors.ts";

type MigrationClass = new (
  ...args: ConstructorParameters<typeof Migration>
) => Migration & { up(): ReturnType<Migration["up"]> };

/** The migrations of one service, oldest first. Migrations are never edited or reordered after a release. */
export interface ServiceMigrations {
  readonly schema: string;
  readonly list: readonly { readonly name: string; readonly class: MigrationClass }[];
}

/** A short migration that needs no file of its own. */
export const sqlMigration = (name: string, ...statements: readonly string[]) => ({
  name,
  class: class extends Migration {
    override up(): void {
      for (const statement of statements) this.addSql(statement);
    }
  },
});

/** An index that is made while others write to the table; one that a process did not finish is made again. */
export const indexMigration = (name: string, index: string, on: string) => ({
  name,
  class: class extends Migration {
    override isTransactional(): boolean {
      return false;
    }
    override up(): void {
      this.addSql(`drop index concurrently if exists ${on.split(".")[0]}.${index}`);
      this.addSql(`create index concurrently ${index} on ${on}`);
    }
  },
});

export interface MigrateOptions {
  /** Connects as the owner of the database. */
  readonly url: string;
  readonly services: readonly ServiceMigrations[];
  readonly logger: Logger;
  /** The pauses, in milliseconds, after which a migration that gave up a lock is tried again; about five minutes of them. */
  readonly lockPausesMs?: readonly number[];
}

/** Arbitrary, but the same for all processes that migrate a database. */
const lockKey = 4_071_663_822;

/**
 * How long a statement may wait for a lock, in milliseconds. Postgres lets nobody pass who comes after it, so a statement
 * that waits for a long read stops all others on its table for as long as it waits.
 */
const lockTimeoutMs = 500;
const usualLockPauses: readonly number[] = [250, 500, 1_000, 2_000, 4_000, ...Array<number>(40).fill(8_000)];

/**
 * Migrates the schemas and returns the names of the applied migrations, as `<schema>.<name>`. Concurrent
 * processes run one after the other. Each migration commits separately, so a failed one keeps those before it.
 * Costs one query when nothing is pending. Statements in transactions give up when they do not get a lock at once; their
 * migration is tried again for about five minutes.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const client = new pg.Client({ connectionString: options.url, application_name: "assent-migrate" });
  // A lost connection is already reported by the promise of the query in flight.
  client.on("error", () => {});
  await client.connect();
  try {
    if ((await findPending(client, options.services)).length === 0) return [];
    await takeLock(client);
    const applied: string[] = [];
    for (const { service, names } of await findPending(client, options.services)) {
      await client.query(`create schema if not exists ${identifier(service.schema)}`);
      await migrateBetweenOthers(options, service);
      applied.push(...names);
    }
    if (applied.length > 0) options.logger.info({ applied }, "database migrated");
    return applied;
  } finally {
    await client.end();
  }
}

/**
 * A session lock, so it is released with the connection however this process ends. Polled instead of awaited: a
 * waiting statement holds a snapshot, and CREATE INDEX CONCURRENTLY waits for all snapshots to end.
 */
async function takeLock(client: pg.Client): Promise<void> {
  for (;;) {
    const answer = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [lockKey]);
    if (answer.rows[0]?.taken === true) return;
    await delay(100);
  }
}

/** The table in each schema where MikroORM records applied migrations. */
const historyTable = "migration";

interface Pending {
  readonly service: ServiceMigrations;
  /** As `<schema>.<name>`. */
  readonly names: readonly string[];
}

async function findPending(client: pg.Client, services: readonly ServiceMigrations[]): Promise<readonly Pending[]> {
  const tables = await client.query<{ schemaname: string }>(
    "select schemaname from pg_catalog.pg_tables where tablename = $1 and schemaname = any($2)",
    [historyTable, services.map((service) => service.schema)],
  );
  const queries = tables.rows.map(
    ({ schemaname }) => `select '${schemaname}.' || name as name from ${identifier(schemaname)}.${historyTable}`,
  );
  const rows = queries.length > 0 ? (await client.query<{ name: string }>(queries.join(" union all "))).rows : [];
  const applied = new Set(rows.map((row) => row.name));
  return services
    .map((service) => ({ service, names: service.list.map(({ name }) => `${service.schema}.${name}`) }))
    .map(({ service, names }) => ({ service, names: names.filter((name) => !applied.has(name)) }))
    .filter(({ names }) => names.length > 0);
}

async function migrateBetweenOthers(options: MigrateOptions, service: ServiceMigrations): Promise<void> {
  const { url, logger, lockPausesMs = usualLockPauses } = options;
  for (const pauseMs of lockPausesMs) {
    try {
      return await migrateService(url, service);
    } catch (error) {
      if (!isLockFailure(error)) throw error;
      logger.warn({ err: error, schema: service.schema, pauseMs }, "a migration gave up a lock and is tried again");
      await delay(pauseMs);
    }
  }
  return migrateService(url, service);
}

/** In a transaction only: an index that is made concurrently waits for long, but nobody waits for it. */
const givingUpLocks = (base: MigrationClass): MigrationClass =>
  class extends base {
    override getQueries(): ReturnType<Migration["getQueries"]> {
      const timeout = this.isTransactional() ? [`set local lock_timeout = ${lockTimeoutMs}`] : [];
      return [...timeout, ...super.getQueries()];
    }
  };

async function migrateService(url: string, service: ServiceMigrations): Promise<void> {
  const orm = new MikroORM({
    clientUrl: url,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    pool: { max: 2 },
    driverOptions: { application_name: `assent-migrate-${service.schema}` },
    migrations: {
      tableName: `${service.schema}.${historyTable}`,
      migrationsList: service.list.map(({ name, class: base }) => ({ name, class: givingUpLocks(base) })),
      // A single outer transaction would deadlock with CREATE INDEX CONCURRENTLY.
      allOrNothing: false,
      snapshot: false,
      silent: true,
    },
  });
  try {
    await orm.migrator.up();
  } finally {
    await orm.close();
  }
}
