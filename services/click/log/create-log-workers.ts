import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { withTransaction } from "#platform/db/pool.ts";
import type { NewId, OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { createPeriodicWorker, type Worker } from "#platform/periodic.ts";
import type { Runtime } from "#platform/service.ts";
import { type TimestampAuthority, TimestampError } from "#platform/timestamps/timestamp-authority.ts";
import { type LogWitness, WitnessError } from "#platform/transparency/witness.ts";
import type { TimestampSettings } from "../config.ts";
import { anchorPublished } from "../events.ts";
import type { EvidenceParts } from "../keys/evidence-parts.ts";
import {
  anchorCheckpoints,
  findNewestAnchor,
  insertTimestamp,
  leadAnchoring,
  listAnchored,
  type Published,
} from "./anchor-store.ts";
import { createLogGuard, type LogGuard, LogWentBackError, openEpochIfBehind } from "./epochs.ts";
import { integrateLog, LogMismatchError, type NewCheckpoint } from "./integrate-log.ts";
import { createIntegrator, type IntegratorDeps, unlessAway } from "./integrator.ts";
import { anchorLogId } from "./leaf.ts";
import { createLogMemory, type LogMemory } from "./log-memory.ts";

export interface LogWorkersDeps extends Pick<EvidenceParts, "logKeys" | "issuer" | "leafSigner"> {
  /** Acts for one organization at a time. */
  readonly servicePool: pg.Pool;
  /** Absent: nobody outside the database knows what was signed. */
  readonly witness: LogWitness | undefined;
  /** Connects as the integrator; needs two connections, one for the anchoring leader. */
  readonly pool: pg.Pool;
  readonly runtime: Runtime;
  readonly tsa: TimestampSettings | undefined;
  readonly anchorIntervalSeconds: number | undefined;
  wakeRelay(): void;
}

export interface LogWorkers {
  readonly workers: readonly Worker[];
  /** Announces, after the commit, that leaves were added to the organization's log. Very cheap. */
  wakeIntegrator(organizationId: string): void;
  /** Before anything is recorded. */
  readonly guard: LogGuard;
  /** Absent without a witness. */
  readonly memory: LogMemory | undefined;
}

const defaultIntervalSeconds = 60;

/** Without a witness there is nothing to compare with. */
const unguarded: LogGuard = { passed: async () => true, isCurrent: async () => true, watch: async () => {} };

/** Starts building, publishing and anchoring the logs. */
export async function createLogWorkers(deps: LogWorkersDeps): Promise<LogWorkers> {
  const { pool, runtime, tsa, logKeys, issuer } = deps;
  const { clock, logger, metrics, newId } = runtime;
  const intervalMs = (deps.anchorIntervalSeconds ?? defaultIntervalSeconds) * 1000;
  const memory = deps.witness && createLogMemory({ ...runtime, ...{ witness: deps.witness, pool, logKeys, issuer } });
  const opening = memory && {
    ...{ pool: deps.servicePool, integratorPool: pool, memory, leafSigner: deps.leafSigner },
    ...{ logKeys, issuer, clock, newId, logger, metrics },
  };
  const common = {
    ...{ pool, logKeys, issuer, clock, logger, metrics, memory },
    openEpoch: async (logId: string) => opening && openEpochIfBehind(opening, logId),
  };
  const guard = opening === undefined ? unguarded : createLogGuard(opening);
  const integrator = createIntegrator({ ...common, compared: guard.watch });
  // The token parser takes 35 MB and 0.2 s to load, so load it only when an authority is configured.
  const authority = tsa && (await import("#platform/timestamps/timestamp-authority.ts")).createTimestampAuthority(tsa);
  const stamper = authority && createStamper({ ...common, authority, retryMs: intervalMs });
  const anchor = createAnchorWorker({ ...common, newId, stamper, intervalMs, onPublished: deps.wakeRelay });
  return { workers: [integrator, anchor], wakeIntegrator: integrator.touched, guard, memory };
}

/** Anchors new checkpoints periodically. One process does it at a time; when it stops, another takes over. */
function createAnchorWorker(deps: AnchorDeps): Worker {
  let stopping = new AbortController();
  const worker = createPeriodicWorker({
    name: "anchor click",
    everyMs: deps.intervalMs,
    logger: deps.logger,
    run: () => unlessAway(() => anchorRound(deps, stopping.signal), deps),
  });
  return {
    name: worker.name,
    start: () => {
      stopping = new AbortController();
      return worker.start();
    },
    stop: () => {
      stopping.abort();
      return worker.stop();
    },
  };
}

export interface AnchorDeps extends IntegratorDeps {
  readonly newId: NewId;
  /** Absent: anchor checkpoints get no timestamps. */
  readonly stamper?: Stamper | undefined;
  /** How often checkpoints are anchored. */
  readonly intervalMs: number;
  /** Called after each commit that wrote events. */
  onPublished(): void;
}

/** The limit of checkpoints in one statement. */
const checkpointsPerStatement = 10_000;

/** Processes start at different times and timers are inexact, so a round this early still counts as on time. */
const earliestShare = 0.9;

/**
 * Anchors new checkpoints: adds them to the anchor log, integrates it and gets a timestamp for its checkpoint.
 * One process at a time. Each step also picks up what an interrupted round left. The signal aborts waiting for
 * the authority.
 */
export const anchorRound = (deps: AnchorDeps, signal?: AbortSignal): Promise<void> =>
  withTransaction(deps.pool, async (leader) => {
    if (!(await leadAnchoring(leader))) return;
    if (await isDue(deps)) await anchorAll(deps);
    await integrateAnchorLog(deps);
    await deps.stamper?.stampNewest(signal);
  });

async function isDue({ pool, clock, intervalMs }: AnchorDeps): Promise<boolean> {
  const newest = await findNewestAnchor(pool);
  if (newest === undefined) return true;
  // The clock of the last round may have been ahead, even by hours.
  return Math.abs(clock.now().getTime() - newest.createdAt.getTime()) >= earliestShare * intervalMs;
}

async function anchorAll({ pool }: AnchorDeps): Promise<void> {
  let anchored = checkpointsPerStatement;
  while (anchored === checkpointsPerStatement) anchored = await anchorCheckpoints(pool, checkpointsPerStatement);
}

async function integrateAnchorLog(deps: AnchorDeps): Promise<void> {
  try {
    let more = true;
    while (more) {
      const outcome = await integrateLog(deps, anchorLogId, (client, checkpoint) => announce(deps, client, checkpoint));
      more = outcome.kind === "published" && outcome.more;
      if (outcome.kind === "published") deps.onPublished();
    }
    deps.metrics.logsRefused.set({ log: "anchor" }, 0);
  } catch (error) {
    // The next round goes on with it.
    if (error instanceof LogWentBackError) return void (await deps.openEpoch?.(anchorLogId));
    const isOfLog = error instanceof LogMismatchError || (error instanceof WitnessError && error.logId !== undefined);
    if (!isOfLog) throw error;
    deps.logger.error({ err: error }, "the anchor log contradicts its tree: no checkpoint is signed");
    deps.metrics.logsRefused.set({ log: "anchor" }, 1);
  }
}

/** Announces to each organization its checkpoints that this anchor checkpoint is the first to cover. */
async function announce(
  { clock, newId }: AnchorDeps,
  client: pg.ClientBase,
  { from, size, note: anchorCheckpoint }: NewCheckpoint,
): Promise<void> {
  const now = clock.now();
  const anchored = await listAnchored(client, from, size);
  const events = anchored.map(({ organizationId, anchorIndex, note: checkpoint }) => {
    const caller = { orgId: organizationId as OrgId, requestId: "", traceparent: "" };
    return anchorPublished({ caller, eventId: newId(), now }, { checkpoint, anchorIndex, anchorCheckpoint });
  });
  await insertOutbox(client, "click", events);
}

interface Stamper {
  /**
   * Timestamps the anchor log's latest checkpoint if it has no timestamp yet. Rejects only on database errors.
   */
  stampNewest(signal?: AbortSignal): Promise<void>;
}

interface StamperDeps {
  /** Connects as the integrator. */
  readonly pool: pg.Pool;
  readonly authority: TimestampAuthority;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The delay after a first failure; it doubles with each further one. */
  readonly retryMs: number;
}

/** The longest delay between attempts. */
const maxRetryMs = 300_000;

/**
 * Timestamps for the anchor log. An outage of the authority loses nothing: a later checkpoint's timestamp
 * covers all earlier ones.
 */
export function createStamper(deps: StamperDeps): Stamper {
  const { pool, authority, clock, logger, metrics } = deps;
  let failures = 0;
  let retryAt = Number.NEGATIVE_INFINITY;

  const stamp = async ({ size, note }: Published, signal?: AbortSignal): Promise<void> => {
    const { token, tsaName, stampedAt } = await authority.stamp(Buffer.from(note), signal);
    await insertTimestamp(pool, { anchorSize: size, token, tsaName, stampedAt }, clock.now());
    metrics.timestampRequests.inc({ outcome: "stamped" });
    if (failures > 0) logger.info({ tsaName, failures }, "the time-stamping authority works again");
    failures = 0;
  };
  const failed = (error: Error): void => {
    failures += 1;
    retryAt = clock.now().getTime() + Math.min(maxRetryMs, deps.retryMs * 2 ** Math.min(failures - 1, 20));
    metrics.timestampRequests.inc({ outcome: "failed" });
    // Only the first failure is logged as a warning, because outages last.
    logger[failures === 1 ? "warn" : "debug"]({ err: error, failures }, "no time stamp for the anchor log");
  };
  return {
    stampNewest: async (signal) => {
      if (failures > 0 && clock.now().getTime() < retryAt) return;
      const newest = await findNewestAnchor(pool);
      if (newest === undefined || newest.isStamped) return;
      try {
        await stamp(newest, signal);
      } catch (error) {
        if (!(error instanceof TimestampError)) throw error;
        if (signal?.aborted !== true) failed(error);
      }
    },
  };
}
