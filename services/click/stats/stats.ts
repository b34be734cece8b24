import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { GetTemplateStatsRequest } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import { canonicalLocale } from "#platform/locale.ts";
import { momentOf } from "#platform/problems.ts";
import { parseTimestamp } from "../accept/accept-body.ts";
import type { ClickDeps, ClickRpcs } from "../deps.ts";
import { problem, refuse } from "../problems.ts";
import type { TemplateOffer } from "../terms/agreement-state.ts";
import { type TemplateSource, templateKey } from "../terms/template-source.ts";
import { hourOf } from "./tally.ts";
import {
  buildStats,
  type DayTotals,
  type HolderTotals,
  type PurposeTotals,
  type StatQuery,
  type TextTotals,
  type TimeBucket,
} from "./template-stats.ts";
import { localeScope, templateScope, versionScope } from "./user-days.ts";

type Deps = Pick<ClickDeps, "pool" | "clock" | "templates" | "templateParts">;

export const getTemplateStats = (deps: Deps): ClickRpcs<"getTemplateStats"> => ({
  async getTemplateStats(request, context) {
    const caller = requireCaller(context);
    const query = readQuery(request);
    const now = deps.clock.now();
    const [parts, offer] = await Promise.all([
      deps.templateParts(caller, query.templateId),
      currentOffer(deps, caller.orgId, query.templateId),
    ]);
    const { orgId } = caller;
    const counted = await withOrg(deps.pool, orgId, async (tenant) => ({
      totals: await sumByText(tenant, query, recent(now)),
      days: await sumByDay(tenant, query),
      purposes: await sumByPurpose(tenant, query),
      times: await sumAcceptTimes(tenant, query),
      uniqueUsers: await countReached(tenant, query, scopeOf(query)),
      holders: await listHolders(tenant, query),
    }));
    return { statsJson: JSON.stringify(buildStats({ query, ...counted, offer, parts, now })) };
  },
});

function readQuery({ templateId, from, to, locale, versionId }: GetTemplateStatsRequest): StatQuery {
  if (!isUuid(templateId)) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
  const details: FieldProblem[] = [];
  const note = (field: string, message: string) => details.push(problem(field, "FORMAT", message));
  for (const [field, day] of Object.entries({ from, to })) {
    if (day === undefined) continue;
    if (!isDay(day)) note(field, "must be a day in the form YYYY-MM-DD");
    else if (day < "0002") note(field, "is too early: no day before the year 2 is counted");
  }
  if (from !== undefined && to !== undefined && from > to) note("to", "must not be before from");
  const canonical = locale === undefined ? undefined : canonicalLocale(locale);
  if (locale !== undefined && canonical === undefined) note("locale", "must be a BCP 47 language tag such as en-US");
  if (versionId !== undefined && !isUuid(versionId)) note("versionId", "must be a UUID");
  refuse(details);
  return {
    templateId: templateId.toLowerCase(),
    from: from ?? null,
    to: to ?? null,
    versionId: versionId?.toLowerCase() ?? null,
    locale: canonical ?? null,
  };
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== undefined;

const dayMs = 86_400_000;

/**
 * Statistics are kept by the hour, so the last hours are rounded up to whole ones: at most one hour too many, never one
 * too few.
 */
const recent = (now: Date): [string, string, string] => {
  const since = (days: number) => hourOf(new Date(now.getTime() - days * dayMs));
  return [since(1), since(7), since(30)];
};

const scopeOf = ({ versionId, locale }: StatQuery): string => {
  // A version has one locale, so naming both selects no more than the version does.
  if (versionId !== null) return versionScope(versionId);
  return locale === null ? templateScope : localeScope(locale);
};

/** What a template offers now. CLICK_TEMPLATE_NOT_FOUND when there is none. */
export async function currentOffer(
  { templates }: { templates: TemplateSource },
  organizationId: OrgId,
  templateId: string,
): Promise<TemplateOffer> {
  const name = { organizationId, template: { case: "templateId", value: templateId } } as const;
  const template = (await templates.resolve([name])).get(templateKey(name));
  if (template === undefined) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
  return { published: template.archived ? [] : template.published, policy: template.terms.terms.policy };
}

export const getActivity = (deps: Pick<ClickDeps, "pool">): ClickRpcs<"getActivity"> => ({
  async getActivity({ since }, context) {
    const { orgId } = requireCaller(context);
    const from = momentOf("since", since);
    const hours = await withOrg(deps.pool, orgId, (tenant) => sumByHour(tenant, from));
    return {
      hours: hours.map(({ hour, acceptances, declines }) => ({
        hour: timestampFromDate(hour),
        acceptances: BigInt(acceptances),
        declines: BigInt(declines),
      })),
    };
  },
});

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
async function sumByText(
  { orgId, client }: Tenant,
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

/** Days on which a decision was made, oldest first. */
const sumByDay = async ({ orgId, client }: Tenant, query: StatQuery): Promise<DayTotals[]> =>
  (await client.query<DayTotals>(daysSql, filterParameters(orgId, query))).rows;

const purposesSql = `
select s.purpose, ${sum("granted")} as granted, ${sum("denied")} as denied, ${sum("withdrawn")} as withdrawn
from ${filtered("stat_purpose")}
group by s.purpose order by s.purpose collate "C"`;

const sumByPurpose = async ({ orgId, client }: Tenant, query: StatQuery): Promise<PurposeTotals[]> =>
  (await client.query<PurposeTotals>(purposesSql, filterParameters(orgId, query))).rows;

const timesSql = `
select s.bucket::integer, ${sum("acceptances")} as acceptances from ${filtered("stat_accept_time")} group by s.bucket`;

const sumAcceptTimes = async ({ orgId, client }: Tenant, query: StatQuery): Promise<TimeBucket[]> =>
  (await client.query<TimeBucket>(timesSql, filterParameters(orgId, query))).rows;

/** How many users accepted from the first to the last day; see the comment on click.stat_reach. */
async function countReached(
  { orgId, client }: Tenant,
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

async function listHolders(
  { orgId, client }: Tenant,
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

interface HourTotals {
  readonly hour: Date;
  readonly acceptances: number;
  readonly declines: number;
}

/** The decisions in the 48 hours from a given time, of all templates, by the hours that have begun since. */
async function sumByHour({ orgId, client }: Tenant, since: Date): Promise<HourTotals[]> {
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
