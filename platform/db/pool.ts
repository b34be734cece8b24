import pg from "pg";
import { isUuid, type OrgId } from "../ids.ts";
import type { Metrics } from "../metrics.ts";
import type { Tracer } from "../telemetry.ts";
import { tracePool } from "../tracing/trace-pool.ts";

export interface PoolOptions {
  readonly url: string;
  /** The role that statements run as; the login role must be a member of it. Absent, "" or "-": the login role itself. */
  readonly role?: string;
  /** Connections at most; default 10. */
  readonly max?: number;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  /** False: commits are not flushed, so a crash of the server may forget the last ones. Only for counters. Default true. */
  readonly synchronousCommit?: boolean;
  /** A statement that runs longer is cancelled by the server. Milliseconds, default 5000; 0 turns it off. */
  readonly statementTimeoutMs?: number;
  /** A statement that waits longer for a lock fails with 55P03. Milliseconds, default 2000; 0 turns it off. */
  readonly lockTimeoutMs?: number;
}

/** How long a caller waits for a connection before it gets an error. */
const connectTimeoutMs = 5_000;

const defaultStatementTimeoutMs = 5_000;

/** How much longer than the server's own limit a caller waits for an answer. */
const silenceMs = 1_000;

/**
 * A pool whose connections have their role and limits from the first byte on: they travel as start-up options,
 * so no statement can run without them. Connects when first used. Broken connections are replaced, never fatal.
 */
export function createPool(options: PoolOptions): pg.Pool {
  const { statementTimeoutMs = defaultStatementTimeoutMs } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max ?? 10,
    application_name: options.name,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // Ends the wait for a server that no longer answers at all; one that does has cancelled the statement before.
    ...(statementTimeoutMs === 0 ? {} : { query_timeout: statementTimeoutMs + silenceMs }),
    options: startupOptions(options),
  });
  // pg reports a dropped connection as an 'error' event, which is fatal without a listener. The query in flight
  // rejects by itself, and the pool has already discarded an idle one.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** The `options` start-up parameter: role, timeouts and commit mode as `-c name=value`. */
export function startupOptions(options: Omit<PoolOptions, "url" | "name" | "max">): string {
  const settings: Record<string, string> = {
    statement_timeout: String(options.statementTimeoutMs ?? defaultStatementTimeoutMs),
    lock_timeout: String(options.lockTimeoutMs ?? 2_000),
    // A transaction left open by a defect would hold its locks and stop vacuum for ever.
    idle_in_transaction_session_timeout: "30000",
  };
  if (options.role !== undefined && !["", "-"].includes(options.role)) settings.role = options.role;
  if (options.synchronousCommit === false) settings.synchronous_commit = "off";
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, "\\$&")}`)
    .join(" ");
}

declare const isOpened: unique symbol;

/** Marks what only the functions that open a transaction of an organization make. */
export interface Opened {
  readonly [isOpened]: true;
}

/**
 * An open transaction of one organization: the organization of a statement and that of its transaction cannot differ.
 * Whatever reads or writes rows of an organization takes it first.
 */
export interface Tenant extends Opened {
  readonly orgId: OrgId;
  readonly client: pg.PoolClient;
}

/**
 * Runs `work` in one transaction that sees and writes rows of this organization only (row-level security).
 * Commits when `work` resolves, rolls back when it rejects; rejects as well when an error that `work` swallowed has
 * spoiled the transaction. The organization is set for this transaction alone and cannot leak through the pool.
 */
export async function withOrg<T>(pool: pg.Pool, orgId: OrgId, work: (tenant: Tenant) => Promise<T>): Promise<T> {
  return runTransaction(pool, beginForOrg(orgId), (client) => work({ orgId, client } as Tenant));
}

/**
 * Like withOrg for work that only reads: all its statements see the database as it was at the first of them, so that what
 * they read fits together.
 */
export async function withOrgSnapshot<T>(
  pool: pg.Pool,
  orgId: OrgId,
  work: (tenant: Tenant) => Promise<T>,
): Promise<T> {
  const begin = beginForOrg(orgId, "begin isolation level repeatable read read only");
  return runTransaction(pool, begin, (client) => work({ orgId, client } as Tenant));
}

/** Like withOrg without an organization: for tables without one and for roles whose policies span organizations. */
export async function withTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return runTransaction(pool, "begin", work);
}

/** Both statements in one round trip; the simple protocol takes no parameters, hence the check. */
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
    // Postgres answers COMMIT of a failed transaction with success and the tag ROLLBACK.
    if (end.command === "ROLLBACK") throw new Error("the transaction was rolled back because a statement in it failed");
    return result;
  } catch (error) {
    broken = await rollback(client);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** The reason why the connection cannot be used again, if any. */
async function rollback(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query("rollback");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Shows in the metrics how busy a pool is, and its statements in traces. Several pools of one service add up. */
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
 * Gives connections that break while they are checked out back to their pool, which then drops them. Kysely, on which
 * MikroORM stands, forgets to when the rollback fails as well (kysely-org/kysely#1990): each outage would take a
 * connection per running transaction away for good, until the pool is empty.
 */
export function releaseBrokenConnections(pool: Pick<pg.Pool, "on">): void {
  const checkedOut = new WeakSet<pg.PoolClient>();
  pool.on("acquire", (client) => checkedOut.add(client));
  pool.on("release", (_error, client) => checkedOut.delete(client as pg.PoolClient));
  pool.on("connect", (client) =>
    client.once("end", () => {
      if (!checkedOut.has(client)) return;
      const release = client.release.bind(client);
      // Whoever still holds it may give it back in vain.
      client.release = () => {};
      release(true);
    }),
  );
}
