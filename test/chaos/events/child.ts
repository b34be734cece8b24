import { flushCompileCache } from "node:module";
import { createNatsBus } from "#platform/events/nats.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";

/** What a relay and a consumer have in common as processes of their own. */
export function openChild(name: string) {
  const { DATABASE_URL: databaseUrl = "", NATS_URL: natsUrl = "" } = process.env;
  const logger = createLogger(name, "warn");
  let isArmed = false;
  process.on("message", () => {
    isArmed = true;
  });
  // Whoever started it is gone.
  process.on("disconnect", () => process.exit(1));
  return {
    databaseUrl,
    logger,
    metrics: createMetrics(),
    bus: createNatsBus({ url: natsUrl, logger }),
    /** The moment at which the process dies without a word, once it was told to. */
    perhapsDie: (): void => {
      if (isArmed) process.kill(process.pid, "SIGKILL");
    },
    ready: (): void => {
      // Else only processes that end by themselves keep what they have compiled.
      flushCompileCache();
      process.send?.("ready");
    },
  };
}
