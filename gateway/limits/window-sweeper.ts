import type { Logger } from "#platform/logger.ts";
import type { Worker } from "#platform/service.ts";
import type { WindowStore } from "./window-store.ts";

const batchSize = 5_000;

/** Deletes counters of windows that are over, every minute. */
export function createWindowSweeper(deps: { windows: WindowStore; logger: Logger; intervalMs?: number }): Worker {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const sweep = async (): Promise<void> => {
    try {
      while ((await deps.windows.deleteOld(batchSize)) === batchSize);
    } catch (error) {
      deps.logger.warn({ err: error }, "old rate-limit windows could not be deleted; trying again in a minute");
    }
  };

  return {
    name: "rate-window-sweeper",
    start: async () => {
      timer ??= setInterval(() => {
        running = running.then(sweep);
      }, deps.intervalMs ?? 60_000);
    },
    stop: async () => {
      clearInterval(timer);
      timer = undefined;
      await running;
    },
  };
}
