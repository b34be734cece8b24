import { setTimeout as delay } from "node:timers/promises";
import { Migration, Migrator } from "@mikro-orm/migrations";
import { MikroORM } from "@mikro-orm/postgresql";
import pg from "pg";
import type { Logger } from "../logger.ts";
import { identifier } from "./ddl.ts";

type MigrationClass = new (...args: ConstructorParameters<typeof Migration>) => Migration;

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

export interface MigrateOptions {
  /** Connects as the owner of the database. */
  readonly url: string;
  readonly services: readonly ServiceMigrations[];
  readonly logger: Logger;
}

/** Arbitrary, but the same for all processes that migrate a database. */
const lockKey = 4_071_663_822;

/**
 * Migrates the schemas and returns the names of the applied migrations, as `<schema>.<name>`. Concurrent
 * processes run one after the other. Each migration commits separately, so a failed one keeps those before it.
 * Costs one query when nothing is pending.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const client = new pg.Client({ connectionString: options.url, application_name: "assent-migrate" });
  // A lost connection is already reported by the promise of the query in flight.
  client.on("error", () => {});
  await client.connect();
  try {
    if ((await pendingServices(client, options.services)).length === 0) return [];
    await takeLock(client);
    const applied: string[] = [];
    for (const service of await pendingServices(client, options.services)) {
      await client.query(`create schema if not exists ${identifier(service.schema)}`);
      applied.push(...(await migrateService(options.url, service)));
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

async function pendingServices(
  client: pg.Client,
  services: readonly ServiceMigrations[],
): Promise<readonly ServiceMigrations[]> {
  const tables = await client.query<{ schemaname: string }>(
    "select schemaname from pg_catalog.pg_tables where tablename = $1 and schemaname = any($2)",
    [historyTable, services.map((service) => service.schema)],
  );
  const queries = tables.rows.map(
    ({ schemaname }) => `select '${schemaname}.' || name as name from ${identifier(schemaname)}.${historyTable}`,
  );
  const rows = queries.length > 0 ? (await client.query<{ name: string }>(queries.join(" union all "))).rows : [];
  const applied = new Set(rows.map((row) => row.name));
  return services.filter(({ schema, list }) => list.some(({ name }) => !applied.has(`${schema}.${name}`)));
}

async function migrateService(url: string, service: ServiceMigrations): Promise<string[]> {
  const orm = new MikroORM({
    clientUrl: url,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    pool: { max: 2 },
    driverOptions: { application_name: `assent-migrate-${service.schema}` },
    migrations: {
      tableName: `${service.schema}.${historyTable}`,
      migrationsList: service.list.map((migration) => ({ ...migration })),
      // A single outer transaction would deadlock with CREATE INDEX CONCURRENTLY.
      allOrNothing: false,
      snapshot: false,
      silent: true,
    },
  });
  try {
    const applied = await orm.migrator.up();
    return applied.map(({ name }) => `${service.schema}.${name}`);
  } finally {
    await orm.close();
  }
}
