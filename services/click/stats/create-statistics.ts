import type pg from "pg";
import type { EventBus } from "#platform/events/bus.ts";
import { createBatchConsumer } from "#platform/events/consume-batches.ts";
import type { DeadEvents } from "#platform/events/dead-events.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { createPeriodicWorker } from "#platform/periodic.ts";
import type { Worker } from "#platform/service.ts";
import type { Tracer } from "#platform/telemetry.ts";
import { applyStatistics, statisticsSubjects } from "../consumers/statistics.ts";
import type { RenderDeps } from "../render/render-deps.ts";
import { createRenderCounter } from "./render-counter.ts";

export interface StatisticsOptions {
  readonly pool: pg.Pool;
  readonly bus: EventBus;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
}

const flushMs = 500;

/** What keeps the statistics up to date: a consumer of the service's own events, and a counter of renderings. */
export function createStatistics({ pool, bus, logger, metrics, tracer }: StatisticsOptions): {
  readonly workers: readonly Worker[];
  readonly deadEvents: DeadEvents;
  readonly countRendering: RenderDeps["countRendering"];
} {
  const renderings = createRenderCounter({ pool, logger });
  const consumer = createBatchConsumer({
    bus,
    pool,
    schema: "click",
    durable: "click-statistics",
    subjects: statisticsSubjects,
    applyBatch: applyStatistics(),
    maxBatch: 1_000,
    logger,
    metrics,
    tracer,
  });
  const flusher = createPeriodicWorker({
    name: "renderings click",
    everyMs: flushMs,
    logger,
    run: renderings.flush,
  });
  return {
    workers: [
      consumer,
      {
        ...flusher,
        stop: async () => {
          await flusher.stop();
          await renderings.flush();
        },
      },
    ],
    deadEvents: consumer.deadEvents,
    countRendering: renderings.count,
  };
}
