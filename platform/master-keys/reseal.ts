import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { identifier } from "../db/ddl.ts";
import { isTransient } from "../db/errors.ts";
import { withTransaction } from "../db/pool.ts";
import type { Logger } from "../logger.ts";
import { createPeriodicWorker, type Worker } from "../periodic.ts";
import { type KeyRing, keyId, resealed } from "../secrets.ts";
import { hashKeyContext } from "./hash-key.ts";

// biome-ignore lint/suspicious/noExplicitAny: a row has the columns that its SealedColumn asks for
type Row = any;

/** A column with sealed values, and how one of them is sealed anew. */
export interface SealedColumn {
  /** With its schema. */
  readonly table: string;
  readonly column: string;
  /** The primary key in its order, with the types. */
  readonly key: Readonly<Record<string, string>>;
  /** What else `reseal` needs of a row: columns of the table `t` and of what is joined to it. */
  readonly select?: string;
  readonly join?: string;
  /** Undefined when it is sealed with the newest key already. Throws when it opens with none. */
  reseal(row: Row, sealed: Buffer): Buffer | undefined;
}

/** How far the sealing is with the newest master key. */
export interface ResealState {
  readonly service: string;
  /** Of the keys that this process has, the one that seals first (keyId). */
  readonly keyIds: readonly string[];
  /** The latest run; undefined before the first one. */
  readonly run: ResealRun | undefined;
}

export interface ResealRun {
  readonly keyId: string;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  /** Values looked at, in all passes. */
  readonly seen: number;
  readonly resealed: number;
  /** Values that open with none of the keys, in the latest pass. */
  readonly unreadable: number;
}

/** Seals everything of a service with its newest master key, in the background. */
export interface Resealer {
  readonly service: string;
  /** Starts a run, or goes on with one that is not finished. */
  start(): Promise<ResealState>;
  state(): Promise<ResealState>;
  readonly worker: Worker;
}

export interface ResealerOptions {
  readonly service: string;
  readonly schema: string;
  /** Connects as the role of the service, and only looks whether there is something to do. */
  readonly pool: pg.Pool;
  /** Connects as the resealer's role; has no connection while there is nothing to do. */
  readonly resealerPool: pg.Pool;
  readonly masterKeys: KeyRing;
  readonly columns: readonly SealedColumn[];
  readonly logger: Logger;
}

/** Few enough that nobody waits for their rows. */
const batchSize = 100;
/** Runs that a process left are taken up by another so much later. */
const lookMs = 30_000;

/** The row with the key of the hashes. */
export const hashKeyColumn = (schema: string, masterKeys: KeyRing): SealedColumn => ({
  table: `${schema}.hash_key`,
  column: "sealed",
  key: { is_only: "boolean" },
  reseal: (_, sealed) => resealed(masterKeys, sealed, hashKeyContext),
});

/**
 * Goes over all columns, batch by batch, each in a transaction that also notes how far it has come: whoever is killed is
 * followed by another process, which goes on from there. Rows that somebody else is writing are left for the next pass, so
 * nobody waits for it and it waits for nobody. It is finished after a pass in which everything was sealed with the newest key
 * already: processes that still sealed with a former one while it ran are found.
 */
export function createResealer(options: ResealerOptions): Resealer {
  const { pool, resealerPool, service, masterKeys, columns, logger } = options;
  const runs = `${identifier(options.schema)}.reseal_run`;
  const newest = keyId(masterKeys[0]);
  let isStopping = false;

  const state = async (): Promise<ResealState> => {
    const { rows } = await pool.query<ResealRun>(
      `select key_id as "keyId", started_at as "startedAt", finished_at as "finishedAt", seen::float8, resealed::float8,
         unreadable::float8 from ${runs} order by id desc limit 1`,
    );
    return { service, keyIds: masterKeys.map(keyId), run: rows[0] };
  };

  /** False when there is nothing to do for this process. */
  const step = (): Promise<boolean> =>
    withTransaction(resealerPool, async (client) => {
      const { rows } = await client.query<Progress>(
        `select id, pass, position, is_clean as "isClean", unreadable::float8 from ${runs}
         where finished_at is null and key_id = $1 for update skip locked`,
        [newest],
      );
      const [run] = rows;
      if (run === undefined) return false;
      const { index, after } = run.position ?? { index: 0, after: null };
      const column = columns[index] as SealedColumn;
      const batch = await resealBatch(client, column, after, logger);
      const isPassOver = batch.last === null && index + 1 === columns.length;
      const isClean = run.isClean && batch.isClean;
      const isOver = isPassOver && isClean;
      const position = batch.last === null ? { index: index + 1, after: null } : { index, after: batch.last };
      await client.query(
        `update ${runs} set position = $2, pass = $3, is_clean = $4, seen = seen + $5, resealed = resealed + $6,
           unreadable = $7, finished_at = case when $8 then now() end where id = $1`,
        [
          run.id,
          isPassOver ? null : JSON.stringify(position),
          isPassOver && !isOver ? run.pass + 1 : run.pass,
          isPassOver ? true : isClean,
          batch.seen,
          batch.resealed,
          // Each pass counts them anew.
          batch.unreadable + (index === 0 && after === null ? 0 : run.unreadable),
          isOver,
        ],
      );
      if (isOver) logger.warn({ keyId: newest }, "everything is sealed with the newest master key");
      return !isOver;
    });

  const run = async (): Promise<void> => {
    try {
      const { rowCount } = await pool.query(`select from ${runs} where finished_at is null and key_id = $1`, [newest]);
      if (rowCount === 0) return;
      for (let began = Date.now(); !isStopping && (await step()); began = Date.now()) {
        // Half of one connection's time at the most.
        await delay(Date.now() - began);
      }
    } catch (error) {
      if (!isTransient(error)) throw error;
      logger.debug({ err: error }, "sealing anew goes on when the database is there again");
    }
  };
  const periodic = createPeriodicWorker({ name: `resealer ${service}`, everyMs: lookMs, logger, run });
  let kicked: Promise<void> = Promise.resolve();
  return {
    service,
    state,
    start: async () => {
      // A run for a key that is not the newest any more would never end.
      await resealerPool.query(`update ${runs} set finished_at = now() where finished_at is null and key_id <> $1`, [
        newest,
      ]);
      const { rowCount } = await resealerPool.query(
        `insert into ${runs} (key_id) values ($1) on conflict ((true)) where finished_at is null do nothing`,
        [newest],
      );
      if (rowCount === 1) logger.warn({ keyId: newest }, "everything is being sealed with the newest master key");
      kicked = kicked.then(run).catch((error: unknown) => logger.error({ err: error }, "sealing anew failed"));
      return state();
    },
    worker: {
      ...periodic,
      stop: async () => {
        isStopping = true;
        await periodic.stop();
        await kicked;
      },
    },
  };
}

interface Progress {
  readonly id: string;
  readonly pass: number;
  readonly position: { readonly index: number; readonly after: readonly unknown[] | null } | null;
  readonly isClean: boolean;
  readonly unreadable: number;
}

interface Batch {
  /** The key of the last row; null when the column has no more. */
  readonly last: readonly unknown[] | null;
  readonly seen: number;
  readonly resealed: number;
  readonly unreadable: number;
  /** Whether everything was sealed with the newest key. */
  readonly isClean: boolean;
}

async function resealBatch(
  client: pg.ClientBase,
  column: SealedColumn,
  after: readonly unknown[] | null,
  logger: Logger,
): Promise<Batch> {
  const names = Object.keys(column.key);
  const keys = names.map((name) => `t.${name}`).join(", ");
  const types = Object.values(column.key);
  const beyond = after === null ? "true" : `(${keys}) > (${types.map((type, i) => `$${i + 2}::${type}`).join(", ")})`;
  // Keys travel as text, so that times and big numbers come back as they are.
  const { rows } = await client.query<{ sealed: Buffer; at: string[] } & Row>(
    `select array[${names.map((name) => `t.${name}::text`).join(", ")}] as at, t.${column.column} as sealed
       ${column.select === undefined ? "" : `, ${column.select}`}
     from ${column.table} t ${column.join ?? ""}
     where t.${column.column} is not null and ${beyond} order by ${keys} limit $1`,
    [batchSize, ...(after ?? [])],
  );
  let [written, unreadable, isClean] = [0, 0, true];
  for (const row of rows) {
    const fresh = tryReseal(column, row, logger);
    if (fresh === undefined) continue;
    if (fresh === null) {
      unreadable += 1;
      continue;
    }
    isClean = false;
    // Not when somebody holds the row, nor when it has been erased or written meanwhile.
    const where = names.map((name, i) => `t.${name} = $${i + 2}::${types[i]}`).join(" and ");
    const same = `${where} and t.${column.column} = $1`;
    const values = [row.sealed, ...row.at];
    const free = await client.query(`select from ${column.table} t where ${same} for update skip locked`, values);
    if (free.rowCount === 0) continue;
    await client.query(`update ${column.table} t set ${column.column} = $${values.length + 1} where ${same}`, [
      ...values,
      fresh,
    ]);
    written += 1;
  }
  const last = rows.length < batchSize ? null : (rows.at(-1)?.at ?? null);
  return { last, seen: rows.length, resealed: written, unreadable, isClean };
}

/** Null when it opens with none of the keys. */
function tryReseal(column: SealedColumn, row: Row, logger: Logger): Buffer | undefined | null {
  try {
    return column.reseal(row, row.sealed);
  } catch (error) {
    const { table, column: name } = column;
    logger.warn(
      { err: error, table, column: name, at: row.at },
      "what is sealed here opens with none of the master keys",
    );
    return null;
  }
}
