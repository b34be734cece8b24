import type { ChildEnd } from "./fork-child.ts";
import { type PooledProcess, type PooledProcessOptions, startPooledProcess } from "./pooled-process.ts";

/** Processes in all their states. */
export interface ProcessPool<Job, Outcome> {
  /** A process that is idle, for one job. */
  take(): PooledProcess<Job, Outcome> | undefined;
  /** A process that was taken and not given a job. */
  putBack(process: PooledProcess<Job, Outcome>): void;
  /** Starts what so many waiting jobs need. */
  startFor(waiting: number): void;
  /** Jobs that could be run at once, were none running. */
  places(): number;
  /** Processes that have a job. */
  busy(): number;
  close(): Promise<void>;
}

export interface ProcessPoolOptions extends PooledProcessOptions {
  /** Processes at most. They start when needed. */
  readonly size: number;
  /** Processes that are started at once and stay when they have nothing to do. */
  readonly kept: number;
}

export interface ProcessPoolEvents {
  /** There is a process to take. */
  onIdle(): void;
  /** A process failed to start, and there is no other. */
  onStuck(): void;
  onEnd(end: ChildEnd): void;
}

/**
 * Child processes that have one job at a time each. What a job can do to one of them, it does to that one: a process
 * beyond its time or memory is killed and another one takes its place.
 */
export function createProcessPool<Job, Outcome>(
  options: ProcessPoolOptions,
  events: ProcessPoolEvents,
): ProcessPool<Job, Outcome> {
  const { size, kept, logger, name } = options;
  const processes = new Set<PooledProcess<Job, Outcome>>();
  const ready = new Set<PooledProcess<Job, Outcome>>();
  /** The one that was busy last is the first to be busy again, so that the others can be ended. */
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
  /** It is tried again without anybody asking: nobody hands jobs to a pool that has no places. */
  const holdOff = (): void => {
    backoff.begin(start);
    if (ready.size === 0) events.onStuck();
  };
  const replace = (end: ChildEnd, isUsed: boolean): void => {
    if (end === "idle") return;
    if (!isUsed && end !== "worn") holdOff();
    // There was something to do a moment ago, so there will be again.
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
