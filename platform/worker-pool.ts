import { WorkerPoolError } from "./worker-failure.ts";
import { createWorkerThread, type WorkerTask, type WorkerThread } from "./worker-thread.ts";

export { type WorkerFailure, WorkerPoolError } from "./worker-failure.ts";

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
