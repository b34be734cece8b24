import { Worker } from "node:worker_threads";
import { scriptOf } from "./built-scripts.ts";
import type { WorkerAnswer } from "./worker-jobs.ts";

export interface WorkerPool<Input, Output> {
  /** Resolves with what the worker answers, or rejects with a WorkerPoolError; always within waitMs + deadlineMs. */
  run(input: Input): Promise<Output>;
  /** Ends all threads; jobs under way reject with CLOSED. */
  close(): Promise<void>;
}

export interface WorkerPoolOptions<Input = never> {
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
  /** What of an input is handed over instead of copied; whoever gave it cannot use it any more. */
  transferOf?(input: Input): readonly ArrayBuffer[];
}

/**
 * Threads for work that would hold the event loop for too long. Bounded in every way: threads, waiting jobs, waiting
 * time, running time, heap. A thread that dies or is too slow takes only its own job with it. Threads do not keep the
 * process alive.
 */
export function createWorkerPool<Input, Output>(options: WorkerPoolOptions<Input>): WorkerPool<Input, Output> {
  const waiting = new Set<WaitingTask<Input, Output>>();
  const threads = new Set<WorkerThread<Input, Output>>();
  const idle = new Set<WorkerThread<Input, Output>>();
  let closed = false;

  const start = (): void => {
    const thread = createWorkerThread<Input, Output>(options, {
      onIdle: () => {
        idle.add(thread);
        next();
      },
      onEnding: () => idle.delete(thread),
      onEnd: () => {
        threads.delete(thread);
        next();
      },
    });
    threads.add(thread);
  };
  const next = (): void => {
    const [task] = waiting;
    const [thread] = idle;
    if (task === undefined || closed) return;
    if (thread !== undefined) {
      waiting.delete(task);
      clearTimeout(task.timer);
      idle.delete(thread);
      thread.run(task);
    } else if (threads.size < options.size) {
      start();
    }
  };
  return {
    run: (input) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new WorkerPoolError("CLOSED"));
        if (waiting.size >= options.maxWaiting) return reject(new WorkerPoolError("BUSY"));
        const timer = setTimeout(() => {
          waiting.delete(task);
          reject(new WorkerPoolError("BUSY"));
        }, options.waitMs);
        const task: WaitingTask<Input, Output> = { input, resolve, reject, timer };
        waiting.add(task);
        next();
      }),
    close: async () => {
      closed = true;
      for (const task of waiting) {
        clearTimeout(task.timer);
        task.reject(new WorkerPoolError("CLOSED"));
      }
      waiting.clear();
      await Promise.all([...threads].map((thread) => thread.end("CLOSED")));
    },
  };
}

interface WaitingTask<Input, Output> extends WorkerTask<Input, Output> {
  readonly timer: NodeJS.Timeout;
}

/** A job with the promise of its result. */
interface WorkerTask<Input, Output> {
  readonly input: Input;
  resolve(output: Output): void;
  reject(error: WorkerPoolError): void;
}

/** One thread of a pool, which runs one task at a time. */
interface WorkerThread<Input, Output> {
  /** Only while it is idle. */
  run(task: WorkerTask<Input, Output>): void;
  end(failure: WorkerFailure): Promise<void>;
}

interface WorkerThreadOptions<Input = never> {
  readonly module: URL;
  readonly deadlineMs: number;
  readonly idleMs?: number;
  readonly maxHeapMb: number;
  transferOf?(input: Input): readonly ArrayBuffer[];
}

interface WorkerThreadEvents {
  /** It can take a task. */
  onIdle(): void;
  /** It takes no task any more. */
  onEnding(): void;
  /** It is gone. */
  onEnd(): void;
}

/** Starts a thread. It ends by itself when it dies, misses a deadline, or has nothing to do for long. */
function createWorkerThread<Input, Output>(
  { module, deadlineMs, idleMs = 60_000, maxHeapMb, transferOf = () => [] }: WorkerThreadOptions<Input>,
  events: WorkerThreadEvents,
): WorkerThread<Input, Output> {
  const worker = new Worker(scriptOf(module) ?? module, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
  worker.unref();
  let current: WorkerTask<Input, Output> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ended: Promise<void> | undefined;

  const take = (): WorkerTask<Input, Output> | undefined => {
    const task = current;
    clearTimeout(timer);
    current = undefined;
    return task;
  };
  const end = (failure: WorkerFailure, cause?: unknown): Promise<void> => {
    take()?.reject(new WorkerPoolError(failure, { cause }));
    if (ended === undefined) {
      events.onEnding();
      ended = worker.terminate().then(() => events.onEnd());
    }
    return ended;
  };
  worker.on("error", (error) => end("DIED", error));
  worker.on("exit", () => end("DIED"));
  worker.on("messageerror", (error) => end("FAILED", error));
  worker.on("message", (answer: WorkerAnswer<Output>) => {
    // An answer may have been on its way when its task was given up.
    if (ended !== undefined) return;
    const task = take();
    if ("output" in answer) task?.resolve(answer.output);
    else if ("error" in answer) task?.reject(new WorkerPoolError("FAILED", { cause: answer.error }));
    timer = setTimeout(() => end("CLOSED"), idleMs).unref();
    events.onIdle();
  });
  return {
    run: (task) => {
      clearTimeout(timer);
      current = task;
      timer = setTimeout(() => end("DEADLINE"), deadlineMs);
      worker.postMessage(task.input, [...transferOf(task.input)]);
    },
    end,
  };
}

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
