import { Worker } from "node:worker_threads";
import { type WorkerFailure, WorkerPoolError } from "./worker-failure.ts";
import type { WorkerAnswer } from "./worker-jobs.ts";

/** A job with what becomes of it. */
export interface WorkerTask<Input, Output> {
  readonly input: Input;
  resolve(output: Output): void;
  reject(error: WorkerPoolError): void;
}

/** One thread of a pool, which runs one task at a time. */
export interface WorkerThread<Input, Output> {
  /** Only while it is idle. */
  run(task: WorkerTask<Input, Output>): void;
  end(failure: WorkerFailure): Promise<void>;
}

export interface WorkerThreadOptions<Input = never> {
  readonly module: URL;
  readonly deadlineMs: number;
  readonly idleMs?: number;
  readonly maxHeapMb: number;
  transferOf?(input: Input): readonly ArrayBuffer[];
}

export interface WorkerThreadEvents {
  /** It can take a task. */
  onIdle(): void;
  /** It takes no task any more. */
  onEnding(): void;
  /** It is gone. */
  onEnd(): void;
}

/** Starts a thread. It ends by itself when it dies, misses a deadline, or has nothing to do for long. */
export function createWorkerThread<Input, Output>(
  { module, deadlineMs, idleMs = 60_000, maxHeapMb, transferOf = () => [] }: WorkerThreadOptions<Input>,
  events: WorkerThreadEvents,
): WorkerThread<Input, Output> {
  const worker = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
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
