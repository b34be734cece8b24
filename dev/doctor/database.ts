import pg from "pg";
import { identifier } from "#platform/db/ddl.ts";
import { startupOptions } from "#platform/db/pool.ts";
import { allMigrations } from "../migrations.ts";
import { checkErasures } from "./erasures.ts";
import { type Finding, type Installation, notice, ok, type Query, reasonOf, skipped, wrong } from "./finding.ts";
import { checkKeys, checkLogWitness } from "./keys.ts";
import { checkRoles } from "./roles.ts";
import { checkDatabaseDisk, isLoopback } from "./surroundings.ts";

const oldestPostgres = 160_000;
const patienceMs = 5_000;

/** The database: whether it can be reached, is what the product needs, and belongs to these settings. */
export async function checkDatabase(installation: Installation): Promise<Finding[]> {
  const url = installation.text("DATABASE_URL");
  if (url === undefined) return [skipped("database", "DATABASE_URL is not usable")];
  return [...checkEncryption(url), ...(await askDatabase(installation, url))];
}

/** Whoever stands between here and a database on another machine must not be taken for it. */
export function checkEncryption(url: string): Finding[] {
  const check = "database encryption";
  // As the driver reads it: a socket may stand in the place of the host, or in a parameter.
  const { hostname, protocol, searchParams } = new URL(url);
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  const mode = searchParams.get("sslmode") ?? "";
  if (mode === "verify-full") return [ok(check, "the certificate and name of the server are checked")];
  if (host === "" || host.startsWith("/") || protocol === "socket:" || isLoopback(host)) return [];
  const todo =
    "Add ?sslmode=verify-full to DATABASE_URL, and &sslrootcert=… with the file of its authority if that is not a public one.";
  const isChecked = ["require", "verify-ca", "prefer"].includes(mode) && !searchParams.has("uselibpqcompat");
  if (isChecked) return [notice(check, `sslmode=${mode} means verify-full today, and less in later releases`, todo)];
  return [wrong(check, `nothing verifies the identity of the database at ${host}`, todo)];
}

async function askDatabase(installation: Installation, url: string): Promise<Finding[]> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "assent-doctor",
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
  });
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    await client.end().catch(() => {});
    return [
      wrong(
        "database",
        `it cannot be reached with DATABASE_URL: ${reasonOf(error)}`,
        "Check host, port, login, password and sslmode in the URL, and whether a firewall is in the way.",
      ),
    ];
  }
  const query: Query = async (sql, values) => (await client.query(sql, values)).rows;
  try {
    return await checkEverything(installation, url, query);
  } catch (error) {
    return [wrong("database", `it does not answer: ${reasonOf(error)}`, "Check its log.")];
  } finally {
    await client.end().catch(() => {});
  }
}

const checkEverything = async (installation: Installation, url: string, query: Query): Promise<Finding[]> => [
  ...(await checkServer(query)),
  await checkClock(query),
  await checkConnections(installation, query),
  ...(await checkReplicas(query)),
  ...(await checkDatabaseDisk(query)),
  ...(await checkMigrations(installation, query)),
  ...(await checkRoles(installation, query)),
  await checkStartupOptions(url),
  ...(await checkKeys(installation, url)),
  ...(await checkLogWitness(installation, url)),
  ...(await checkErasures(installation, url)),
];

async function checkServer(query: Query): Promise<Finding[]> {
  const [row] = await query<Record<string, string>>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as version,
       current_setting('synchronous_commit') as "synchronousCommit", current_setting('fsync') as fsync,
       current_setting('full_page_writes') as "fullPageWrites", current_setting('server_encoding') as encoding,
       current_setting('log_statement') as "logStatement",
       current_setting('log_parameter_max_length_on_error') as "logParameters"`,
  );
  const { number, version, synchronousCommit, fsync, fullPageWrites, encoding, logStatement, logParameters } =
    row as Record<string, string>;
  const findings: Finding[] = [];
  if (Number(number) < oldestPostgres) {
    findings.push(wrong("database", `Postgres ${version} is too old`, "Use Postgres 16 or newer."));
  }
  if (synchronousCommit === "off" || fsync === "off" || fullPageWrites === "off") {
    findings.push(
      wrong(
        "durability",
        `synchronous_commit is ${synchronousCommit}, fsync ${fsync}, full_page_writes ${fullPageWrites}: a crash loses answered requests`,
        "Turn all three on, for the server, the database and the login (alter role … reset synchronous_commit).",
      ),
    );
  }
  if (encoding !== "UTF8") {
    findings.push(wrong("database", `its encoding is ${encoding}`, "Create a database with the encoding UTF8."));
  }
  if (logStatement !== "none" || logParameters !== "0") {
    findings.push(
      notice(
        "database log",
        "the server logs statements or their parameters, which may contain personal data",
        "Leave log_statement at none and log_parameter_max_length_on_error at 0.",
      ),
    );
  }
  return findings.length > 0 ? findings : [ok("database", `Postgres ${version}, every commit is flushed`)];
}

/** Tokens are accepted with 5 s of tolerance; times of evidence should be right. */
async function checkClock(query: Query): Promise<Finding> {
  const before = Date.now();
  const [row] = await query<{ now: string }>("select (extract(epoch from clock_timestamp()) * 1000)::text as now");
  const offset = Number(row?.now) - (before + Date.now()) / 2;
  const says = `this clock and the database's differ by ${Math.round(Math.abs(offset))} ms`;
  if (Math.abs(offset) < 1_000) return ok("clock", says);
  return wrong("clock", says, "Synchronize both machines with NTP servers.");
}

async function checkConnections(installation: Installation, query: Query): Promise<Finding> {
  const [row] = await query<{ most: number; used: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
       - coalesce(current_setting('reserved_connections', true)::int, 0) as most,
       (select count(*)::int from pg_catalog.pg_stat_activity where backend_type = 'client backend') as used`,
  );
  const { most = 0, used = 0 } = row ?? {};
  // One process of each as it starts beside the one that it replaces.
  const wanted = installation.programs.map(({ settings }) => Number(poolSizeOf(settings, installation)));
  const sum = wanted.reduce((total, size) => total + size, 0);
  const says = `${used} of ${most} connections are in use; one more process of each kind can take ${sum}`;
  if (most - used >= sum) return ok("connections", says);
  return notice("connections", says, "Raise max_connections: docs/operations.md, Connections, adds them up.");
}

function poolSizeOf(settings: Installation["programs"][number]["settings"], { env }: Installation): unknown {
  const setting = settings.DATABASE_POOL_SIZE;
  return Number(env.DATABASE_POOL_SIZE) || setting?.fallback || 0;
}

async function checkReplicas(query: Query): Promise<Finding[]> {
  const [row] = await query<{ names: string; standbys: number; recovering: boolean }>(
    `select current_setting('synchronous_standby_names') as names, pg_catalog.pg_is_in_recovery() as recovering,
       (select count(*)::int from pg_catalog.pg_stat_replication) as standbys`,
  );
  if (row?.recovering === true) {
    return [wrong("replicas", "DATABASE_URL points to a read-only replica", "Use the address of the primary.")];
  }
  if (row?.names !== "") return [ok("replicas", "commits wait until a second server has them")];
  return [
    notice(
      "replicas",
      `no synchronous replica: losing this server's disk loses answered requests (${row.standbys} others)`,
      "If nothing may be lost, set synchronous_standby_names as deploy/k8s/components/postgres-cnpg does.",
    ),
  ];
}

/** Roles and limits travel as start-up options, which poolers in transaction mode refuse or drop. */
async function checkStartupOptions(url: string): Promise<Finding> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    options: startupOptions({ lockTimeoutMs: 1_234 }),
  });
  client.on("error", () => {});
  const todo = "Connect to Postgres itself: no PgBouncer in transaction or statement mode (docs/operations.md).";
  try {
    await client.connect();
    const { rows } = await client.query<{ lock_timeout: string }>("show lock_timeout");
    if (rows[0]?.lock_timeout === "1234ms") return ok("start-up options", "they reach the database");
    return wrong("start-up options", "something between here and the database drops them", todo);
  } catch (error) {
    return wrong("start-up options", `they are refused: ${reasonOf(error)}`, todo);
  } finally {
    await client.end().catch(() => {});
  }
}

interface HistoryTable {
  readonly schema: string;
  readonly readable: boolean;
}

/** Whether the schemas of these processes are as this release needs them. Only the owner may read which are applied. */
async function checkMigrations(installation: Installation, query: Query): Promise<Finding[]> {
  const expected = allMigrations.filter(({ schema }) => installation.has(schema));
  const tables = await query<HistoryTable & Record<string, unknown>>(
    `select n.nspname as schema,
       pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_table_privilege(c.oid, 'select') as readable
     from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
     where c.relname = 'migration' and c.relkind = 'r' and n.nspname = any($1)`,
    [expected.map(({ schema }) => schema)],
  );
  const known = new Map(tables.map((table) => [table.schema, table]));
  const missing = expected.filter(({ schema }) => !known.has(schema)).map(({ schema }) => schema);
  if (missing.length > 0) {
    return [wrong("migrations", `there is no schema for ${missing.join(", ")}`, migrateFirst)];
  }
  const hidden = tables.filter(({ readable }) => !readable).map(({ schema }) => schema);
  if (hidden.length > 0) {
    return [
      skipped("migrations", `this login cannot read the migrations of ${hidden.join(", ")}; the owner's login can`),
    ];
  }
  const found: Finding[] = [];
  for (const { schema, list } of expected) found.push(...(await compare(query, schema, list)));
  return found.length > 0 ? found : [ok("migrations", "all migrations of this release are applied")];
}

const migrateFirst = "Run npm run migrate with the owner's DATABASE_URL before the processes start.";

async function compare(
  query: Query,
  schema: string,
  list: readonly { readonly name: string }[],
): Promise<readonly Finding[]> {
  const applied = await query<{ name: string }>(`select name from ${identifier(schema)}.migration`);
  const done = new Set(applied.map(({ name }) => name));
  const known = new Set(list.map(({ name }) => name));
  const pending = list.filter(({ name }) => !done.has(name)).map(({ name }) => name);
  const unknown = [...done].filter((name) => !known.has(name));
  return [
    ...(pending.length > 0 ? [wrong("migrations", `${schema} lacks ${pending.join(", ")}`, migrateFirst)] : []),
    ...(unknown.length > 0
      ? [
          notice(
            "migrations",
            `${schema} has ${unknown.join(", ")}, which this release does not know`,
            "The database is newer. Only the release before it can still run on it: docs/releasing.md.",
          ),
        ]
      : []),
  ];
}
