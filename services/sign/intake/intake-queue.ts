import { availableParallelism } from "node:os";
import type { ChildEnd, ChildLimits } from "#platform/child-processes/fork-child.ts";
import type { ChildTask, PooledProcess } from "#platform/child-processes/pooled-process.ts";
import { createProcessPool } from "#platform/child-processes/process-pool.ts";
import { DomainError } from "#platform/errors.ts";
import { createFairQueue } from "#platform/fair-queue.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { step, type Tracer } from "#platform/telemetry.ts";
import type { IntakeJob, IntakeOutcome } from "./messages.ts";

/** A process that was ended by a job has this as its answer. */
export type IntakeAnswer =
  | IntakeOutcome
  | { readonly kind: "ended"; readonly end: "timeout" | "out_of_memory" | "crashed" };

/** Runs jobs in child processes. Organizations share the places by what each has used. */
export interface IntakeQueue {
  /** Rejects with SERVICE_UNAVAILABLE when too much waits, or there is no process. */
  run(owner: string, job: IntakeJob, bytes: number, deadlineMs: number): Promise<IntakeAnswer>;
  /** Jobs that could start at once. */
  freeSlots(): number;
  close(): Promise<void>;
}

export interface IntakeQueueOptions extends Partial<ChildLimits> {
  readonly logger: Logger;
  readonly metrics?: Pick<Metrics, "intakeEnds"> | undefined;
  readonly tracer?: Tracer | undefined;
  /**
   * Jobs of one owner at the same time; two, or one on a machine with one core, when absent. Their processes start when
   * needed, and a further one for owners who have none.
   */
  readonly size?: number | undefined;
  /** Processes that are started at once and stay when they have nothing to do; none when absent. */
  readonly kept?: number | undefined;
  readonly maxWaiting?: number;
}

/** Jobs that wait keep their bytes in this process: those of one owner, who may send 100 MB at a time, and all. */
const maxWaitingBytes = { own: 128 * 1024 * 1024, all: 256 * 1024 * 1024 };

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
  const queue = createFairQueue<Task>();
  let waitingBytes = 0;
  let isClosed = false;

  /** There is one process more than places: it is for whoever has none, so that nobody waits for another's files. */
  const handOut = (): void => {
    for (;;) {
      const process = queue.waiting() === 0 ? undefined : pool.take();
      if (process === undefined) break;
      // The one that was just taken is counted.
      const taken = queue.take({ idleOwnersOnly: pool.busy() > places });
      if (taken === undefined) {
        pool.putBack(process);
        break;
      }
      waitingBytes -= taken.task.bytes;
      taken.task.run(process);
    }
    // The spare one is started before anybody needs it.
    const wanted = queue.waiting() + (pool.busy() >= places ? 1 : 0);
    if (wanted > 0) pool.startFor(wanted);
  };
  const refuseAll = (): void => {
    waitingBytes = 0;
    for (const task of queue.clear()) task.refuse();
  };
  const isFull = (owner: string, bytes: number): boolean => {
    const own = queue.waitingOf(owner);
    const ownBytes = own.reduce((sum, task) => sum + task.bytes, 0);
    const isOver = (waiting: number, waitingNow: number, limit: number) => waiting > 0 && waitingNow + bytes > limit;
    return (
      own.length * 2 >= maxWaiting ||
      queue.waiting() >= maxWaiting ||
      isOver(own.length, ownBytes, maxWaitingBytes.own) ||
      isOver(queue.waiting(), waitingBytes, maxWaitingBytes.all)
    );
  };
  const pool = createProcessPool<IntakeJob, IntakeOutcome>(
    {
      name: "document",
      program: { entry, heapShare: 0.75, youngHalfMb, environment: { TZ: "UTC" }, withAddons: false },
      limits: withLimits(limits),
      logger,
      size: places + 1,
      kept: Math.min(kept, places),
    },
    // What the process has just ended is told a moment later.
    {
      onIdle: () => queueMicrotask(handOut),
      onStuck: refuseAll,
      onEnd: (reason) => metrics?.intakeEnds.inc({ reason }),
    },
  );
  const run = (owner: string, job: IntakeJob, bytes: number, deadlineMs: number): Promise<IntakeAnswer> =>
    new Promise((resolve, reject) => {
      if (isClosed || isFull(owner, bytes)) return reject(unavailable());
      const add = (task: Task) => {
        queue.add(owner, task);
        waitingBytes += bytes;
        handOut();
      };
      const refuse = () => reject(unavailable());
      const again = () => (isClosed ? refuse() : add(taskOf(undefined)));
      const taskOf = (retry: (() => void) | undefined): Task => ({
        bytes,
        refuse,
        run: (process) => {
          const from = performance.now();
          const ended = () => queue.finish(owner, performance.now() - from);
          process.run(childTask(job, deadlineMs, ended, { resolve, refuse, retry }));
        },
      });
      add(taskOf(again));
    });
  return {
    run: (owner, job, ...limits) =>
      step(tracer, `document ${job.kind}`, {}, async (span) => {
        const answer = await run(owner, job, ...limits);
        if (answer.kind === "ended") span.note?.({ "assent.ended": answer.end });
        return answer;
      }),
    freeSlots: () => Math.max(0, Math.min(pool.places(), places) - pool.busy() - queue.waiting()),
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
  ended: () => void,
  { resolve, refuse, retry }: Conclusion,
): ChildTask<IntakeJob, IntakeOutcome> => ({
  job,
  deadlineMs,
  done: (outcome) => {
    ended();
    resolve(outcome);
  },
  fail: (end: ChildEnd) => {
    ended();
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
