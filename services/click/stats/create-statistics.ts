import type { Client } from "@connectrpc/connect";
import type pg from "pg";
import type { CountTemplatePartsResponse, TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { createBatchConsumer } from "#platform/events/consume-batches.ts";
import type { DeadEvents } from "#platform/events/dead-events.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import type { Worker } from "#platform/periodic.ts";
import { createPeriodicWorker } from "#platform/periodic.ts";
import type { Tracer } from "#platform/telemetry.ts";
import type { RenderDeps } from "../render/render-deps.ts";
import type { BoundText } from "../terms/agreement.ts";
import { addHours } from "./stat-store.ts";
import { applyStatistics, statisticsSubjects } from "./statistics.ts";
import { emptyHour, type HourRow, hourOf } from "./tally.ts";

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

/** How many versions and active deployments a template has; rejects with CLICK_TEMPLATE_NOT_FOUND. */
export type TemplateParts = (caller: Caller, templateId: string) => Promise<CountTemplatePartsResponse>;

export const createTemplateParts =
  (templates: Client<typeof TemplatesService>): TemplateParts =>
  (caller, templateId) =>
    templates.countTemplateParts({ templateId }, { headers: callerHeaders(caller) });

/** Counts renderings in memory and writes them now and then: a rendering itself writes nothing. */
interface RenderCounter {
  count(orgId: OrgId, text: BoundText, at: Date): void;
  /** Writes what was counted; what cannot be written is kept for the next time. */
  flush(): Promise<void>;
}

/** So much is counted at most while the database is away. */
const maxRows = 50_000;

function createRenderCounter({ pool, logger }: { pool: pg.Pool; logger: Logger }): RenderCounter {
  let counted = new Map<OrgId, Map<string, HourRow>>();
  let rows = 0;
  const add = (orgId: OrgId, row: HourRow): void => {
    const ofOrg = counted.get(orgId) ?? new Map<string, HourRow>();
    counted.set(orgId, ofOrg);
    const key = `${row.versionId} ${row.revision} ${row.hour}`;
    const known = ofOrg.get(key);
    if (known !== undefined) known.renders += row.renders;
    else if (rows < maxRows) {
      ofOrg.set(key, row);
      rows += 1;
    }
  };
  return {
    count: (orgId, { templateId, versionId, revision }, at) =>
      add(orgId, { ...emptyHour({ templateId, versionId, revision, hour: hourOf(at) }), renders: 1 }),
    flush: async () => {
      const taken = counted;
      counted = new Map();
      rows = 0;
      for (const [orgId, ofOrg] of taken) {
        try {
          await withOrg(pool, orgId, (client) => addHours(orgId, client, [...ofOrg.values()]));
        } catch (error) {
          logger.warn({ err: error }, "renderings could not be counted; trying again");
          for (const row of ofOrg.values()) add(orgId, row);
        }
      }
    },
  };
}
