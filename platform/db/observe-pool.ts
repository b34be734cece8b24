import type pg from "pg";
import { boundedNames, peerCertificateEnd } from "../gauges.ts";
import type { Metrics } from "../metrics.ts";
import type { Tracer } from "../telemetry.ts";
import { statementOf, tracePool } from "../tracing/trace-pool.ts";

type ObservedMetrics = Pick<
  Metrics,
  | "databaseUp"
  | "poolInUse"
  | "poolWaiting"
  | "poolSize"
  | "poolWaitDuration"
  | "statementDuration"
  | "walArchiveSeconds"
  | "baseBackupSeconds"
  | "certificateEnd"
>;

/** Services whose database is asked already, by the metrics that say so. */
const watched = new WeakMap<object, Set<string>>();

/**
 * Measures a pool's use, waits and statements, and traces them. Several pools of one service are added up; by the first of
 * them it is known whether the database answers.
 */
export function observePool(pool: pg.Pool, service: string, metrics: ObservedMetrics, tracer?: Tracer): void {
  tracePool(pool, tracer);
  const labels = { service };
  metrics.poolInUse.ask(labels, () => pool.totalCount - pool.idleCount);
  metrics.poolWaiting.ask(labels, () => pool.waitingCount);
  metrics.poolSize.ask(labels, () => pool.options.max);
  measureWaits(pool, (seconds) => metrics.poolWaitDuration.observe(labels, seconds));
  const server = servers.get(metrics) ?? { end: undefined };
  servers.set(metrics, server);
  pool.on("connect", (client) => {
    server.end = certificateEndOf(client) ?? server.end;
  });
  let answeredAt = Number.NEGATIVE_INFINITY;
  measureStatements(pool, (statement, seconds, isAnswered) => {
    metrics.statementDuration.observe({ service, statement }, seconds);
    if (isAnswered) answeredAt = performance.now();
  });
  const known = watched.get(metrics) ?? new Set();
  watched.set(metrics, known);
  if (known.has(service)) return;
  const isFirst = known.size === 0;
  known.add(service);
  metrics.databaseUp.ask(labels, async () => {
    // A busy database need not be asked.
    if (performance.now() - answeredAt < recentMs) return 1;
    return (await answersInTime(pool)) ? 1 : 0;
  });
  if (!isFirst) return;
  metrics.walArchiveSeconds.ask({}, () => readArchiveAge(pool));
  metrics.baseBackupSeconds.ask({}, () => readBackupAge(pool));
  metrics.certificateEnd.ask({ certificate: "database" }, () => server.end);
}

/** When the certificate ends that the database has shown to the latest connection of any pool, by the metrics. */
const servers = new WeakMap<object, { end: number | undefined }>();

/** In seconds since 1970; undefined without TLS. */
function certificateEndOf(client: object): number | undefined {
  const { connection } = client as { readonly connection?: { readonly stream?: object } };
  return peerCertificateEnd(connection?.stream);
}

const recentMs = 5_000;
/** Whoever waits longer for a single row calls it down. */
const probeMs = 2_000;

async function answersInTime(pool: pg.Pool): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, probeMs, false);
  });
  const answered = pool.query({ name: "probe", text: "select 1" }).then(
    () => true,
    () => false,
  );
  return Promise.race([answered, late]).finally(() => clearTimeout(timer));
}

/** A server without an archive says nothing; one that has archived nothing yet has had to since it began. */
async function readArchiveAge(pool: pg.Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ seconds: number | null }>({
    name: "archive-age",
    text: `select extract(epoch from clock_timestamp() - coalesce(last_archived_time, pg_postmaster_start_time()))::float8 as seconds
      from pg_stat_archiver where current_setting('archive_mode') <> 'off'`,
  });
  return rows[0]?.seconds ?? undefined;
}

/**
 * The server does not remember when it was backed up: whoever does it notes the time, as a setting of the database that
 * means nothing to the server. Absent as long as nobody has; none at all when somebody else watches over backups. Not cast by
 * the database: somebody may have noted anything.
 */
async function readBackupAge(pool: pg.Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ noted: string; now: Date }>({
    name: "backup-age",
    text: `select split_part(one, '=', 2) as noted, clock_timestamp() as now
      from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase, unnest(s.setconfig) one
      where d.datname = current_database() and s.setrole = 0 and one like 'assent.base_backup=%'`,
  });
  const [row] = rows;
  if (row?.noted === "elsewhere") return 0;
  const at = Date.parse(row?.noted ?? "");
  return row === undefined || Number.isNaN(at) ? undefined : (row.now.getTime() - at) / 1_000;
}

type Callback = (...answer: unknown[]) => void;
type Call = (...args: unknown[]) => unknown;

/** From when a caller asks for a connection until it has one or is told that there is none. */
function measureWaits(pool: pg.Pool, note: (seconds: number) => void): void {
  const connect = pool.connect.bind(pool) as Call;
  pool.connect = ((callback?: Callback) => {
    const began = performance.now();
    const end = (): void => note((performance.now() - began) / 1_000);
    if (callback === undefined) return watchEnd(connect(), end, end);
    return connect((...answer: unknown[]) => {
      end();
      callback(...answer);
    });
  }) as typeof pool.connect;
}

/** Names of statements are written in the code, some with the name of a schema; a defect must not make more of them. */
const statementNames = boundedNames(150);

const verbs = ["select", "insert", "update", "delete", "with", "begin", "commit", "rollback"];
const verbPattern = /^\s*([a-z]{1,20})\b/i;

/** The label of a statement: one of a number of names, or of these few words. */
function labelOf(query: unknown): string | undefined {
  const statement = statementOf(query);
  if (statement === undefined) return undefined;
  if (statement.name !== undefined) return statementNames(statement.name);
  const verb = verbPattern.exec(statement.text)?.[1]?.toLowerCase() ?? "";
  return verbs.includes(verb) ? verb : "other";
}

type NoteStatement = (statement: string, seconds: number, isAnswered: boolean) => void;

function measureStatements(pool: pg.Pool, note: NoteStatement): void {
  pool.on("connect", (client) => {
    const target = client as unknown as { query: Call };
    const query = target.query.bind(client);
    target.query = (...args) => {
      const statement = labelOf(args[0]);
      if (statement === undefined) return query(...args);
      const began = performance.now();
      const end = (error?: unknown): void => note(statement, (performance.now() - began) / 1_000, !error);
      const last = args.at(-1);
      if (typeof last !== "function") return watchEnd(query(...args), () => end(), end);
      const called: Callback = (error, ...rest) => {
        end(error);
        (last as Callback)(error, ...rest);
      };
      return query(...args.slice(0, -1), called);
    };
  });
}

/** The same promise: who made it hears of its failure, and nobody else has to. */
function watchEnd(promise: unknown, onEnd: () => void, onFailure: (error: unknown) => void): unknown {
  (promise as Partial<Promise<unknown>> | undefined)?.then?.(onEnd, onFailure);
  return promise;
}
