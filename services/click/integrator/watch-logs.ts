import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { integrationMs } from "../log/leaf.ts";
import { type DirtyLog, findDirtyLogs, readLeaves } from "../store/integrate-store.ts";
import { leafTime } from "./leaf-time.ts";

export interface WatchDeps {
  /** Connects as the integrator. */
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export interface LogWatch {
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
