import { randomBytes } from "node:crypto";
import type { Client } from "@connectrpc/connect";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import type { CountTemplatePartsResponse, TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { createBatchConsumer } from "#platform/events/consume-batches.ts";
import type { DeadEvents } from "#platform/events/dead-events.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { createPeriodicWorker, type Worker } from "#platform/periodic.ts";
import type { Tracer } from "#platform/telemetry.ts";
import type { RenderDeps } from "../render/render-deps.ts";
import type { BoundText } from "../terms/agreement.ts";
import { acceptancesIn, countUsers, type UserAcceptances, withholdUsers } from "./count-users.ts";
import {
  addHours,
  addPurposes,
  addTimes,
  findLocales,
  findWithheld,
  markReused,
  shareCounting,
  type TextName,
} from "./stat-store.ts";
import { emptyHour, type HourRow, hourOf, tallyEvents, type UserAcceptance } from "./tally.ts";

export interface StatisticsOptions {
  readonly pool: pg.Pool;
  readonly bus: EventBus;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
  /** Applies the same events in the same transaction, last: a consumer of its own would read all of them again. */
  readonly alsoApply?: ((tenant: Tenant, events: readonly Event[]) => Promise<void>) | undefined;
}

const flushMs = 500;

/** Keeps the statistics up to date: a consumer of the service's own events, and a counter of renderings. */
export function createStatistics({ pool, bus, logger, metrics, tracer, alsoApply }: StatisticsOptions): {
  readonly workers: readonly Worker[];
  readonly deadEvents: DeadEvents;
  readonly countRendering: RenderDeps["countRendering"];
} {
  const renderings = createRenderCounter({ pool, logger });
  const apply = applyStatistics();
  const consumer = createBatchConsumer({
    bus,
    pool,
    schema: "click",
    durable: "click-statistics",
    subjects: statisticsSubjects,
    applyBatch: async (tenant, events) => {
      await apply(tenant, events);
      await alsoApply?.(tenant, events);
    },
    maxBatch: 1_000,
    // An organization costs eight statements, whether one of its events is counted or a hundred. The API promises that
    // numbers are less than a second old.
    longestGatherMs: 500,
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

/** Counts renderings in memory and writes the counts periodically: a rendering itself writes nothing. */
interface RenderCounter {
  count(orgId: OrgId, text: BoundText, at: Date): void;
  /** Writes the counts; those that cannot be written are kept for the next time. */
  flush(): Promise<void>;
}

/** The most that is counted while the database is unavailable. */
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
          await withOrg(pool, orgId, (tenant) => addHours(tenant, [...ofOrg.values()]));
        } catch (error) {
          logger.warn({ err: error }, "renderings could not be counted; trying again");
          for (const row of ofOrg.values()) add(orgId, row);
        }
      }
    },
  };
}

const statisticsSubjects: readonly string[] = [
  "assent.click.session.*",
  "assent.click.acceptance.recorded",
  "assent.click.consent.*",
];

type ReadLocales = (tenant: Tenant, texts: readonly TextName[]) => Promise<ReadonlyMap<string, string>>;

/**
 * Adds events of one organization to the statistics. Tables are always written in the same order. A user who was erased
 * before the events arrived is not counted by name: no erasure can happen between that check and the commit.
 */
function applyStatistics(): (tenant: Tenant, events: readonly Event[]) => Promise<void> {
  const readLocales = createLocaleReader();
  const secret = randomBytes(32);
  return async (tenant, received) => {
    await shareCounting(tenant);
    const events = withholdUsers(received, await findWithheld(tenant, acceptancesIn(received)), secret);
    const fresh = await markReused(tenant, reusedSessions(events));
    const tally = tallyEvents(events, (sessionId) => fresh.delete(sessionId));
    const locales = await readLocales(tenant, tally.users);
    await countUsers(tenant, byUser(tally.users, locales));
    await addHours(tenant, tally.hours);
    await addTimes(tenant, tally.times);
    await addPurposes(tenant, tally.purposes);
  };
}

const reusedSessions = (events: readonly Event[]): string[] => [
  ...new Set(
    events.flatMap(({ payload }) =>
      payload.case === "acceptanceRecorded" && payload.value.sessionReusable && payload.value.decision === "ACCEPT"
        ? [payload.value.sessionId]
        : [],
    ),
  ),
];

function byUser(users: readonly UserAcceptance[], locales: ReadonlyMap<string, string>): UserAcceptances[] {
  const grouped = Map.groupBy(users, ({ templateId, userKey }) => `${templateId} ${hex(userKey)}`);
  return [...grouped.values()].map((acceptances) => {
    const [{ templateId, userKey }] = acceptances as [UserAcceptance];
    return {
      templateId,
      userKey: hex(userKey),
      acceptances: acceptances.map((one) => ({ ...one, locale: locales.get(textKey(one)) ?? "und" })),
    };
  });
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const textKey = ({ versionId, revision }: TextName): string => `${versionId} ${revision}`;

const cachedLocales = 10_000;

/** A text never changes, and is stored before anybody can accept it. */
function createLocaleReader(): ReadLocales {
  const cache = new LRUCache<string, string>({ max: cachedLocales });
  return async (tenant, texts) => {
    const known = new Map<string, string>();
    const unknown = new Map<string, TextName>();
    for (const text of texts) {
      const locale = cache.get(`${tenant.orgId} ${textKey(text)}`);
      if (locale === undefined) unknown.set(textKey(text), text);
      else known.set(textKey(text), locale);
    }
    if (unknown.size === 0) return known;
    for (const { locale, ...text } of await findLocales(tenant, [...unknown.values()])) {
      cache.set(`${tenant.orgId} ${textKey(text)}`, locale);
      known.set(textKey(text), locale);
    }
    return known;
  };
}
