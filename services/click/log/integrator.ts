import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { isTransient } from "#platform/db/errors.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { createPeriodicWorker, type Worker } from "#platform/periodic.ts";
import { WitnessError } from "#platform/transparency/witness.ts";
import { countEpochs } from "./epoch-store.ts";
import { LogWentBackError } from "./epochs.ts";
import { type IntegrateDeps, integrateLog, LogMismatchError } from "./integrate-log.ts";
import { type DirtyLog, findDirtyLogs, readLeaves } from "./integrate-store.ts";
import { idTime, integrationMs } from "./leaf.ts";

export interface Integrator extends Worker {
  /** Announces, after the commit, that leaves were added to the organization's log. Very cheap. */
  touched(organizationId: string): void;
}

export interface IntegratorDeps extends IntegrateDeps {
  readonly logger: Logger;
  /** Opens a new epoch of a log that went back; undefined when another process did. */
  openEpoch?(logId: string): Promise<number | undefined>;
  /** Compares all logs with the witness, until that was done once, and whenever either is another one. */
  compared?(): Promise<unknown>;
}

/** The minimum time between two checkpoints of a log, unless more leaves remain than fit into one transaction. */
const roundMs = 1_000;
/** How often all logs are checked for leaves from other processes. */
const lookMs = 5_000;
/**
 * After a long round, as with very many organizations, pause for three times as long, up to this limit, so that
 * requests come first.
 */
const maxRestMs = 3_000;
/** How often the error of a broken log is logged again. */
const repeatMs = 60_000;

/**
 * Builds the trees of the organizations' logs and publishes their checkpoints: a second after a leaf of this
 * process, a few seconds after one of another process. Concurrent processes are safe.
 */
export function createIntegrator(deps: IntegratorDeps): Integrator {
  const dirty = new Set<string>();
  const watch = createLogWatch(deps);
  const refusals = createRefusals(deps);
  let lookedAt = Number.NEGATIVE_INFINITY;
  let restUntil = 0;
  let stopping = false;

  /** True when more leaves remain than fit into one transaction. */
  const integrate = async (logId: string): Promise<boolean> => {
    try {
      const outcome = await integrateLog(deps, logId);
      refusals.lift(logId);
      return outcome.kind === "published" && outcome.more;
    } catch (error) {
      if (error instanceof LogWentBackError) return (await deps.openEpoch?.(logId)) !== undefined;
      const isOfLog = error instanceof LogMismatchError || (error instanceof WitnessError && error.logId !== undefined);
      if (!isOfLog) throw error;
      refusals.refuse(logId, error);
      return false;
    }
  };
  const integrateAll = async (): Promise<void> => {
    const waiting = [...dirty];
    dirty.clear();
    // Logs with very many leaves go to the back of the queue after each transaction, so that others need not
    // wait.
    for (let logId = waiting.shift(); logId !== undefined && !stopping; logId = waiting.shift()) {
      try {
        if (await integrate(logId)) waiting.push(logId);
      } catch (error) {
        for (const left of [...waiting, logId]) dirty.add(left);
        throw error;
      }
    }
  };
  const round = async (): Promise<void> => {
    const startedAt = performance.now();
    if (startedAt < restUntil) return;
    await deps.compared?.();
    if (startedAt - lookedAt >= lookMs) {
      for (const logId of await watch.look()) dirty.add(logId);
      lookedAt = startedAt;
    }
    // Also while no log grows: an empty witness is to be known before the database goes back.
    await deps.memory?.recognise();
    await integrateAll();
    const now = performance.now();
    restUntil = now + Math.min(maxRestMs, 3 * (now - startedAt));
  };
  const worker = createPeriodicWorker({
    name: "integrator click",
    everyMs: roundMs,
    logger: deps.logger,
    run: () => unlessAway(round, deps),
  });
  return {
    name: worker.name,
    touched: (organizationId) => {
      if (!refusals.has(organizationId)) dirty.add(organizationId);
    },
    start: () => {
      stopping = false;
      return worker.start();
    },
    stop: () => {
      stopping = true;
      return worker.stop();
    },
  };
}

/**
 * Database outages are reported by the requests they affect; the integrator catches up afterwards. While the witness
 * is away nothing is signed either, which the log and a metric say.
 */
export async function unlessAway(
  work: () => Promise<void>,
  { logger, metrics, memory }: Pick<IntegratorDeps, "logger" | "metrics" | "memory">,
): Promise<void> {
  try {
    await work();
    // A round without new leaves has written nothing to the witness.
    metrics.logWitnessFailing.set(memory?.last.isAway === true || memory?.last.isUnknown === true ? 1 : 0);
  } catch (error) {
    if (error instanceof WitnessError) {
      // Whether it is the right one is found out in each round, and whether it is away by who writes to it.
      if (memory?.last.isUnknown === false) memory.last.isAway = true;
      metrics.logWitnessFailing.set(1);
      logger.error({ err: error }, "the witness of the logs cannot be used: no checkpoint is signed");
    } else if (isTransient(error)) logger.debug({ err: error }, "logs are not integrated while the database is away");
    else throw error;
  }
}

/** Inconsistent logs are retried now and then, but not for every new leaf. */
function createRefusals({ logger, metrics }: IntegratorDeps) {
  const loggedAt = new Map<string, number>();
  const measure = (): void => metrics.logsRefused.set({ log: "organization" }, loggedAt.size);
  return {
    has: (logId: string): boolean => loggedAt.has(logId),
    refuse: (logId: string, error: Error): void => {
      const now = performance.now();
      if (now - (loggedAt.get(logId) ?? Number.NEGATIVE_INFINITY) < repeatMs) return;
      logger.error({ organizationId: logId, err: error }, "the log contradicts its tree: no checkpoint is signed");
      loggedAt.set(logId, now);
      measure();
    },
    lift: (logId: string): void => {
      if (loggedAt.delete(logId)) measure();
    },
  };
}

interface WatchDeps {
  /** Connects as the integrator. */
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

interface LogWatch {
  /**
   * Checks the logs of all organizations: measures how many leaves wait and for how long, logs an error when a
   * promise (integrateBy) is broken, and returns the logs to integrate.
   */
  look(): Promise<string[]>;
}

/** The limit of logs in one check; the rest follows when these are done. */
const logsPerLook = 10_000;
/** For leaves this young the time in their ids is precise enough. */
const youngMs = 5_000;
/** The limit of leaves read for a precise time, from logs longest without a checkpoint first. */
const leavesPerLook = 200;

export function createLogWatch(deps: WatchDeps): LogWatch {
  let overdue: ReadonlySet<string> = new Set();

  const report = (late: ReadonlyMap<string, Date>): void => {
    for (const [organizationId, recordedAt] of late) {
      if (overdue.has(organizationId)) continue;
      deps.logger.error(
        { organizationId, recordedAt },
        "a leaf is not in its log's tree although its receipt promises it",
      );
    }
    for (const organizationId of overdue) {
      if (!late.has(organizationId))
        deps.logger.info({ organizationId }, "the log has caught up with what was promised");
    }
    overdue = new Set(late.keys());
    deps.metrics.logsOverdue.set(late.size);
  };
  return {
    look: async () => {
      const dirty = await findDirtyLogs(deps.pool, logsPerLook);
      const times = await oldestTimes(deps, dirty);
      const now = deps.clock.now().getTime();
      const waiting = dirty.reduce((sum, log) => sum + Math.max(0, log.leaves - log.treeSize), 0);
      const oldest = Math.min(now, ...[...times.values()].map((time) => time.getTime()));
      deps.metrics.logLeavesWaiting.set(waiting);
      deps.metrics.logOldestLeafSeconds.set((now - oldest) / 1000);
      deps.metrics.logEpochsUnconfirmed.set((await countEpochs(deps.pool)).unconfirmed);
      report(new Map([...times].filter(([, time]) => now - time.getTime() > integrationMs)));
      return dirty.map((log) => log.organizationId);
    },
  };
}

/** Since when each log has waiting leaves; logs that could not be checked in time are left out. */
async function oldestTimes({ pool, clock }: WatchDeps, dirty: readonly DirtyLog[]): Promise<Map<string, Date>> {
  const now = clock.now().getTime();
  const next = dirty.flatMap(({ organizationId, nextRecordId: recordId }) =>
    recordId === null ? [] : [{ organizationId, recordId, time: leafTime(recordId) }],
  );
  const isYoung = ({ time }: { time: Date | undefined }): boolean =>
    time !== undefined && now - time.getTime() <= youngMs;
  const young = next.filter(isYoung);
  const others = next.filter((leaf) => !isYoung(leaf)).slice(0, leavesPerLook);
  const leaves = others.length === 0 ? new Map<string, Buffer>() : await readLeaves(pool, others);
  const read = others.map((leaf) => ({ ...leaf, time: leafTime(leaf.recordId, leaves.get(leaf.recordId)) }));
  return new Map(
    [...young, ...read].flatMap(({ organizationId, time }) => (time === undefined ? [] : [[organizationId, time]])),
  );
}

/**
 * When a leaf was recorded. The leaf states a time, but for a publication it is that of the event, which may
 * have been recorded much later; the record id contains a time too, but a completion uses its session's id,
 * which is older. So the later of both counts. Undefined when there is neither.
 */
export function leafTime(recordId: string, leaf?: Buffer): Date | undefined {
  const times = [idTime(recordId), ...(leaf === undefined ? [] : statedTimes(leaf))];
  const latest = Math.max(...times.filter((time) => !Number.isNaN(time)));
  return Number.isFinite(latest) ? new Date(latest) : undefined;
}

/** The time members of the different kinds of leaves. */
const timeNames = ["acceptedAt", "recordedAt", "completedAt", "publishedAt", "requestedAt", "openedAt"];

function statedTimes(leaf: Buffer): number[] {
  const payload = parse(leaf);
  return timeNames.flatMap((name) => (typeof payload[name] === "string" ? [Date.parse(payload[name])] : []));
}

/** A leaf that somebody has damaged must not stop the monitoring. */
function parse(leaf: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(leaf.toString());
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
