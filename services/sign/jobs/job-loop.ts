import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { Logger } from "#platform/logger.ts";
import type { Worker } from "#platform/periodic.ts";
import { detached, noopTracer, type Tracer, traced } from "#platform/telemetry.ts";
import type { JobKind } from "../agreement/change.ts";
import {
  type Claimed,
  claimJobs,
  findDueKinds,
  giveUp,
  putOff,
  readClaimed,
  removeJob,
  renewClaims,
} from "./claim-store.ts";
import type { Hold, Job, JobHandler } from "./job.ts";

export interface JobLoop extends Worker {
  /** Announces possible work. */
  wake(): void;
}

export interface JobLoopDeps {
  readonly pool: pg.Pool;
  /** Connects as the role that finds due jobs of all organizations. */
  readonly claimerPool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly handlers: Readonly<Partial<Record<JobKind, JobHandler>>>;
  readonly tracer?: Tracer | undefined;
}

/** How often to look for jobs that other processes have created or dropped. */
const pollMs = 500;
const renewMs = 20_000;

/**
 * Runs due jobs, with separate capacity for each kind so that none blocks another. Any number of processes may
 * run it: a job belongs to the process that holds its claim and renews the lease.
 */
export function createJobLoop(deps: JobLoopDeps): JobLoop {
  const { logger } = deps;
  const handlers = new Map(Object.entries(deps.handlers) as [JobKind, JobHandler][]);
  const running = new Map<string, Promise<void>>();
  const busy = new Map<JobKind, number>();
  let stopping = new AbortController();
  let timers: { readonly poll: NodeJS.Timeout; readonly renew: NodeJS.Timeout } | undefined;
  let looking: Promise<void> | undefined;
  let isWoken = false;
  let isRunning = false;

  const freePlaces = (kind: JobKind, handler: JobHandler): number => handler.concurrency - (busy.get(kind) ?? 0);

  const begin = (claimed: Claimed, handler: JobHandler): void => {
    busy.set(claimed.kind, (busy.get(claimed.kind) ?? 0) + 1);
    const done = runClaimed(deps, claimed, handler, stopping.signal)
      .catch((error: unknown) => logger.error({ err: error, kind: claimed.kind }, "a job could not be recorded"))
      .finally(() => {
        running.delete(claimed.claim);
        busy.set(claimed.kind, (busy.get(claimed.kind) ?? 1) - 1);
        wake();
      });
    running.set(claimed.claim, done);
  };

  /** One claim per job, to tell its lease from others of this process. */
  const fill = async (kind: JobKind, handler: JobHandler): Promise<void> => {
    while (isRunning && freePlaces(kind, handler) > 0) {
      const now = deps.clock.now();
      const [claimed] = await claimJobs(deps.claimerPool, { kind, limit: 1, now, claim: randomUUID() });
      if (claimed === undefined) return;
      begin(claimed, handler);
    }
  };

  const look = async (): Promise<void> => {
    do {
      isWoken = false;
      const free = [...handlers].filter(([kind, handler]) => freePlaces(kind, handler) > 0);
      const due = await findDueKinds(
        deps.claimerPool,
        free.map(([kind]) => kind),
        deps.clock.now(),
      );
      for (const [kind, handler] of free) if (due.includes(kind)) await fill(kind, handler);
    } while (isWoken && isRunning);
  };

  const wake = (): void => {
    isWoken = true;
    if (!isRunning || looking !== undefined) return;
    looking = detached(deps.tracer, look)
      .catch((error: unknown) => logger.error({ err: error }, "jobs could not be claimed"))
      .finally(() => {
        looking = undefined;
      });
  };

  const renew = (): void => {
    if (running.size === 0) return;
    renewClaims(deps.claimerPool, [...running.keys()]).catch((error: unknown) =>
      logger.warn({ err: error }, "leases of jobs could not be renewed"),
    );
  };

  return {
    name: "sign-jobs",
    wake,
    start: async () => {
      isRunning = true;
      stopping = new AbortController();
      timers = { poll: setInterval(wake, pollMs), renew: setInterval(renew, renewMs) };
      wake();
    },
    stop: async () => {
      isRunning = false;
      clearInterval(timers?.poll);
      stopping.abort();
      await looking;
      await Promise.all(running.values());
      // Running jobs keep their leases until then.
      clearInterval(timers?.renew);
    },
  };
}

async function runClaimed(
  { pool, clock, logger, tracer = noopTracer }: JobLoopDeps,
  claimed: Claimed,
  handler: JobHandler,
  signal: AbortSignal,
): Promise<void> {
  const inOrganization = <T>(work: (tenant: Tenant) => Promise<T>) => withOrg(pool, claimed.orgId, work);
  const job = await inOrganization((tenant) => readClaimed(tenant, claimed));
  if (job === undefined) return;
  let isEnded = false;
  const hold: Hold = {
    endIn: async (tenant) => {
      if (!(await removeJob(tenant, claimed))) throw new Error(`the job ${claimed.id} belongs to another process now`);
      isEnded = true;
    },
  };
  try {
    await tracedJob(tracer, job, async (within) => {
      const outcome = await handler.run(within, hold, signal);
      if (outcome.kind === "again") await inOrganization((tenant) => putOff(tenant, claimed, outcome.runAt));
      else if (!isEnded) await inOrganization((tenant) => removeJob(tenant, claimed));
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const { requestId, kind, agreementId, attempts } = job;
    logger.warn({ err: error, kind, agreementId, attempts, requestId }, "a job failed");
    const why = message.slice(0, 1_000);
    await inOrganization((tenant) =>
      attempts >= handler.maxAttempts
        ? giveUp(tenant, claimed, clock.now(), why)
        : putOff(tenant, claimed, nextAttempt(job, handler, clock.now()), why),
    );
  }
}

/** Continues the trace of the request that created the job. */
function tracedJob(tracer: Tracer, job: Job, work: (job: Job) => Promise<void>): Promise<void> {
  const attributes = { "assent.job": job.kind, "assent.attempt": job.attempts };
  const span = tracer.startSpan(`job ${job.kind}`, "consumer", job.traceparent, { attributes });
  return traced(tracer, span, () => work({ ...job, traceparent: span.traceparent }));
}

const usualMaxPauseMs = 60 * 60_000;

/** Doubles the pause each time, from one second on. */
const nextAttempt = ({ attempts }: Job, { maxPauseMs = usualMaxPauseMs }: JobHandler, now: Date): Date =>
  new Date(now.getTime() + Math.min(maxPauseMs, 1_000 * 2 ** Math.min(attempts - 1, 20)));
