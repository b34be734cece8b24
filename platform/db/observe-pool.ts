import type pg from "pg";
import type { Metrics } from "../metrics.ts";
import type { Tracer } from "../telemetry.ts";
import { tracePool } from "../tracing/trace-pool.ts";

/** Shows in the metrics how busy a pool is, and its statements in traces. Several pools of one service add up. */
export function observePool(
  pool: pg.Pool,
  service: string,
  metrics: Pick<Metrics, "poolInUse" | "poolWaiting">,
  tracer?: Tracer,
): void {
  tracePool(pool, tracer);
  let waiting = 0;
  const noteWaiting = (): void => {
    metrics.poolWaiting.inc({ service }, pool.waitingCount - waiting);
    waiting = pool.waitingCount;
  };
  metrics.poolInUse.inc({ service }, 0);
  metrics.poolWaiting.inc({ service }, 0);
  pool.on("acquire", () => {
    metrics.poolInUse.inc({ service });
    noteWaiting();
  });
  pool.on("release", () => {
    metrics.poolInUse.dec({ service });
    noteWaiting();
  });
}
