import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { isTransient } from "#platform/db/errors.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import type { Worker } from "#platform/periodic.ts";
import { createPeriodicWorker } from "#platform/periodic.ts";
import { type IntegrateDeps, integrateLog, LogMismatchError } from "./integrate-log.ts";
import { type DirtyLog, findDirtyLogs, readLeaves } from "./integrate-store.ts";
import { integrationMs } from "./leaf.ts";

export interface Integrator extends Worker {
  /** Says that leaves were added to this organization's log, after their commit. Costs next to nothing. */
  touched(organizationId: string): void;
}

export interface IntegratorDeps extends IntegrateDeps {
  readonly logger: Logger;
}

/** A log gets at most one checkpoint in this time, unless it has more leaves than one transaction takes. */
const roundMs = 1_000;
/** How often all logs are looked at, for what other processes have left behind. */
const lookMs = 5_000;
/** After a long round, as with very many organizations, requests come first: it rests for three times as long, at most this. */
const maxRestMs = 3_000;
/** How often the error of a log that cannot be integrated is logged. */
const repeatMs = 60_000;

/**
 * Builds the trees of the organizations' logs and publishes their checkpoints: a second after a leaf was recorded by
 * this process, a few seconds after other processes left one. Any number of processes may do it at the same time.
 */
export function createIntegrator(deps: IntegratorDeps): Integrator {
  const dirty = new Set<string>();
  const watch = createLogWatch(deps);
  const refusals = createRefusals(deps);
  let lookedAt = Number.NEGATIVE_INFINITY;
  let restUntil = 0;
  let stopping = false;

  /** True when the log has more leaves than one transaction takes. */
  const integrate = async (logId: string): Promise<boolean> => {
    try {
      const outcome = await integrateLog(deps, logId);
      refusals.lift(logId);
      return outcome.kind === "published" && outcome.more;
    } catch (error) {
      if (!(error instanceof LogMismatchError)) throw error;
      refusals.refuse(logId, error);
      return false;
    }
  };
  const integrateAll = async (): Promise<void> => {
    const waiting = [...dirty];
    dirty.clear();
    // Logs with very many leaves come in turn, so that they do not keep the others waiting.
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
    if (startedAt - lookedAt >= lookMs) {
      for (const logId of await watch.look()) dirty.add(logId);
      lookedAt = startedAt;
    }
    await integrateAll();
    const now = performance.now();
    restUntil = now + Math.min(maxRestMs, 3 * (now - startedAt));
  };
  const worker = createPeriodicWorker({
    name: "integrator click",
    everyMs: roundMs,
    logger: deps.logger,
    run: () => unlessAway(round, deps.logger),
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

/** An outage of the database is left to those who need an answer; what was missed comes afterwards. */
export async function unlessAway(work: () => Promise<void>, logger: Logger): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isTransient(error)) throw error;
    logger.debug({ err: error }, "logs are not integrated while the database is away");
  }
}

/** Logs that contradict themselves are looked at again now and then, but not each time that a leaf comes. */
function createRefusals({ logger, metrics }: IntegratorDeps) {
  const loggedAt = new Map<string, number>();
  const measure = (): void => metrics.logsRefused.set({ log: "organization" }, loggedAt.size);
  return {
    has: (logId: string): boolean => loggedAt.has(logId),
    refuse: (logId: string, error: LogMismatchError): void => {
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
   * Looks at the logs of all organizations: measures how many leaves wait and for how long, raises the alarm for those
   * whose promise (integrateBy) is broken, and gives the logs that must be integrated.
   */
  look(): Promise<string[]>;
}

/** Logs in one look at most; the rest comes when these are done. */
const logsPerLook = 10_000;
/** Leaves that are this young need no closer look: their ids are enough. */
const youngMs = 5_000;
/** Leaves at most that are read to know their times better; those of logs longest without a checkpoint come first. */
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
      report(new Map([...times].filter(([, time]) => now - time.getTime() > integrationMs)));
      return dirty.map((log) => log.organizationId);
    },
  };
}

/** Since when each log has had leaves that wait; logs for which there was no time to find out are left out. */
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
 * When a leaf was recorded. The leaf says it itself, but for a publication the time is that of the event, which may have
 * been noted long after it; ids of records say it too, but that of a completion is its session's, made before. So the later
 * one of both counts. Undefined when neither tells.
 */
export function leafTime(recordId: string, leaf?: Buffer): Date | undefined {
  const times = [idTime(recordId), ...(leaf === undefined ? [] : statedTimes(leaf))];
  const latest = Math.max(...times.filter((time) => !Number.isNaN(time)));
  return Number.isFinite(latest) ? new Date(latest) : undefined;
}

/** The time in a UUIDv7 (RFC 9562 §5.7) in milliseconds; NaN for other ids. */
const idTime = (id: string): number =>
  id[14] === "7" ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : Number.NaN;

/** What the kinds of leaves call it. */
const timeNames = ["acceptedAt", "recordedAt", "completedAt", "publishedAt", "requestedAt", "openedAt"];

function statedTimes(leaf: Buffer): number[] {
  const payload = parse(leaf);
  return timeNames.flatMap((name) => (typeof payload[name] === "string" ? [Date.parse(payload[name])] : []));
}

/** Whoever watches the logs must not stumble over a leaf that somebody spoiled. */
function parse(leaf: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(leaf.toString());
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
