import type { Pool } from "pg";
import type { OrgId } from "#platform/ids.ts";

/** Who kept a gateway busy, from a space-saving sketch (gateway/limits/use-report.ts). */
export interface Load {
  readonly spanMs: number;
  /** At most this, of each organization that is not among them. */
  readonly othersMs: number;
  readonly organizations: readonly OrganizationLoad[];
}

export interface OrganizationLoad {
  readonly id: string;
  /** At most. */
  readonly busyMs: number;
  /** How much of it may be of others. */
  readonly errorMs: number;
}

export interface Report {
  readonly gatewayId: string;
  readonly sequence: number;
  readonly requests: readonly { readonly id: string; readonly requests: number; readonly refused: number }[];
  readonly load: Load;
}

/** How many reports of a process are kept: those of a minute. */
const reportsKept = 4;

// A report that is there already adds nothing. Whoever was deleted meanwhile is left out.
const addReportSql = `with told as materialized (
    insert into auth.gateway_report (gateway_id, sequence, reported_at, load)
    select $1, $2, $3, jsonb_set($4::jsonb, '{organizations}', coalesce(
      (select jsonb_agg(e) from jsonb_array_elements($4::jsonb -> 'organizations') e
       join auth.organization o on o.organization_id = (e ->> 'id')::uuid), '[]'))
    on conflict do nothing returning gateway_id
  ), former as (
    delete from auth.gateway_report r using told where r.gateway_id = told.gateway_id and r.sequence <= $2 - ${reportsKept}
  )
  insert into auth.request_day as d (organization_id, day, requests, refused)
  select o.organization_id, $5::date, n.requests, n.refused
  from told, unnest($6::uuid[], $7::bigint[], $8::bigint[]) as n (id, requests, refused)
    join auth.organization o on o.organization_id = n.id
  order by 1
  on conflict (organization_id, day) do update
    set requests = d.requests + excluded.requests, refused = d.refused + excluded.refused`;

/** Adds what a gateway has counted, once. */
export async function addReport(
  janitor: Pool,
  { gatewayId, sequence, requests, load }: Report,
  now: Date,
): Promise<void> {
  await janitor.query(addReportSql, [
    ...[gatewayId, sequence, now, JSON.stringify(load), now.toISOString().slice(0, 10)],
    ...[requests.map(({ id }) => id), requests.map((one) => one.requests), requests.map(({ refused }) => refused)],
  ]);
}

/** The latest ones, by gateway. */
export async function listLoads(
  lookup: Pool,
  since: Date,
): Promise<readonly { readonly gatewayId: string; readonly load: Load }[]> {
  const sql = 'select gateway_id as "gatewayId", load from auth.gateway_report where reported_at > $1';
  return (await lookup.query<{ gatewayId: string; load: Load }>(sql, [since])).rows;
}

export async function findNames(lookup: Pool, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const sql = "select organization_id as id, name from auth.organization where organization_id = any($1::uuid[])";
  const { rows } = await lookup.query<{ id: OrgId; name: string }>(sql, [ids]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Days that nobody is shown any more, and reports of gateways that are gone. */
export async function deleteOldRequests(janitor: Pool, daysBefore: Date, reportsBefore: Date): Promise<number> {
  const reports = await janitor.query("delete from auth.gateway_report where reported_at < $1", [reportsBefore]);
  const days = await janitor.query("delete from auth.request_day where day < $1", [daysBefore]);
  return (reports.rowCount ?? 0) + (days.rowCount ?? 0);
}
