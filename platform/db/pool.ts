import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type FreshText, textNow } from "../config.ts";
import { isUuid, type OrgId } from "../ids.ts";

export interface PoolOptions {
  /** Asked for again with each connection when it may change. */
  readonly url: FreshText;
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
  /**
   * True plans each named statement once for a connection, whatever its values. Only for pools of statements whose best plan
   * does not depend on them, such as look-ups by key. By default Postgres goes on to plan a statement for its values where
   * that promises to be cheaper, which for an array of one key instead of the ten that it assumes it always does.
   */
  readonly plansOnce?: boolean;
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
    connectionString: textNow(options.url),
    max: options.max ?? 10,
    application_name: options.name,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // What is asked before the answer to the last question is there goes out at once.
    pipeline: true,
    // Gives up on a server that no longer answers at all; a working one has cancelled the statement before
    // that.
    ...(statementTimeoutMs === 0 ? {} : { query_timeout: statementTimeoutMs + silenceMs }),
    options: startupOptions(options),
  });
  // pg emits an 'error' event for a dropped connection, which is fatal without a listener. The query in flight
  // rejects anyway, and the pool has already discarded an idle connection.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  followLogin(pool, options.url);
  return pool;
}

/** How often a login that was refused is tried again, in milliseconds. */
const loginPauseMs = 250;

/** A wrong password, or a login that may not connect (any more). */
const isRefusedLogin = (error: unknown): boolean => ["28P01", "28000"].includes(String(Object(error).code));

/**
 * Makes a pool log in as its address says at that moment. Passwords change in the database first and here a little later:
 * until then the connections that are open serve everybody, of which one is kept even when nobody needs it, and who finds
 * none waits as long as for any connection. An address that cannot change is left alone.
 */
export function followLogin(pool: pg.Pool, url: FreshText): void {
  if (typeof url === "string") return;
  const urlNow = url;
  const { options } = pool;
  const { max } = options;
  if (max > 1) options.min = 1;
  Object.assign(pool, {
    Client: class extends pg.Client {
      constructor(config: pg.ClientConfig) {
        super({ ...config, connectionString: urlNow() });
      }
    },
  });
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  const connectInTime = async (): Promise<pg.PoolClient> => {
    const end = performance.now() + connectTimeoutMs;
    for (;;) {
      try {
        return await connect();
      } catch (error) {
        if (!isRefusedLogin(error) || performance.now() + loginPauseMs > end || pool.ending) throw error;
        if (pool.totalCount === 0) await delay(loginPauseMs);
        else serveWithOpenOnes(pool, max);
      }
    }
  };
  pool.connect = ((callback?: ConnectCallback) => {
    if (callback === undefined) return connectInTime();
    void connectInTime().then(
      (client) => callback(undefined, client, (broken) => client.release(broken)),
      (error: Error) => callback(error, undefined, () => {}),
    );
  }) as typeof pool.connect;
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (broken?: Error | boolean) => void,
) => void;

/** For a moment the pool opens no others, so that who asks waits until one of those that there are is free. */
function serveWithOpenOnes(pool: pg.Pool, max: number): void {
  if (pool.options.max < max) return;
  pool.options.max = Math.min(max, pool.totalCount);
  setTimeout(() => {
    pool.options.max = max;
  }, loginPauseMs).unref();
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
  if (options.plansOnce === true) settings.plan_cache_mode = "force_generic_plan";
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

/** Until the end of its transaction nobody else passes a lock of this name for the same organization. */
export async function lockInOrganization({ orgId, client }: Tenant, name: string): Promise<void> {
  await client.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`${name} ${orgId}`]);
}

/**
 * Runs `work` in one transaction that only sees and writes rows of this organization (row-level security).
 * Commits when `work` resolves. Rolls back when it rejects; also rejects when `work` swallowed an error that
 * aborted the transaction. The organization is set for this transaction only and cannot leak through the pool.
 */
export async function withOrg<T>(pool: pg.Pool, orgId: OrgId, work: (tenant: Tenant) => Promise<T>): Promise<T> {
  return runTransaction(pool, beginForOrg(orgId), (client) => work({ orgId, client } as Tenant), { isTogether: true });
}

/** Like withOrg, but read-only and with one snapshot for all statements, so that their results are consistent. */
export async function withOrgSnapshot<T>(
  pool: pg.Pool,
  orgId: OrgId,
  work: (tenant: Tenant) => Promise<T>,
): Promise<T> {
  const begin = beginForOrg(orgId, "begin isolation level repeatable read read only");
  return runTransaction(pool, begin, (client) => work({ orgId, client } as Tenant), { isTogether: true });
}

/**
 * Like withOrg, but for a single statement that only reads, which `read` sends at once: beginning, statement and end take one
 * round trip together. Give the statement a name: then it is parsed and planned once for each connection.
 */
export async function withOrgRead<T>(pool: pg.Pool, orgId: OrgId, read: (tenant: Tenant) => Promise<T>): Promise<T> {
  const begin = beginForOrg(orgId, "begin read only");
  const client = await pool.connect();
  // A read that throws instead of rejecting must not keep its connection.
  const reading = async (): Promise<T> => read({ orgId, client } as Tenant);
  const sent = [client.query(begin), reading(), client.query("commit")] as const;
  const [begun, answered, ended] = await Promise.allSettled(sent);
  // After a failure the commit rolls back. Where it fails itself, nobody knows what the connection is doing.
  client.release(ended.status === "rejected" ? asError(ended.reason) : undefined);
  for (const each of [begun, answered, ended]) if (each.status === "rejected") throw each.reason;
  return (answered as PromiseFulfilledResult<Awaited<T>>).value;
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

/**
 * With `isTogether` the first statement of the work is sent together with the beginning. Should that ever fail alone, the
 * statement ran outside of any transaction and organization, so it is only for work that does and sees nothing there.
 */
async function runTransaction<T>(
  pool: pg.Pool,
  begin: string,
  work: (client: pg.PoolClient) => Promise<T>,
  { isTogether = false } = {},
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    const begun = client.query(begin);
    begun.catch(() => {});
    if (!isTogether) await begun;
    const result = await work(client);
    await begun;
    requireCommitted(await client.query("commit"));
    return result;
  } catch (error) {
    broken = await rollback(client);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Postgres answers COMMIT of an aborted transaction with success and the tag ROLLBACK. */
export function requireCommitted(end: pg.QueryResult): pg.QueryResult {
  if (end.command === "ROLLBACK") throw new Error("the transaction was rolled back because a statement in it failed");
  return end;
}

/** Returns why the connection must not be used again, if so. */
async function rollback(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query("rollback");
    return undefined;
  } catch (error) {
    return asError(error);
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

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
