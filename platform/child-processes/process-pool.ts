import type { ChildEnd } from "./fork-child.ts";
import { type PooledProcess, type PooledProcessOptions, startPooledProcess } from "./pooled-process.ts";

/** A pool's processes in all their states. */
export interface ProcessPool<Job, Outcome> {
  /** Takes an idle process for one job. */
  take(): PooledProcess<Job, Outcome> | undefined;
  /** Returns a process that was taken but not given a job. */
  putBack(process: PooledProcess<Job, Outcome>): void;
  /** Starts the processes that this many waiting jobs need. */
  startFor(waiting: number): void;
  /** How many jobs could run if none were running. */
  places(): number;
  /** How many processes have a job. */
  busy(): number;
  close(): Promise<void>;
}

export interface ProcessPoolOptions extends PooledProcessOptions {
  /** The maximum number of processes; they start on demand. */
  readonly size: number;
  /** Processes started in advance and kept when idle. */
  readonly kept: number;
}

export interface ProcessPoolEvents {
  /** A process is available. */
  onIdle(): void;
  /** A process failed to start and there is no other. */
  onStuck(): void;
  onEnd(end: ChildEnd): void;
}

/**
 * Child processes that run one job at a time each, so that a job can only harm its own process. A process
 * beyond its time or memory is killed and replaced.
 */
export function createProcessPool<Job, Outcome>(
  options: ProcessPoolOptions,
  events: ProcessPoolEvents,
): ProcessPool<Job, Outcome> {
  const { size, kept, logger, name } = options;
  const processes = new Set<PooledProcess<Job, Outcome>>();
  const ready = new Set<PooledProcess<Job, Outcome>>();
  /** Last in, first out, so that surplus processes stay idle and can be ended. */
  const idle: PooledProcess<Job, Outcome>[] = [];
  const backoff = createBackoff();
  let isClosed = false;

  const start = (): void => {
    if (isClosed || backoff.isOn() || processes.size >= size) return;
    try {
      const process = startPooledProcess<Job, Outcome>(options, {
        onIdle: () => {
          backoff.reset();
          ready.add(process);
          idle.push(process);
          events.onIdle();
        },
        onLongIdle: () => {
          if (processes.size > kept) void process.end("idle");
        },
        onEnding: () => {
          ready.delete(process);
          if (idle.includes(process)) idle.splice(idle.indexOf(process), 1);
        },
        onEnd: (end, isUsed) => {
          processes.delete(process);
          events.onEnd(end);
          if (!isClosed) replace(end, isUsed);
        },
      });
      processes.add(process);
    } catch (error) {
      logger.error({ err: error }, `a ${name} process could not be started`);
      holdOff();
    }
  };
  /** Retries by itself, because a pool without places is never asked. */
  const holdOff = (): void => {
    backoff.begin(start);
    if (ready.size === 0) events.onStuck();
  };
  const replace = (end: ChildEnd, isUsed: boolean): void => {
    if (end === "idle") return;
    if (!isUsed && end !== "worn") holdOff();
    // There was work a moment ago, so more is likely.
    else start();
  };
  const startFor = (waiting: number): void => {
    const starting = processes.size - ready.size;
    const wanted = Math.max(kept - processes.size, Math.min(size - processes.size, waiting - starting));
    for (let n = 0; n < wanted; n += 1) start();
  };
  startFor(0);
  return {
    take: () => idle.pop(),
    putBack: (process) => idle.push(process),
    startFor,
    places: () => (isClosed ? 0 : backoff.hasFailed() ? ready.size : size),
    busy: () => ready.size - idle.length,
    close: async () => {
      isClosed = true;
      backoff.reset();
      await Promise.all(Array.from(processes, (process) => process.end("closed")));
    },
  };
}

const firstPauseMs = 250;
const maxPauseMs = 30_000;

/** Longer and longer pauses after failures, until there is a success. */
function createBackoff() {
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    isOn: () => timer !== undefined,
    hasFailed: () => failures > 0,
    reset: () => {
      failures = 0;
      clearTimeout(timer);
      timer = undefined;
    },
    begin: (then: () => void) => {
      if (timer !== undefined) return;
      const pause = Math.min(maxPauseMs, firstPauseMs * 2 ** failures);
      failures += 1;
      timer = setTimeout(() => {
        timer = undefined;
        then();
      }, pause).unref();
    },
  };
}
