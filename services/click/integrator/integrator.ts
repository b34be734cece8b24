import { isTransient } from "#platform/db/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { createPeriodicWorker } from "#platform/periodic.ts";
import type { Worker } from "#platform/service.ts";
import { LogMismatchError } from "./check-growth.ts";
import { type IntegrateDeps, integrateLog } from "./integrate-log.ts";
import { createLogWatch } from "./watch-logs.ts";

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
