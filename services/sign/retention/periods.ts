import type { Tenant } from "#platform/db/pool.ts";
import { daysAfter } from "../agreement/transitions.ts";

/** The statuses of agreements that nothing more happens to, or has not begun to; drafts are `created`. */
const retainedStatuses = ["created", "completed", "declined", "voided", "expired"] as const;
export type RetainedStatus = (typeof retainedStatuses)[number];

/** How long agreements of a status are kept. */
export interface Period {
  readonly status: RetainedStatus;
  /** Null for ever. */
  readonly days: number | null;
  /** A shorter period that is to come. */
  readonly next: { readonly days: number; readonly at: Date } | null;
}

/** How long before a shorter period holds, so that a mistake can be undone. */
const noticeDays = 7;

/** The period after somebody has asked for another one. A longer one holds at once; one that was to come is forgotten. */
export function changedPeriod({ status, days, next }: Period, wanted: number | null, now: Date): Period {
  const isShorter = wanted !== null && (days === null || wanted < days);
  if (!isShorter) return { status, days: wanted, next: null };
  // Whatever this one deletes was to be deleted then already.
  const at = next !== null && next.days <= wanted ? next.at : daysAfter(now, noticeDays);
  return { status, days, next: { days: wanted, at } };
}

export const isSamePeriod = (one: Period, other: Period): boolean =>
  one.days === other.days && one.next?.days === other.next?.days && one.next?.at.getTime() === other.next?.at.getTime();

/** The periods of an organization, one for each status. */
export async function readPeriods({ orgId, client }: Tenant, now: Date): Promise<Period[]> {
  const { rows } = await client.query<Omit<Period, "next"> & { nextDays: number | null; nextAt: Date | null }>(
    `select status, days, next_days as "nextDays", next_at as "nextAt" from sign.retention_period
     where organization_id = $1 and owner_id = $1`,
    [orgId],
  );
  const stored = new Map(rows.map((row) => [row.status, row]));
  return retainedStatuses.map((status) => {
    const { days = null, nextDays = null, nextAt = null } = stored.get(status) ?? {};
    if (nextDays === null || nextAt === null) return { status, days, next: null };
    return nextAt <= now
      ? { status, days: nextDays, next: null }
      : { status, days, next: { days: nextDays, at: nextAt } };
  });
}

export async function writePeriods({ orgId, client }: Tenant, periods: readonly Period[], now: Date): Promise<void> {
  await client.query(
    `insert into sign.retention_period (organization_id, owner_id, status, days, next_days, next_at, changed_at)
     select $1, $1, r.*, $6 from unnest($2::text[], $3::integer[], $4::integer[], $5::timestamptz[]) as r
     on conflict (organization_id, owner_id, status) do update set days = excluded.days,
       next_days = excluded.next_days, next_at = excluded.next_at, changed_at = excluded.changed_at`,
    [
      orgId,
      periods.map(({ status }) => status),
      periods.map(({ days }) => days),
      periods.map(({ next }) => next?.days ?? null),
      periods.map(({ next }) => next?.at ?? null),
      now,
    ],
  );
}

const lockName = (orgId: string): string => `sign.retention ${orgId}`;

/** Waits for deletions that have begun, and makes others wait: once this commits, nothing is deleted by what held before. */
export async function lockRules({ orgId, client }: Tenant): Promise<void> {
  await client.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [lockName(orgId)]);
}

/** Whoever deletes holds this while it reads periods and holds, and until it commits. */
export async function shareRules({ orgId, client }: Tenant): Promise<void> {
  await client.query("select pg_advisory_xact_lock_shared(hashtextextended($1, 0))", [lockName(orgId)]);
}
