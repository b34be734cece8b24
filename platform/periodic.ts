import { createNudges, type NudgeBus } from "./events/nudges.ts";
import type { Logger } from "./logger.ts";
import { isOutage } from "./outage.ts";
import { detached, type Tracer } from "./telemetry.ts";

/** Work that runs beside the calls: a relay, a consumer, a sweeper. */
export interface Worker {
  readonly name: string;
  start(): Promise<void>;
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

export interface PeriodicOptions {
  readonly name: string;
  readonly everyMs: number;
  readonly logger: Logger;
  /** What takes long asks now and then whether it may go on; what is left comes with the next start. */
  run(mayGoOn: () => boolean): Promise<void>;
}

/** Runs something at once and then again and again, never twice at the same time. A failed run is logged and repeated. */
export function createPeriodicWorker(options: PeriodicOptions): Worker {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = true;

  const tick = async (): Promise<void> => {
    try {
      await options.run(() => !isStopped);
    } catch (error) {
      const { logger, name: worker } = options;
      if (isOutage(error)) logger.warn({ reason: error.message, worker }, "worker run waits for what is away");
      else logger.error({ err: error, worker }, "worker run failed");
    }
    if (!isStopped) timer = setTimeout(start, options.everyMs);
  };
  const start = (): void => {
    running = tick();
  };

  return {
    name: options.name,
    start: async () => {
      isStopped = false;
      start();
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** How many times longer the pauses of those that look in vain get. */
const idleFactor = 4;

/** Of somebody who looks for work: short as long as there is some, and longer and longer once there is none. */
export interface Pauses {
  /** How long to wait now. */
  next(): number;
  /** There was work: true when the pause that was begun last is longer than the next one. */
  shorten(): boolean;
}

export function createPauses(shortestMs: number): Pauses {
  let last = 0;
  let ms = shortestMs;
  return {
    next: () => {
      last = ms;
      ms = Math.min(ms * 2, shortestMs * idleFactor);
      return last;
    },
    shorten: () => {
      ms = shortestMs;
      return last > ms;
    },
  };
}

/** Takes up work that several processes share: looks for it when it is told of some, and now and then. */
export interface QueueWorker extends Worker {
  /** There is something new to do, for this process or another one. */
  wake(): void;
  /** This process has room again, or is told of something. */
  look(): void;
}

export interface QueueWorkerOptions {
  readonly name: string;
  /**
   * How soon it is looked again, unasked, for what has become due or what another process left undone; up to four times as
   * long once nobody has told of anything for a while.
   */
  readonly pollMs: number;
  readonly logger: Logger;
  readonly tracer?: Tracer | undefined;
  /** By which processes tell each other that there may be something to do. */
  readonly bus?: NudgeBus | undefined;
  /** Does, or begins, what there is to do, for as long as it may go on. */
  work(mayGoOn: () => boolean): Promise<void>;
  /** Called when `work` fails, instead of writing to the log. */
  onError?(error: unknown): void;
}

/** Never works twice at the same time; what it is told of meanwhile is looked for right afterwards. */
export function createQueueWorker(options: QueueWorkerOptions): QueueWorker {
  const { name, pollMs, logger, tracer, work, bus } = options;
  const { onError = (error) => logger.error({ err: error, worker: name }, "work could not be taken up") } = options;
  const pauses = createPauses(pollMs);
  const nudges = bus && createNudges(bus, name);
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let isWoken = false;
  let isRunning = false;

  const workAll = async (): Promise<void> => {
    do {
      isWoken = false;
      await work(() => isRunning);
    } while (isWoken && isRunning);
  };
  const begin = (): void => {
    isWoken = true;
    if (!isRunning || working !== undefined) return;
    working = detached(tracer, workAll)
      .catch(onError)
      .finally(() => {
        working = undefined;
      });
  };
  const lookLater = (): void => {
    clearTimeout(timer);
    if (!isRunning) return;
    timer = setTimeout(() => {
      begin();
      lookLater();
    }, pauses.next());
  };
  const look = (): void => {
    const isFar = pauses.shorten();
    begin();
    if (isFar) lookLater();
  };

  return {
    name,
    look,
    wake: () => {
      look();
      nudges?.tell();
    },
    start: async () => {
      isRunning = true;
      nudges?.listen(look);
      look();
      lookLater();
    },
    stop: async () => {
      isRunning = false;
      clearTimeout(timer);
      nudges?.stop();
      await working;
    },
  };
}
