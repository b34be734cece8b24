import pg from "pg";
import { isUuid, type OrgId } from "../ids.ts";
import type { Metrics } from "../metrics.ts";
import type { Tracer } from "../telemetry.ts";
import { tracePool } from "../tracing/trace-pool.ts";

export interface PoolOptions {
  readonly url: string;
  /**
   * The role that statements run as; the login role must be a member of it. Absent, "" or "-" keeps the login
   * role.
   */
  readonly role?: string;
  /** The maximum number of connections; default 10. */
  readonly max?: number;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  /**
   * False skips the flush on commit, so a server crash may lose the latest commits. Only for counters. Default
   * true.
   */
  readonly synchronousCommit?: boolean;
  /** The server cancels statements that run longer. Milliseconds, default 5000; 0 for no limit. */
  readonly statementTimeoutMs?: number;
  /** A statement that waits longer for a lock fails with 55P03. Milliseconds, default 2000; 0 for no limit. */
  readonly lockTimeoutMs?: number;
}

/** How long a caller waits for a connection, in milliseconds. */
const connectTimeoutMs = 5_000;

const defaultStatementTimeoutMs = 5_000;

/** How much longer than the server's own limit the client waits for an answer, in milliseconds. */
const silenceMs = 1_000;

/**
 * A pool whose connections carry their role and limits as start-up options, so no statement can run without
 * them. Connects on first use. Broken connections are replaced and never fatal.
 */
export function createPool(options: PoolOptions): pg.Pool {
  const { statementTimeoutMs = defaultStatementTimeoutMs } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max ?? 10,
    application_name: options.name,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // Gives up on a server that no longer answers at all; a working one has cancelled the statement before
    // that.
    ...(statementTimeoutMs === 0 ? {} : { query_timeout: statementTimeoutMs + silenceMs }),
    options: startupOptions(options),
  });
  // pg emits an 'error' event for a dropped connection, which is fatal without a listener. The query in flight
  // rejects anyway, and the pool has already discarded an idle connection.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** The `options` start-up parameter: role, timeouts and commit mode as `-c name=value`. */
export function startupOptions(options: Omit<PoolOptions, "url" | "name" | "max">): string {
  const settings: Record<string, string> = {
    statement_timeout: String(options.statementTimeoutMs ?? defaultStatementTimeoutMs),
    lock_timeout: String(options.lockTimeoutMs ?? 2_000),
    // A transaction that a bug leaves open would hold its locks and block vacuum for ever.
    idle_in_transaction_session_timeout: "30000",
  };
  if (options.role !== undefined && !["", "-"].includes(options.role)) settings.role = options.role;
  if (options.synchronousCommit === false) settings.synchronous_commit = "off";
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, "\\$&")}`)
    .join(" ");
}

declare const isOpened: unique symbol;

/** A brand that only the functions opening an organization's transaction can create. */
export interface Opened {
  readonly [isOpened]: true;
}

/**
 * An open transaction of one organization. Everything that reads or writes an organization's rows takes it as
 * its first argument, so that the organization of a statement and of its transaction cannot differ.
 */
export interface Tenant extends Opened {
  readonly orgId: OrgId;
  readonly client: pg.PoolClient;
}

/**
 * Runs `work` in one transaction that only sees and writes rows of this organization (row-level security).
 * Commits when `work` resolves. Rolls back when it rejects; also rejects when `work` swallowed an error that
 * aborted the transaction. The organization is set for this transaction only and cannot leak through the pool.
 */
export async function withOrg<T>(pool: pg.Pool, orgId: OrgId, work: (tenant: Tenant) => Promise<T>): Promise<T> {
  return runTransaction(pool, beginForOrg(orgId), (client) => work({ orgId, client } as Tenant));
}

/** Like withOrg, but read-only and with one snapshot for all statements, so that their results are consistent. */
export async function withOrgSnapshot<T>(
  pool: pg.Pool,
  orgId: OrgId,
  work: (tenant: Tenant) => Promise<T>,
): Promise<T> {
  const begin = beginForOrg(orgId, "begin isolation level repeatable read read only");
  return runTransaction(pool, begin, (client) => work({ orgId, client } as Tenant));
}

/**
 * Like withOrg but without an organization: for tables that have none, and for roles whose policies span
 * organizations.
 */
export async function withTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return runTransaction(pool, "begin", work);
}

/** Both statements in one round trip. The simple protocol takes no parameters, hence the check. */
function beginForOrg(orgId: OrgId, begin = "begin"): string {
  if (!isUuid(orgId)) throw new TypeError("the organization id is not a UUID");
  return `${begin}; select set_config('app.org_id', '${orgId}', true)`;
}

async function runTransaction<T>(
  pool: pg.Pool,
  begin: string,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await work(client);
    const end = await client.query("commit");
    // Postgres answers COMMIT of an aborted transaction with success and the tag ROLLBACK.
    if (end.command === "ROLLBACK") throw new Error("the transaction was rolled back because a statement in it failed");
    return result;
  } catch (error) {
    broken = await rollback(client);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Returns why the connection must not be used again, if so. */
async function rollback(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query("rollback");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Measures a pool's use and traces its statements. Several pools of one service are added up. */
export function observePool(
  pool: pg.Pool,
  service: string,
  metrics: Pick<Metrics, "poolInUse" | "poolWaiting">,
  tracer?: Tracer,
): void {
  tracePool(pool, tracer);
  let waiting = 0;
  const noteWaiting = (): void => {
    metrics.poolWaiting.inc({ service }, pool.waitingCount - waiting);
    waiting = pool.waitingCount;
  };
  metrics.poolInUse.inc({ service }, 0);
  metrics.poolWaiting.inc({ service }, 0);
  pool.on("acquire", () => {
    metrics.poolInUse.inc({ service });
    noteWaiting();
  });
  pool.on("release", () => {
    metrics.poolInUse.dec({ service });
    noteWaiting();
  });
}

/**
 * Returns connections that break while checked out to their pool, which then drops them. Kysely, which MikroORM
 * uses, does not when the rollback fails as well (kysely-org/kysely#1990): each outage would lose one
 * connection per running transaction, until the pool is empty.
 */
export function releaseBrokenConnections(pool: Pick<pg.Pool, "on">): void {
  const checkedOut = new WeakSet<pg.PoolClient>();
  pool.on("acquire", (client) => checkedOut.add(client));
  pool.on("release", (_error, client) => checkedOut.delete(client as pg.PoolClient));
  pool.on("connect", (client) =>
    client.once("end", () => {
      if (!checkedOut.has(client)) return;
      const release = client.release.bind(client);
      // The current holder may release it again, which must do nothing.
      client.release = () => {};
      release(true);
    }),
  );
}
