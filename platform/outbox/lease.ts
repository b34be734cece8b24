import type pg from "pg";
import { identifier } from "../db/ddl.ts";
import type { Logger } from "../logger.ts";

export interface Lease {
  /** True when nobody else can have the lease at this moment. */
  isHeld(): boolean;
  /** Takes the lease if it is free or has run out, and keeps it from then on. */
  acquire(): Promise<boolean>;
  release(): Promise<void>;
  /** How long to wait before asking again for a lease that another one has. */
  readonly retryMs: number;
}

const name = "relay";

/**
 * A lease in the service's database, measured by its clock. A row, because session locks do not survive poolers that
 * share sessions. Renewed at a third of its time; `isHeld` turns false early enough to finish what was begun.
 */
export function createLease(
  pool: pg.Pool,
  schemaName: string,
  options: { holder: string; leaseMs: number; logger: Logger },
): Lease {
  const { holder, leaseMs, logger } = options;
  const table = `${identifier(schemaName)}.relay_lease`;
  const renewMs = leaseMs / 3;
  let heldUntil = Number.NEGATIVE_INFINITY;
  let renewal: NodeJS.Timeout | undefined;
  let renewing: Promise<void> = Promise.resolve();

  const take = async (): Promise<boolean> => {
    const asked = performance.now();
    const taken = await pool.query(takeSql(table), [name, holder, leaseMs / 1000]);
    // The margin is for what is under way when the time is up; it counts from before the question was sent.
    heldUntil = taken.rowCount === 1 ? asked + leaseMs - renewMs : Number.NEGATIVE_INFINITY;
    return taken.rowCount === 1;
  };
  const stopRenewal = (): void => {
    clearInterval(renewal);
    renewal = undefined;
  };
  const renew = async (): Promise<void> => {
    try {
      if (!(await take())) stopRenewal();
    } catch (error) {
      logger.debug({ schema: schemaName, err: error }, "the relay's lease could not be renewed");
    }
  };
  return {
    retryMs: renewMs,
    isHeld: () => performance.now() < heldUntil,
    acquire: async () => {
      const taken = await take();
      if (taken) {
        renewal ??= setInterval(() => {
          renewing = renew();
        }, renewMs).unref();
      }
      return taken;
    },
    release: async () => {
      stopRenewal();
      // A renewal under way would take back what is given up.
      await renewing;
      heldUntil = Number.NEGATIVE_INFINITY;
      try {
        await pool.query(`delete from ${table} where name = $1 and holder = $2`, [name, holder]);
      } catch (error) {
        logger.debug({ schema: schemaName, err: error }, "the relay's lease runs out by itself");
      }
    },
  };
}

const takeSql = (table: string): string =>
  `insert into ${table} as l (name, holder, expires_at)
   values ($1, $2, clock_timestamp() + make_interval(secs => $3))
   on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
   where l.holder = excluded.holder or l.expires_at < clock_timestamp()`;
