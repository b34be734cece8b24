import { Worker } from "node:worker_threads";
import type { WorkerAnswer } from "./worker-jobs.ts";

/** Why a job has no result. */
export type WorkerFailure =
  /** It waited too long, or too many waited before it. It was not begun; it may be tried again. */
  | "BUSY"
  /** It took longer than its deadline. */
  | "DEADLINE"
  /** Its thread ended: out of memory, for example. */
  | "DIED"
  /** It threw. */
  | "FAILED"
  /** The pool was closed. */
  | "CLOSED";

/** Thrown for a job that has no result. */
export class WorkerPoolError extends Error {
  readonly failure: WorkerFailure;

  constructor(failure: WorkerFailure, options?: ErrorOptions) {
    super(`the worker job has no result: ${failure}`, options);
    this.name = "WorkerPoolError";
    this.failure = failure;
  }
}

export interface WorkerPool<Input, Output> {
  /** Resolves with what the worker answers, or rejects with a WorkerPoolError; always within waitMs + deadlineMs. */
  run(input: Input): Promise<Output>;
  /** Ends all threads; jobs under way reject with CLOSED. */
  close(): Promise<void>;
}

export interface WorkerPoolOptions {
  /** The module that the threads run: it calls `answerJobs`. */
  readonly module: URL;
  /** Threads at most; they start when they are needed. */
  readonly size: number;
  /** Jobs at most that wait for a thread. */
  readonly maxWaiting: number;
  /** How long a job may wait for a thread, the start of a new one included. */
  readonly waitMs: number;
  /** How long a job may run. Its thread is ended then, and the next job gets a new one. */
  readonly deadlineMs: number;
  /** How long a thread may have nothing to do before it is ended, to give its memory back; 60 s when absent. */
  readonly idleMs?: number;
  /** Heap of each thread. */
  readonly maxHeapMb: number;
}

/**
 * Threads for work that would hold the event loop for too long. Bounded in every way: threads, waiting jobs, waiting
 * time, running time, heap. A thread that dies or is too slow takes only its own job with it. Threads do not keep the
 * process alive.
 */
export function createWorkerPool<Input, Output>(options: WorkerPoolOptions): WorkerPool<Input, Output> {
  const idle: Thread<Input, Output>[] = [];
  const waiting = new Set<Job<Input, Output>>();
  const threads = new Set<Thread<Input, Output>>();
  let closed = false;

  const start = (): Thread<Input, Output> => {
    const thread = createThread<Input, Output>(options, {
      onIdle: () => {
        idle.push(thread);
        next();
      },
      onEnding: () => {
        const index = idle.indexOf(thread);
        if (index !== -1) idle.splice(index, 1);
      },
      onEnd: () => {
        threads.delete(thread);
        next();
      },
    });
    threads.add(thread);
    return thread;
  };
  const next = (): void => {
    const [job] = waiting;
    if (job === undefined || closed) return;
    const thread = idle.pop();
    if (thread === undefined) {
      if (threads.size < options.size) start();
      return;
    }
    waiting.delete(job);
    clearTimeout(job.timer);
    thread.run(job);
  };

  return {
    run: (input) =>
      new Promise((resolve, reject) => {
        const fail = (failure: WorkerFailure) => reject(new WorkerPoolError(failure));
        if (closed) return fail("CLOSED");
        if (waiting.size >= options.maxWaiting) return fail("BUSY");
        const job: Job<Input, Output> = { input, resolve, reject, timer: undefined };
        job.timer = setTimeout(() => {
          waiting.delete(job);
          fail("BUSY");
        }, options.waitMs);
        waiting.add(job);
        next();
      }),
    close: async () => {
      closed = true;
      for (const job of waiting) {
        clearTimeout(job.timer);
        job.reject(new WorkerPoolError("CLOSED"));
      }
      waiting.clear();
      await Promise.all([...threads].map((thread) => thread.end("CLOSED")));
    },
  };
}

interface Job<Input, Output> {
  readonly input: Input;
  resolve(output: Output): void;
  reject(error: WorkerPoolError): void;
  timer: NodeJS.Timeout | undefined;
}

/** One thread, which runs one job at a time. */
interface Thread<Input, Output> {
  run(job: Job<Input, Output>): void;
  end(failure: WorkerFailure): Promise<void>;
}

interface ThreadEvents {
  /** It can take a job. */
  onIdle(): void;
  /** It takes no job any more. */
  onEnding(): void;
  /** It is gone. */
  onEnd(): void;
}

function createThread<Input, Output>(
  { module, deadlineMs, idleMs = 60_000, maxHeapMb }: WorkerPoolOptions,
  events: ThreadEvents,
): Thread<Input, Output> {
  const worker = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
  worker.unref();
  let current: Job<Input, Output> | undefined;
  let ended: Promise<void> | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  const take = (): Job<Input, Output> | undefined => {
    const job = current;
    clearTimeout(job?.timer);
    current = undefined;
    return job;
  };
  const end = (failure: WorkerFailure, cause?: unknown): Promise<void> => {
    take()?.reject(new WorkerPoolError(failure, { cause }));
    clearTimeout(idleTimer);
    if (ended === undefined) {
      events.onEnding();
      ended = worker.terminate().then(() => events.onEnd());
    }
    return ended;
  };
  const rest = (): void => {
    idleTimer = setTimeout(() => end("CLOSED"), idleMs).unref();
    events.onIdle();
  };
  worker.on("error", (error) => end("DIED", error));
  worker.on("exit", () => end("DIED"));
  worker.on("messageerror", (error) => end("FAILED", error));
  worker.on("message", (answer: WorkerAnswer<Output>) => {
    // An answer may have been on its way when its job was given up.
    if (ended !== undefined) return;
    const job = take();
    if ("output" in answer) job?.resolve(answer.output);
    else if ("error" in answer) job?.reject(new WorkerPoolError("FAILED", { cause: answer.error }));
    rest();
  });
  return {
    run: (job) => {
      clearTimeout(idleTimer);
      current = job;
      job.timer = setTimeout(() => end("DEADLINE"), deadlineMs);
      worker.postMessage(job.input);
    },
    end,
  };
}
