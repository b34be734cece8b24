import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Clock } from "../clock.ts";
import { identifier } from "../db/ddl.ts";
import type { EventBus } from "../events/bus.ts";
import { createNudges } from "../events/nudges.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../metrics.ts";
import { createPauses, type Worker } from "../periodic.ts";
import { compareNudge, numberOf } from "./epochs.ts";
import { createOutboxReader, type OutboxRow } from "./outbox-reader.ts";

export interface RelayOptions {
  /** Connects as the relay role. May have synchronousCommit off: what a crash forgets to have published is published again. */
  readonly pool: pg.Pool;
  readonly schema: string;
  /** Label of the metrics. */
  readonly service: string;
  readonly bus: EventBus;
  /** Decides which published rows are old enough to be deleted, and measures the lag. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Default 200. */
  readonly batchSize?: number;
  /**
   * How soon the outbox is looked at again when nobody wakes the relay; up to four times as long once there was nothing for a
   * while. Milliseconds, default 250.
   */
  readonly pollMs?: number;
  /** Another relay takes over when this one has not been heard of for so long. Milliseconds, default 15000. */
  readonly leaseMs?: number;
}

export interface Relay extends Worker {
  /**
   * Has the outbox looked at at once, by another process if that has the lease; call it after a commit that wrote to it.
   * Cheap.
   */
  wake(): void;
}

/**
 * Between rounds that found less than a batch, so that a busy service publishes in large batches. Costs an event at most
 * this much delay; measured at 3,900 commits a second it halves what the relay costs the database.
 */
const gatherMs = 20;
/** Between two messages of a process to the one that has the lease. */
const nudgeMs = 20;
const housekeepingMs = 60_000;
const maxPauseMs = 5_000;

/**
 * Publishes the outbox of one service to the bus: every row at least once, in the order of their positions as far as they
 * are committed in it, by one active relay however many run. Rows are kept for 7 days, and published again when the bus has lost them.
 */
export function createRelay(options: RelayOptions): Relay {
  const { logger, service, pollMs = 250, leaseMs = 15_000 } = options;
  const lease = createLease(options.pool, options.schema, { holder: randomUUID(), leaseMs, logger });
  const asked = { isAsked: false };
  const publishSome = createRounds(options, lease, asked);
  const bell = createBell();
  const nudges = createNudges(options.bus, `relay-${options.schema}`, nudgeMs);
  const pauses = createPauses(pollMs);
  let stopped = true;
  let running = Promise.resolve();
  let leave: (() => void) | undefined;

  const loop = async (): Promise<void> => {
    let failures = 0;
    while (!stopped) {
      try {
        const found = await publishSome();
        if (failures > 0) logger.info({ outbox: service }, "the outbox relay works again");
        failures = 0;
        if (found !== "none") pauses.shorten();
        if (found !== "more") {
          const isRung = await bell.wait(lease.isHeld() ? pauses.next() : lease.retryMs);
          if (isRung) pauses.shorten();
          if (!stopped) await delay(gatherMs);
        }
      } catch (error) {
        failures += 1;
        // Outages last; one line says that one began.
        const level = failures === 1 ? "warn" : "debug";
        logger[level]({ outbox: service, err: error }, "the outbox relay failed and will try again");
        if (!stopped) await bell.wait(Math.min(maxPauseMs, pollMs * 2 ** Math.min(failures - 1, 10)));
      }
    }
  };
  return {
    name: `relay ${service}`,
    wake: () => {
      bell.ring();
      if (!lease.isHeld()) nudges.tell();
    },
    start: async () => {
      if (!stopped) return;
      stopped = false;
      nudges.listen(() => {
        if (lease.isHeld()) bell.ring();
      });
      leave = options.bus.onNudge?.(compareNudge(service), () => {
        asked.isAsked = true;
        bell.ring();
      });
      running = loop();
    },
    stop: async () => {
      stopped = true;
      nudges.stop();
      leave?.();
      bell.ring();
      await running;
      await lease.release();
    },
  };
}

/** What a round published: nothing, something, or so much that there may be more. */
type Found = "none" | "some" | "more";

function createRounds(options: RelayOptions, lease: Lease, asked: { isAsked: boolean }): () => Promise<Found> {
  const { bus, clock, logger, metrics, service, batchSize = 200 } = options;
  const reader = createOutboxReader(options.pool, options.schema);
  const housekeeping = every(housekeepingMs);
  let replayed = bus.volatile !== true;
  let knownStore: string | undefined;
  let knownSetbacks = bus.setbacks?.() ?? 0;
  /** Whether what the bus and the database know was compared since either may have become another one. */
  let isSettled = false;

  const look = async (): Promise<readonly OutboxRow[] | undefined> => {
    const rows = await reader.unpublished(batchSize);
    if (rows === undefined) return undefined;
    const oldest = rows[0]?.createdAt ?? clock.now();
    metrics.outboxLagSeconds.set({ service }, Math.max(0, (clock.now().getTime() - oldest.getTime()) / 1000));
    return rows;
  };
  /** Publishes again what a lost bus has lost with it. Consumers know by their inbox what they have had. */
  const catchUp = async (): Promise<void> => {
    if (!replayed) await reader.rewindLatest();
    replayed = true;
    const store = bus.storeId?.();
    if (store === undefined || store === knownStore) return;
    if (await reader.rewindWhenStoreChanged(store)) {
      logger.warn({ outbox: service }, "the bus has lost its events; publishing those of the last days again");
    }
    knownStore = store;
  };
  /** Publishes again what consumers have lost with the database, although the bus has it as handled. */
  const settle = async (): Promise<void> => {
    const { isAsked } = asked;
    const newest = (await bus.newestMark?.(service)) ?? "unknown";
    await catchUp();
    const setbacks = bus.setbacks?.() ?? 0;
    const { epoch, begun } = await reader.settle(newest, setbacks > knownSetbacks);
    knownSetbacks = setbacks;
    if (begun !== undefined) {
      const known = reader.markOf(service, []);
      logger.warn(
        { outbox: service, epoch, reason: begun, newest, known },
        "a new epoch of events: publishing them again",
      );
    }
    metrics.outboxEpoch.set({ service }, numberOf(epoch));
    const start = isAsked ? { service, epoch, position: 0, eventId: "" } : undefined;
    const mark = reader.markOf(service, []) ?? start;
    const isTold = typeof newest !== "string" && newest.epoch === epoch && !isAsked;
    if (!isTold && mark !== undefined && bus.newestMark !== undefined) await bus.publish([], mark);
    if (isAsked) asked.isAsked = false;
  };
  const publishBatch = async (): Promise<Found> => {
    const rows = await look();
    isSettled &&= rows !== undefined;
    if (rows === undefined) return "more";
    if (rows.length === 0 || !lease.isHeld()) return "none";
    await bus.publish(rows, reader.markOf(service, rows));
    if ((bus.setbacks?.() ?? 0) !== knownSetbacks) {
      isSettled = false;
      return "more";
    }
    await reader.markPublished();
    metrics.outboxPublished.inc({ service }, rows.length);
    return rows.length === batchSize ? "more" : "some";
  };
  const round = async (): Promise<Found> => {
    const isTakeover = !lease.isHeld();
    if (isTakeover && !(await lease.acquire())) return "none";
    isSettled &&= !isTakeover && !asked.isAsked && (bus.setbacks?.() ?? 0) === knownSetbacks;
    if (!isSettled) {
      await reader.resume(isTakeover);
      // The lag is measured during an outage of the bus too.
      await look();
    }
    if (isSettled) await catchUp();
    else await settle();
    isSettled = true;
    const found = await publishBatch();
    if (housekeeping.isDue()) await reader.deletePublished(clock.now());
    return found;
  };
  return async () => {
    try {
      return await round();
    } catch (error) {
      // The database or the bus that comes back may be an older one.
      isSettled = false;
      throw error;
    }
  };
}

/** Wakes one waiter; a ring that nobody waits for is kept for the next. */
function createBell() {
  let rung = false;
  let wakeWaiter: (() => void) | undefined;
  return {
    ring: (): void => {
      rung = true;
      wakeWaiter?.();
    },
    /** True when it was rung, false when the time was up. */
    wait: async (timeoutMs: number): Promise<boolean> => {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wakeWaiter = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wakeWaiter = undefined;
      const wasRung = rung;
      rung = false;
      return wasRung;
    },
  };
}

function every(intervalMs: number) {
  let last = Number.NEGATIVE_INFINITY;
  return {
    isDue: (): boolean => {
      const now = performance.now();
      if (now - last < intervalMs) return false;
      last = now;
      return true;
    },
  };
}

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
