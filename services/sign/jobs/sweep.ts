import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { isTransient } from "#platform/db/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { createPeriodicWorker, type Worker } from "#platform/periodic.ts";
import { daysBefore } from "../agreement/transitions.ts";
import { removeOldUploads } from "../uploads/upload-store.ts";
import { findOldestCompletion } from "./claim-store.ts";

export interface SweepDeps {
  /** Connects as the role that deletes obsolete rows of all organizations. */
  readonly sweeperPool: pg.Pool;
  readonly clock: Clock;
}

const keptDays = {
  /** How long a keyed request may be repeated. */
  keys: 7,
  /** Days after the end. Mail links show a completed agreement for 30 days and must not disappear earlier. */
  views: 31,
  failures: 90,
} as const;

/** Small batches, so that nobody waits long for their locks. */
const usualLimit = 500;

/** Deletes obsolete rows. Concurrent processes are safe. */
export async function sweep({ sweeperPool, clock }: SweepDeps, limit = usualLimit): Promise<void> {
  const now = clock.now();
  const over = (days: number) => ({ before: daysBefore(now, days), limit });
  await repeatedly(limit, () => removeOldKeys(sweeperPool, over(keptDays.keys)));
  await repeatedly(limit, () => removeOldViews(sweeperPool, over(keptDays.views)));
  await repeatedly(limit, () => removeOldUploads(sweeperPool, now, limit));
  await repeatedly(limit, () => removeOldFailures(sweeperPool, over(keptDays.failures)));
  let place: LinkPlace | undefined;
  do {
    place = await removeLinksOfEnded(sweeperPool, over(keptDays.views), place);
  } while (place !== undefined);
}

/** Sweeps periodically. Database outages are reported by the requests they affect; the next run catches up. */
export const createSweeper = ({ logger, ...deps }: SweepDeps & { readonly logger: Logger }): Worker =>
  createPeriodicWorker({
    name: "sweeper sign",
    everyMs,
    logger,
    run: () =>
      sweep(deps).catch((error: unknown) => {
        if (!isTransient(error)) throw error;
        logger.debug({ err: error }, "nothing is swept while the database is away");
      }),
  });

const everyMs = 10 * 60_000;

async function repeatedly(limit: number, removeSome: () => Promise<number>): Promise<void> {
  while ((await removeSome()) === limit);
}

interface CompletionWatchDeps {
  /** Connects as the role that can see the jobs of all organizations. */
  readonly claimerPool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "signCompletingOldestSeconds">;
}

/** Measures how long the oldest agreement has waited for its seal, and logs when that is too long. */
export function createCompletionWatch(deps: CompletionWatchDeps, everyMs = usualEveryMs): Worker {
  const { logger } = deps;
  let quietUntil = 0;
  return createPeriodicWorker({
    name: "sign-completions",
    everyMs,
    logger,
    run: async () => {
      const now = deps.clock.now().getTime();
      const oldest = await findOldestCompletion(deps.claimerPool);
      const seconds = oldest === undefined ? 0 : Math.max(0, (now - oldest.getTime()) / 1_000);
      deps.metrics.signCompletingOldestSeconds.set(seconds);
      if (seconds <= tooLongSeconds || now < quietUntil) return;
      quietUntil = now + repeatMs;
      logger.warn({ since: oldest }, "an agreement has waited for its seal for more than two minutes");
    },
  });
}

const usualEveryMs = 5_000;
const tooLongSeconds = 120;
const repeatMs = 60_000;

/**
 * The sweeper's deletions. The statements span organizations: the pool must be the sweeper's, whose role sees
 * only times and ids. Each deletes a limited number of rows and skips locked ones.
 */
interface Sweeping {
  /** Rows older than this are deleted. */
  readonly before: Date;
  readonly limit: number;
}

/** Deletes expired idempotency keys and returns how many. */
async function removeOldKeys(sweeper: pg.Pool, { before, limit }: Sweeping): Promise<number> {
  const { rowCount } = await sweeper.query(
    `with old as materialized (
       select organization_id, key from sign.idempotency_key
       where created_at < $1 order by created_at limit $2 for update skip locked
     )
     delete from sign.idempotency_key k using old where k.organization_id = old.organization_id and k.key = old.key`,
    [before, limit],
  );
  return rowCount ?? 0;
}

/** Deletes links and sessions that expired long ago and returns how many. */
async function removeOldViews(sweeper: pg.Pool, { before, limit }: Sweeping): Promise<number> {
  const { rowCount } = await sweeper.query(
    `with old as materialized (
       select organization_id, token_hash from sign.view
       where not is_reusable and expires_at < $1 and coalesce(session_expires_at, expires_at) < $1
       order by expires_at limit $2 for update skip locked
     )
     delete from sign.view v using old where v.organization_id = old.organization_id and v.token_hash = old.token_hash`,
    [before, limit],
  );
  return rowCount ?? 0;
}

/** A position in the iteration over links. */
interface LinkPlace {
  readonly createdAt: Date;
  readonly orgId: OrgId;
  readonly tokenHash: Buffer;
}

/**
 * Deletes mail links whose agreement ended or was deleted long ago. They end with the agreement, so each must
 * be checked; returns where to continue, or undefined at the end.
 */
async function removeLinksOfEnded(
  sweeper: pg.Pool,
  { before, limit }: Sweeping,
  after?: LinkPlace,
): Promise<LinkPlace | undefined> {
  const { rows } = await sweeper.query<LinkPlace & { looked: number }>(linksSql, [
    before,
    limit,
    after?.createdAt ?? null,
    after?.orgId ?? null,
    after?.tokenHash ?? null,
  ]);
  const [last] = rows;
  return last === undefined || last.looked < limit ? undefined : last;
}

const linksSql = `
with looked as materialized (
  select created_at, organization_id, token_hash, agreement_id from sign.view
  where is_reusable and created_at < $1
    and ($3::timestamptz is null or (created_at, organization_id, token_hash) > ($3, $4::uuid, $5::bytea))
  order by created_at, organization_id, token_hash limit $2
),
ended as (
  select v.organization_id, v.token_hash from looked l
  join sign.agreement a on a.organization_id = l.organization_id and a.id = l.agreement_id
  join sign.view v on v.organization_id = l.organization_id and v.token_hash = l.token_hash
  where (a.status in ('completed', 'declined', 'voided', 'expired') and a.status_changed_at < $1) or a.deleted_at < $1
  for update of v skip locked
),
removed as (
  delete from sign.view v using ended e where v.organization_id = e.organization_id and v.token_hash = e.token_hash
)
select created_at as "createdAt", organization_id as "orgId", token_hash as "tokenHash",
  (select count(*)::int from looked) as looked
from looked order by created_at desc, organization_id desc, token_hash desc limit 1`;

/** Deletes failed jobs nobody has looked at and returns how many. */
async function removeOldFailures(sweeper: pg.Pool, { before, limit }: Sweeping): Promise<number> {
  const { rowCount } = await sweeper.query(
    `with old as materialized (
       select organization_id, id from sign.job
       where failed_at < $1 order by failed_at limit $2 for update skip locked
     )
     delete from sign.job j using old where j.organization_id = old.organization_id and j.id = old.id`,
    [before, limit],
  );
  return rowCount ?? 0;
}
