import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { TimeBucket } from "./accept-time.ts";
import type { DayTotals, HolderTotals, PurposeTotals, StatQuery, TextTotals } from "./template-stats.ts";

const filterParameters = (orgId: OrgId, query: StatQuery): unknown[] => [
  orgId,
  query.templateId,
  query.from,
  query.to,
  query.versionId,
  query.locale,
];

/** Rows of a table of counters with their texts; $1 to $6. */
const filtered = (table: string): string => `click.${table} s
  left join click.agreement_text t
    on t.organization_id = s.organization_id and t.version_id = s.version_id and t.revision = s.revision
  where s.organization_id = $1 and s.template_id = $2
    and ($3::date is null or s.hour >= $3::date::timestamp at time zone 'UTC')
    and ($4::date is null or s.hour < ($4::date + 1)::timestamp at time zone 'UTC')
    and ($5::uuid is null or s.version_id = $5)
    and ($6::text is null or t.locale = $6)`;

const sum = (column: string, condition = ""): string => `coalesce(sum(s.${column})${condition}, 0)::float8`;

const totalsSql = `
select s.version_id as "versionId", s.revision, t.locale, t.label,
  ${sum("sessions_created")} as "sessionsCreated", ${sum("sessions_presented")} as "sessionsPresented",
  ${sum("sessions_accepted")} as "sessionsAccepted", ${sum("sessions_completed")} as "sessionsCompleted",
  ${sum("sessions_declined")} as "sessionsDeclined", ${sum("sessions_expired")} as "sessionsExpired",
  ${sum("sessions_cancelled")} as "sessionsCancelled", ${sum("sessions_unanswered")} as "sessionsUnanswered",
  ${sum("accepted_direct")} as "acceptedDirect", ${sum("accepted_with_session")} as "acceptedWithSession",
  ${sum("declines")} as declines, ${sum("withdrawals")} as withdrawals, ${sum("renders")} as renders,
  coalesce(sum(s.accepted_direct + s.accepted_with_session) filter (where s.hour >= $7), 0)::float8 as "last24h",
  coalesce(sum(s.accepted_direct + s.accepted_with_session) filter (where s.hour >= $8), 0)::float8 as "last7d",
  coalesce(sum(s.accepted_direct + s.accepted_with_session) filter (where s.hour >= $9), 0)::float8 as "last30d",
  min(s.first_accepted_at) as "firstAcceptedAt", max(s.last_accepted_at) as "lastAcceptedAt"
from ${filtered("stat_hour")}
group by s.version_id, s.revision, t.locale, t.label`;

/** `since` are the beginnings of the last day, week and month. */
export async function sumByText(
  orgId: OrgId,
  client: pg.ClientBase,
  query: StatQuery,
  since: readonly [string, string, string],
): Promise<TextTotals[]> {
  return (await client.query<TextTotals>(totalsSql, [...filterParameters(orgId, query), ...since])).rows;
}

const daysSql = `
select to_char(s.hour at time zone 'UTC', 'YYYY-MM-DD') as date,
  sum(s.accepted_direct + s.accepted_with_session)::float8 as acceptances, ${sum("declines")} as declines
from ${filtered("stat_hour")}
group by 1 having sum(s.accepted_direct + s.accepted_with_session + s.declines) > 0 order by 1`;

/** Days on which something was decided, oldest first. */
export const sumByDay = async (orgId: OrgId, client: pg.ClientBase, query: StatQuery): Promise<DayTotals[]> =>
  (await client.query<DayTotals>(daysSql, filterParameters(orgId, query))).rows;

const purposesSql = `
select s.purpose, ${sum("granted")} as granted, ${sum("denied")} as denied, ${sum("withdrawn")} as withdrawn
from ${filtered("stat_purpose")}
group by s.purpose order by s.purpose collate "C"`;

export const sumByPurpose = async (orgId: OrgId, client: pg.ClientBase, query: StatQuery): Promise<PurposeTotals[]> =>
  (await client.query<PurposeTotals>(purposesSql, filterParameters(orgId, query))).rows;

const timesSql = `
select s.bucket::integer, ${sum("acceptances")} as acceptances from ${filtered("stat_accept_time")} group by s.bucket`;

export const sumAcceptTimes = async (orgId: OrgId, client: pg.ClientBase, query: StatQuery): Promise<TimeBucket[]> =>
  (await client.query<TimeBucket>(timesSql, filterParameters(orgId, query))).rows;

/** How many users accepted from the first to the last day; see the comment on click.stat_reach. */
export async function countReached(
  orgId: OrgId,
  client: pg.ClientBase,
  { templateId, from, to }: StatQuery,
  scope: string,
): Promise<number> {
  const result = await client.query<{ users: number }>(
    `select ${sum("users")} as users from click.stat_reach s
     where s.organization_id = $1 and s.template_id = $2 and s.scope = $3
       and ($4::date is null or s.day >= $4) and ($5::date is null or s.day <= $5)
       and s.previous_day < coalesce($4::date, '0001-01-02')`,
    [orgId, templateId, scope, from, to],
  );
  return result.rows[0]?.users ?? 0;
}

export async function listHolders(
  orgId: OrgId,
  client: pg.ClientBase,
  { templateId, versionId, locale }: StatQuery,
): Promise<HolderTotals[]> {
  const result = await client.query<HolderTotals>(
    `select s.version_id as "versionId", s.revision, t.locale, t.label, to_char(s.day, 'YYYY-MM-DD') as day,
       s.users::float8 as users
     from click.stat_holder s
     left join click.agreement_text t
       on t.organization_id = s.organization_id and t.version_id = s.version_id and t.revision = s.revision
     where s.organization_id = $1 and s.template_id = $2 and s.users > 0
       and ($3::uuid is null or s.version_id = $3) and ($4::text is null or t.locale = $4)`,
    [orgId, templateId, versionId, locale],
  );
  return result.rows;
}

export interface HourTotals {
  readonly hour: Date;
  readonly acceptances: number;
  readonly declines: number;
}

/** What was decided in the 48 hours from a moment on, of all templates, by the hours that have begun since. */
export async function sumByHour(orgId: OrgId, client: pg.ClientBase, since: Date): Promise<HourTotals[]> {
  const { rows } = await client.query<HourTotals>(
    `select s.hour, sum(s.accepted_direct + s.accepted_with_session)::float8 as acceptances,
       ${sum("declines")} as declines
     from click.stat_hour s
     where s.organization_id = $1 and s.hour >= $2::timestamptz and s.hour < $2::timestamptz + interval '48 hours'
     group by s.hour having sum(s.accepted_direct + s.accepted_with_session + s.declines) > 0 order by s.hour`,
    [orgId, since],
  );
  return rows;
}
