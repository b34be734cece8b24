import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { isTransient } from "#platform/db/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { createPeriodicWorker, type Worker } from "#platform/periodic.ts";
import { daysBefore } from "../agreement/transitions.ts";
import { findOldestCompletion } from "./claim-store.ts";

export interface SweepDeps {
  /** Connects as the role that removes what is old of all organizations. */
  readonly sweeperPool: pg.Pool;
  readonly clock: Clock;
}

const keptDays = {
  /** A request with a key may be repeated for as long. */
  keys: 7,
  /** After the end; the link of a mail shows what was completed for 30 days, and is never gone before that. */
  views: 31,
  failures: 90,
} as const;

/** Few rows at a time: nobody waits for the locks of more. */
const usualLimit = 500;

/** Removes what is of no use to anybody any more. Any number of processes may do it at the same time. */
export async function sweep({ sweeperPool, clock }: SweepDeps, limit = usualLimit): Promise<void> {
  const now = clock.now();
  const over = (days: number) => ({ before: daysBefore(now, days), limit });
  await repeatedly(limit, () => removeOldKeys(sweeperPool, over(keptDays.keys)));
  await repeatedly(limit, () => removeOldViews(sweeperPool, over(keptDays.views)));
  await repeatedly(limit, () => removeOldFailures(sweeperPool, over(keptDays.failures)));
  let place: LinkPlace | undefined;
  do {
    place = await removeLinksOfEnded(sweeperPool, over(keptDays.views), place);
  } while (place !== undefined);
}

/** Sweeps again and again. An outage of the database is left to those who need an answer: what was missed comes next time. */
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
  /** Connects as the role that sees the jobs of all organizations. */
  readonly claimerPool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "signCompletingOldestSeconds">;
}

/** Measures how long the oldest agreement waits to be sealed, and tells when that is too long. */
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
 * What the sweeper removes. It looks at all organizations, so these statements span them: the pool must be the sweeper's,
 * whose role sees times and ids only. Each takes at most so many rows at once, and leaves what others hold.
 */
interface Sweeping {
  /** Rows of before are removed. */
  readonly before: Date;
  readonly limit: number;
}

/** Keys of requests that nobody repeats any more; how many. */
async function removeOldKeys(sweeper: pg.Pool, { before, limit }: Sweeping): Promise<number> {
  const { rowCount } = await sweeper.query(
    `delete from sign.idempotency_key where (organization_id, key) in (
       select organization_id, key from sign.idempotency_key
       where created_at < $1 order by created_at limit $2 for update skip locked)`,
    [before, limit],
  );
  return rowCount ?? 0;
}

/** Links and sessions that ended long ago, by their own time; how many. */
async function removeOldViews(sweeper: pg.Pool, { before, limit }: Sweeping): Promise<number> {
  const { rowCount } = await sweeper.query(
    `delete from sign.view where (organization_id, token_hash) in (
       select organization_id, token_hash from sign.view
       where not is_reusable and expires_at < $1 and coalesce(session_expires_at, expires_at) < $1
       order by expires_at limit $2 for update skip locked)`,
    [before, limit],
  );
  return rowCount ?? 0;
}

/** A place in the order in which links are looked at. */
interface LinkPlace {
  readonly createdAt: Date;
  readonly orgId: OrgId;
  readonly tokenHash: Buffer;
}

/**
 * Links of mails whose agreement ended or was deleted long ago. They end with it and not by themselves, so each is looked
 * at; answers where to go on, undefined when all were.
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

/** Jobs that were given up and that nobody has looked at since; how many. */
async function removeOldFailures(sweeper: pg.Pool, { before, limit }: Sweeping): Promise<number> {
  const { rowCount } = await sweeper.query(
    `delete from sign.job where (organization_id, id) in (
       select organization_id, id from sign.job
       where failed_at < $1 order by failed_at limit $2 for update skip locked)`,
    [before, limit],
  );
  return rowCount ?? 0;
}
