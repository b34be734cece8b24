import type { Logger } from "./logger.ts";
import { isOutage } from "./outage.ts";

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
  run(): Promise<void>;
}

/** Runs something at once and then again and again, never twice at the same time. A failed run is logged and repeated. */
export function createPeriodicWorker(options: PeriodicOptions): Worker {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = true;

  const tick = async (): Promise<void> => {
    try {
      await options.run();
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
