import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { RetentionService } from "#gen/assent/privacy/v1/retention_pb.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { daysAfter } from "../agreement/transitions.ts";

/** The statuses of agreements that nothing more happens to, or has not begun to; drafts are `created`. */
const retainedStatuses = ["created", "completed", "declined", "voided", "expired"] as const;
export type RetainedStatus = (typeof retainedStatuses)[number];
/** What a period is for: agreements of a status, or records of a kind. */
export type Retained = RetainedStatus | RecordKind;

/** How long agreements of a status, or records of a kind, are kept. */
export interface Period {
  readonly status: Retained;
  /** Null for ever. */
  readonly days: number | null;
  /** A shorter period that is to come; of a template, null days for that of the organization. */
  readonly next: { readonly days: number | null; readonly at: Date } | null;
}

/** How long before a shorter period holds, so that a mistake can be undone. */
const noticeDays = 7;

/** The period after somebody has asked for another one. A longer one holds at once; one that was to come is forgotten. */
export function changedPeriod({ status, days, next }: Period, wanted: number | null, now: Date): Period {
  if (wanted === null || !isShorter(wanted, days)) return { status, days: wanted, next: null };
  // Whatever this one deletes was to be deleted then already.
  const isSooner = next !== null && next.days !== null && next.days <= wanted;
  return { status, days, next: { days: wanted, at: isSooner ? next.at : daysAfter(now, noticeDays) } };
}

const isShorter = (days: number | null, other: number | null): boolean =>
  (days ?? Number.POSITIVE_INFINITY) < (other ?? Number.POSITIVE_INFINITY);

/**
 * The same for a template, which follows its organization where it has no period of its own (undefined). One that comes
 * to follow it again keeps its own for seven days when the organization's is shorter.
 */
export function changedTemplatePeriod(
  own: Period | undefined,
  organization: Period,
  wanted: number | null | undefined,
  now: Date,
): Period | undefined {
  if (wanted !== undefined) return changedPeriod(own ?? organization, wanted, now);
  if (own === undefined || isEnding(own)) return own;
  const { days, next } = organization;
  if (!isShorter(days, own.days) && !(next !== null && isShorter(next.days, own.days))) return undefined;
  return { ...own, next: { days: null, at: daysAfter(now, noticeDays) } };
}

const isEnding = ({ next }: Period): boolean => next !== null && next.days === null;

export const isSamePeriod = (one: Period | undefined, other: Period | undefined): boolean =>
  one?.days === other?.days &&
  one?.next?.days === other?.next?.days &&
  one?.next?.at.getTime() === other?.next?.at.getTime();

/** The periods of an organization, one for each status and each kind of records. */
export async function readPeriods(tenant: Tenant, now: Date): Promise<Period[]> {
  const stored = await readOwnPeriods(tenant, tenant.orgId, now);
  return [...retainedStatuses, ...recordKinds].map(
    (status) => stored.get(status) ?? { status, days: null, next: null },
  );
}

/** The periods that a template, or the organization itself, has of its own. */
export async function readOwnPeriods(
  { orgId, client }: Tenant,
  ownerId: string,
  now: Date,
): Promise<Map<Retained, Period>> {
  const { rows } = await client.query<Omit<Period, "next"> & { nextDays: number | null; nextAt: Date | null }>(
    `select status, days, next_days as "nextDays", next_at as "nextAt" from sign.retention_period
     where organization_id = $1 and owner_id = $2 order by status`,
    [orgId, ownerId],
  );
  const periods = new Map<Retained, Period>();
  for (const { status, days, nextDays, nextAt } of rows) {
    if (nextAt === null || nextAt > now) {
      periods.set(status, { status, days, next: nextAt === null ? null : { days: nextDays, at: nextAt } });
    } else if (nextDays !== null) periods.set(status, { status, days: nextDays, next: null });
  }
  return periods;
}

/** Writes what the periods are now; undefined for one that a template has no more. */
export async function writePeriods(
  { orgId, client }: Tenant,
  ownerId: string,
  changed: ReadonlyMap<Retained, Period | undefined>,
  now: Date,
): Promise<void> {
  const periods = [...changed.values()].filter((period) => period !== undefined);
  await client.query(
    `with gone as (
       delete from sign.retention_period where organization_id = $1 and owner_id = $7 and status = any($8)
     )
     insert into sign.retention_period (organization_id, owner_id, status, days, next_days, next_at, changed_at)
     select $1, $7, r.*, $6 from unnest($2::text[], $3::integer[], $4::integer[], $5::timestamptz[]) as r
     on conflict (organization_id, owner_id, status) do update set days = excluded.days,
       next_days = excluded.next_days, next_at = excluded.next_at, changed_at = excluded.changed_at`,
    [
      orgId,
      periods.map(({ status }) => status),
      periods.map(({ days }) => days),
      periods.map(({ next }) => next?.days ?? null),
      periods.map(({ next }) => next?.at ?? null),
      now,
      ownerId,
      [...changed].flatMap(([status, period]) => (period === undefined ? status : [])),
    ],
  );
}

/** Whether the organization has, or had, such a template. */
export async function hasTemplate({ orgId, client }: Tenant, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from sign.agreement where organization_id = $1 and id = $2 and status = 'template'",
    [orgId, id],
  );
  return rowCount === 1;
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

/** What other services keep until the organization's period for it is over. */
export const recordKinds = ["acceptances", "documents", "webhooks", "audit"] as const;
export type RecordKind = (typeof recordKinds)[number];

export const isRecordKind = (name: string): name is RecordKind => recordKinds.some((kind) => kind === name);

export type RecordHolders = Readonly<Record<RecordKind, Client<typeof RetentionService>>>;

/** Reach the services that keep records. */
export interface RecordTransports {
  readonly click: Transport;
  readonly docgen: Transport;
  readonly webhooks: Transport;
  readonly auth: Transport;
}

export const createRecordHolders = ({ click, docgen, webhooks, auth }: RecordTransports): RecordHolders => ({
  acceptances: createClient(RetentionService, click),
  documents: createClient(RetentionService, docgen),
  webhooks: createClient(RetentionService, webhooks),
  audit: createClient(RetentionService, auth),
});

const dayMs = 24 * 60 * 60_000;

/** Deliveries are kept no longer, whether there is a period or not. */
const mostDeliveryDays = 30;

/** Records from before then are to be deleted by a moment; undefined when none are. */
export function oldBefore({ status, days, next }: Period, until: Date): Date | undefined {
  const most = status === "webhooks" ? mostDeliveryDays : null;
  const spans = [days, next !== null && next.at <= until ? next.days : null, most].filter((span) => span !== null);
  return spans.length === 0 ? undefined : new Date(until.getTime() - Math.min(...spans) * dayMs);
}
