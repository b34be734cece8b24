import { availableParallelism } from "node:os";
import type { ChildEnd, ChildLimits } from "#platform/child-processes/limits.ts";
import type { ChildTask, PooledProcess } from "#platform/child-processes/pooled-process.ts";
import { createProcessPool } from "#platform/child-processes/process-pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { step, type Tracer } from "#platform/telemetry.ts";
import type { IntakeJob, IntakeOutcome } from "./messages.ts";

/** A process that was ended by a job has this as its answer. */
export type IntakeAnswer =
  | IntakeOutcome
  | { readonly kind: "ended"; readonly end: "timeout" | "out_of_memory" | "crashed" };

/** Runs jobs in child processes, in their order. */
export interface IntakeQueue {
  /** Rejects with SERVICE_UNAVAILABLE when too much waits, or there is no process. */
  run(job: IntakeJob, bytes: number, deadlineMs: number): Promise<IntakeAnswer>;
  /** Jobs that could start at once. */
  freeSlots(): number;
  close(): Promise<void>;
}

export interface IntakeQueueOptions extends Partial<ChildLimits> {
  readonly logger: Logger;
  readonly metrics?: Pick<Metrics, "intakeEnds"> | undefined;
  readonly tracer?: Tracer | undefined;
  /** Processes at most; two, or one on a machine with one core, when absent. They start when needed. */
  readonly size?: number | undefined;
  /** Processes that are started at once and stay when they have nothing to do; none when absent. */
  readonly kept?: number | undefined;
  readonly maxWaiting?: number;
}

/** Jobs that wait keep their bytes in this process. */
const maxWaitingBytes = 128 * 1024 * 1024;

export function createIntakeQueue({
  logger,
  metrics,
  tracer,
  size,
  kept = 0,
  maxWaiting = 512,
  ...limits
}: IntakeQueueOptions): IntakeQueue {
  const places = size ?? Math.min(2, availableParallelism());
  const waiting: Task[] = [];
  let waitingBytes = 0;
  let isClosed = false;

  const handOut = (): void => {
    while (waiting.length > 0) {
      const process = pool.take();
      if (process === undefined) break;
      const task = waiting.shift();
      waitingBytes -= task?.bytes ?? 0;
      task?.run(process);
    }
    if (waiting.length > 0) pool.startFor(waiting.length);
  };
  const refuseAll = (): void => {
    waitingBytes = 0;
    for (const task of waiting.splice(0)) task.refuse();
  };
  const pool = createProcessPool<IntakeJob, IntakeOutcome>(
    {
      name: "document",
      program: { entry, heapShare: 0.75, youngHalfMb, environment: { TZ: "UTC" }, withAddons: false },
      limits: withLimits(limits),
      logger,
      size: places,
      kept: Math.min(kept, places),
    },
    { onIdle: handOut, onStuck: refuseAll, onEnd: (reason) => metrics?.intakeEnds.inc({ reason }) },
  );
  const run = (job: IntakeJob, bytes: number, deadlineMs: number): Promise<IntakeAnswer> =>
    new Promise((resolve, reject) => {
      const isFull = waiting.length >= maxWaiting || (waiting.length > 0 && waitingBytes + bytes > maxWaitingBytes);
      if (isClosed || isFull) return reject(unavailable());
      const add = (task: Task) => {
        waiting.push(task);
        waitingBytes += bytes;
        handOut();
      };
      const refuse = () => reject(unavailable());
      const again = () => (isClosed ? refuse() : add(taskOf(undefined)));
      const taskOf = (retry: (() => void) | undefined): Task => ({
        bytes,
        refuse,
        run: (process) => process.run(childTask(job, deadlineMs, { resolve, refuse, retry })),
      });
      add(taskOf(again));
    });
  return {
    run: (job, ...limits) =>
      step(tracer, `document ${job.kind}`, {}, async (span) => {
        const answer = await run(job, ...limits);
        if (answer.kind === "ended") span.note?.({ "assent.ended": answer.end });
        return answer;
      }),
    freeSlots: () => Math.max(0, pool.places() - pool.busy() - waiting.length),
    close: async () => {
      isClosed = true;
      refuseAll();
      await pool.close();
    },
  };
}

const entry = new URL("./pdf-process.ts", import.meta.url);

/**
 * What a job leaves behind is young, and the bytes of files hang on it. With what V8 takes by itself they pile up until
 * the whole heap is searched, every 17 files of 100 KB; so it is every 30, with about a sixth less work and 40 MB less.
 */
const youngHalfMb = 8;

interface Task {
  readonly bytes: number;
  run(process: PooledProcess<IntakeJob, IntakeOutcome>): void;
  refuse(): void;
}

interface Conclusion {
  resolve(answer: IntakeAnswer): void;
  refuse(): void;
  /** Absent when the job was tried again already. */
  readonly retry: (() => void) | undefined;
}

const childTask = (
  job: IntakeJob,
  deadlineMs: number,
  { resolve, refuse, retry }: Conclusion,
): ChildTask<IntakeJob, IntakeOutcome> => ({
  job,
  deadlineMs,
  done: resolve,
  fail: (end: ChildEnd) => {
    if (end === "timeout" || end === "out_of_memory") resolve({ kind: "ended", end });
    else if (end !== "crashed") refuse();
    // Somebody else may have ended it; what brings two processes down does it itself.
    else if (retry !== undefined) retry();
    else resolve({ kind: "ended", end });
  },
});

const unavailable = () => new DomainError("SERVICE_UNAVAILABLE", { metadata: { retryAfterSeconds: "2" } });

function withLimits(changes: Partial<ChildLimits>): ChildLimits {
  const { maxMemoryMb = 512 } = changes;
  return {
    deadlineMs: 5_000,
    maxIdleMemoryMb: (maxMemoryMb * 5) / 8,
    maxJobs: 50_000,
    startTimeoutMs: 30_000,
    idleMs: 5 * 60_000,
    graceMs: 1_000,
    ...changes,
    maxMemoryMb,
  };
}
