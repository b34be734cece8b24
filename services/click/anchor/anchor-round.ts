import type pg from "pg";
import { withTransaction } from "#platform/db/pool.ts";
import type { NewId, OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { anchorPublished } from "../events.ts";
import { LogMismatchError } from "../integrator/check-growth.ts";
import { type IntegrateDeps, integrateLog, type NewCheckpoint } from "../integrator/integrate-log.ts";
import { anchorLogId } from "../log/leaf.ts";
import { anchorCheckpoints, findNewestAnchor, leadAnchoring, listAnchored } from "../store/anchor-store.ts";
import type { Stamper } from "./stamper.ts";

export interface AnchorDeps extends IntegrateDeps {
  readonly logger: Logger;
  readonly newId: NewId;
  /** Absent: anchor checkpoints get no time stamps. */
  readonly stamper?: Stamper | undefined;
  /** How often checkpoints are anchored. */
  readonly intervalMs: number;
  /** Called after each commit that wrote events. */
  onPublished(): void;
}

/** Checkpoints in one statement at most. */
const checkpointsPerStatement = 10_000;

/** Processes do not start at the same moment, and timers are not exact: a round this early is on time. */
const earliestShare = 0.9;

/**
 * Anchors the checkpoints that are new: adds them to the anchor log, integrates it, and gets a time stamp for its
 * checkpoint. One process at a time. Each step takes up what a round that was cut off has left behind. The signal ends the
 * wait for the authority.
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
  // The clock of the last round may have been ahead, by hours if it was wrong.
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
    if (!(error instanceof LogMismatchError)) throw error;
    deps.logger.error({ err: error }, "the anchor log contradicts its tree: no checkpoint is signed");
    deps.metrics.logsRefused.set({ log: "anchor" }, 1);
  }
}

/** Tells each organization of its checkpoints that this one covers and none before did. */
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
