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

/** The job's answer; a process that died because of the job counts as one. */
export type IntakeAnswer =
  | IntakeOutcome
  | { readonly kind: "ended"; readonly end: "timeout" | "out_of_memory" | "crashed" };

/** Runs jobs in child processes. Capacity is shared fairly between organizations by what each has used. */
export interface IntakeQueue {
  /** Rejects with SERVICE_UNAVAILABLE when the queue is full or no process is available. */
  run(owner: string, job: IntakeJob, bytes: number, deadlineMs: number): Promise<IntakeAnswer>;
  /** How many jobs could start right now. */
  freeSlots(): number;
  close(): Promise<void>;
}

export interface IntakeQueueOptions extends Partial<ChildLimits> {
  readonly logger: Logger;
  readonly metrics?: Pick<Metrics, "intakeEnds"> | undefined;
  readonly tracer?: Tracer | undefined;
  /**
   * Concurrent jobs of one owner; by default two, or one on a single-core machine. Processes start on demand,
   * plus one for owners that have none running.
   */
  readonly size?: number | undefined;
  /** Processes started in advance and kept when idle; none when absent. */
  readonly kept?: number | undefined;
  readonly maxWaiting?: number;
}

/** Waiting jobs hold their bytes in memory. Limits for one owner, who may send 100 MB at a time, and for all. */
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

  /**
   * There is one process more than places. It serves owners with no running job, so that nobody waits behind
   * another's files.
   */
  const handOut = (): void => {
    for (;;) {
      const process = queue.waiting() === 0 ? undefined : pool.take();
      if (process === undefined) break;
      // The job just taken is counted.
      const taken = queue.take({ idleOwnersOnly: pool.busy() > places });
      if (taken === undefined) {
        pool.putBack(process);
        break;
      }
      waitingBytes -= taken.task.bytes;
      taken.task.run(process);
    }
    // Starts the spare process before it is needed.
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
      program: { entry, assets, heapShare: 0.75, youngHalfMb, environment: { TZ: "UTC" }, withAddons: false },
      limits: withLimits(limits),
      logger,
      size: places + 1,
      kept: Math.min(kept, places),
    },
    // The finished job's result is delivered a moment later, so hand out the next job after it.
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
const assets = ["@expo-google-fonts", "@fontsource-variable", "@fontsource", "pdfjs-dist"].map(
  (name) => `node_modules/${name}`,
);

/**
 * Jobs leave short-lived garbage that holds on to file bytes. With V8's default size it piles up until a full
 * collection, every 17 files of 100 KB; with this one every 30, at about a sixth less work and 40 MB less.
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
  /** Absent when the job has already been retried. */
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
    // Another job may have ended the process, so retry once; a job that ends two processes is at fault itself.
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
    idleMs: 60_000,
    graceMs: 1_000,
    ...changes,
    maxMemoryMb,
  };
}
