import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { NudgeBus } from "#platform/events/nudges.ts";
import type { Logger } from "#platform/logger.ts";
import { createQueueWorker, type QueueWorker } from "#platform/periodic.ts";
import { noopTracer, type Tracer, traced } from "#platform/telemetry.ts";
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

export interface JobLoopDeps {
  readonly pool: pg.Pool;
  /** Connects as the role that finds due jobs of all organizations. */
  readonly claimerPool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly handlers: Readonly<Partial<Record<JobKind, JobHandler>>>;
  readonly tracer?: Tracer | undefined;
  readonly bus?: NudgeBus | undefined;
}

/** How soon to look for jobs that are due, or that other processes have dropped. */
const pollMs = 250;
const renewMs = 20_000;

/**
 * Runs due jobs, with separate capacity for each kind so that none blocks another. Any number of processes may
 * run it: a job belongs to the process that holds its claim and renews the lease.
 */
export function createJobLoop(deps: JobLoopDeps): QueueWorker {
  const { logger } = deps;
  const handlers = new Map(Object.entries(deps.handlers) as [JobKind, JobHandler][]);
  const running = new Map<string, Promise<void>>();
  const busy = new Map<JobKind, number>();
  let stopping = new AbortController();
  let renewal: NodeJS.Timeout | undefined;

  const freePlaces = (kind: JobKind, handler: JobHandler): number => handler.concurrency - (busy.get(kind) ?? 0);

  const begin = (claimed: Claimed, handler: JobHandler): void => {
    busy.set(claimed.kind, (busy.get(claimed.kind) ?? 0) + 1);
    const done = runClaimed(deps, claimed, handler, stopping.signal)
      .catch((error: unknown) => logger.error({ err: error, kind: claimed.kind }, "a job could not be recorded"))
      .finally(() => {
        running.delete(claimed.claim);
        busy.set(claimed.kind, (busy.get(claimed.kind) ?? 1) - 1);
        queue.look();
      });
    running.set(claimed.claim, done);
  };

  /** One claim per job, to tell its lease from others of this process. */
  const fill = async (kind: JobKind, handler: JobHandler, mayGoOn: () => boolean): Promise<void> => {
    while (mayGoOn() && freePlaces(kind, handler) > 0) {
      const now = deps.clock.now();
      const [claimed] = await claimJobs(deps.claimerPool, { kind, limit: 1, now, claim: randomUUID() });
      if (claimed === undefined) return;
      begin(claimed, handler);
    }
  };

  const queue = createQueueWorker({
    ...{ name: "sign-jobs", pollMs, logger, tracer: deps.tracer, bus: deps.bus },
    work: async (mayGoOn) => {
      const free = [...handlers].filter(([kind, handler]) => freePlaces(kind, handler) > 0);
      const kinds = free.map(([kind]) => kind);
      const due = await findDueKinds(deps.claimerPool, kinds, deps.clock.now());
      for (const [kind, handler] of free) if (due.includes(kind)) await fill(kind, handler, mayGoOn);
    },
  });

  const renew = (): void => {
    if (running.size === 0) return;
    renewClaims(deps.claimerPool, [...running.keys()]).catch((error: unknown) =>
      logger.warn({ err: error }, "leases of jobs could not be renewed"),
    );
  };

  return {
    ...queue,
    start: async () => {
      stopping = new AbortController();
      renewal = setInterval(renew, renewMs);
      await queue.start();
    },
    stop: async () => {
      stopping.abort();
      await queue.stop();
      await Promise.all(running.values());
      // Running jobs keep their leases until then.
      clearInterval(renewal);
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
