import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { HourRow, PurposeRow, StatPlace, TimeRow } from "./tally.ts";
import { hourCounters } from "./user-days.ts";

const placeColumns = { template_id: "uuid", hour: "timestamptz", version_id: "uuid", revision: "integer" } as const;

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const counterColumns = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [snake(name), "bigint"]));

/**
 * Adds rows to a table of counters. Rows are written in the order of the primary key, so that two processes cannot wait
 * for each other in a circle.
 */
function addSql(table: string, keys: object, counters: object, times: readonly string[] = []): string {
  const columns = { ...keys, ...counters, ...Object.fromEntries(times.map((name) => [name, "timestamptz"])) };
  const names = Object.keys(columns);
  const key = ["organization_id", ...Object.keys(keys)].join(", ");
  const sums = Object.keys(counters).map((name) => `${name} = s.${name} + excluded.${name}`);
  const bounds = times.map(
    (name) => `${name} = ${name.startsWith("first") ? "least" : "greatest"}(s.${name}, excluded.${name})`,
  );
  const parameters = Object.values(columns).map((type, index) => `$${index + 2}::${type}[]`);
  return `insert into click.${table} as s (organization_id, ${names.join(", ")})
    select $1, i.* from unnest(${parameters.join(", ")}) i (${names.join(", ")}) order by ${Object.keys(keys).join(", ")}
    on conflict (${key}) do update set ${[...sums, ...bounds].join(", ")}`;
}

const placeArrays = (rows: readonly StatPlace[]): unknown[][] => [
  rows.map((row) => row.templateId),
  rows.map((row) => row.hour),
  rows.map((row) => row.versionId),
  rows.map((row) => row.revision),
];

const addHoursSql = addSql("stat_hour", placeColumns, counterColumns(hourCounters), [
  "first_accepted_at",
  "last_accepted_at",
]);

export async function addHours({ orgId, client }: Tenant, rows: readonly HourRow[]): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: "click-stat-hours",
    text: addHoursSql,
    values: [
      orgId,
      ...placeArrays(rows),
      ...hourCounters.map((counter) => rows.map((row) => row[counter])),
      rows.map((row) => row.firstAcceptedAt?.toISOString()),
      rows.map((row) => row.lastAcceptedAt?.toISOString()),
    ],
  });
}

const addTimesSql = addSql("stat_accept_time", { ...placeColumns, bucket: "smallint" }, { acceptances: "bigint" });

export async function addTimes({ orgId, client }: Tenant, rows: readonly TimeRow[]): Promise<void> {
  if (rows.length === 0) return;
  const values = [orgId, ...placeArrays(rows), rows.map((row) => row.bucket), rows.map((row) => row.acceptances)];
  await client.query({ name: "click-stat-times", text: addTimesSql, values });
}

const decisions = ["granted", "denied", "withdrawn"] as const;
const addPurposesSql = addSql("stat_purpose", { ...placeColumns, purpose: "text" }, counterColumns(decisions));

export async function addPurposes({ orgId, client }: Tenant, rows: readonly PurposeRow[]): Promise<void> {
  if (rows.length === 0) return;
  const counts = decisions.map((decision) => rows.map((row) => row[decision]));
  const values = [orgId, ...placeArrays(rows), rows.map((row) => row.purpose), ...counts];
  await client.query({ name: "click-stat-purposes", text: addPurposesSql, values });
}

/** Marks sessions as counted; returns those that were not counted before. */
export async function markReused({ orgId, client }: Tenant, sessionIds: readonly string[]): Promise<Set<string>> {
  if (sessionIds.length === 0) return new Set();
  const result = await client.query<{ id: string }>(
    `insert into click.stat_reused_session (organization_id, session_id)
     select $1, id from unnest($2::uuid[]) id order by id on conflict do nothing returning session_id as id`,
    [orgId, sessionIds],
  );
  return new Set(result.rows.map(({ id }) => id));
}

export interface TextName {
  readonly versionId: string;
  readonly revision: number;
}

/** The locales of stored texts. */
export async function findLocales(
  { orgId, client }: Tenant,
  texts: readonly TextName[],
): Promise<(TextName & { readonly locale: string })[]> {
  const result = await client.query<TextName & { locale: string }>(
    `select t.version_id as "versionId", t.revision, t.locale
     from unnest($2::uuid[], $3::integer[]) k (version_id, revision)
     join click.agreement_text t
       on t.organization_id = $1 and t.version_id = k.version_id and t.revision = k.revision`,
    [orgId, texts.map(({ versionId }) => versionId), texts.map(({ revision }) => revision)],
  );
  return result.rows;
}

const lockName = (orgId: OrgId): string => `click statistics ${orgId}`;

/** Blocks erasures until the end of the transaction, so that records read after this stay valid for what is counted. */
export async function shareCounting({ orgId, client }: Tenant): Promise<void> {
  await client.query("select pg_advisory_xact_lock_shared(hashtextextended($1, 0))", [lockName(orgId)]);
}

/** Waits for all counting in progress, and blocks further counting until the end of the transaction. */
export async function holdCounting({ orgId, client }: Tenant): Promise<void> {
  await client.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [lockName(orgId)]);
}

/**
 * Which of these acceptances must no longer be counted under the user's name, because they are erased or restricted.
 * Most organizations have never erased anybody, and pay only for one look-up.
 */
export async function findWithheld(
  { orgId, client }: Tenant,
  receiptIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (receiptIds.length === 0) return new Set();
  const { rows } = await client.query<{ id: string }>({
    name: "click-stat-withheld",
    // Looks each key up by itself: for a join, Postgres may read all of them.
    text: `select r.id from unnest($2::uuid[]) as r (id)
      where exists (select from click.erasure e where e.organization_id = $1) and (
        select k.restricted_until is null from click.subject_key k
        where k.organization_id = $1 and k.record_id = r.id) is not true`,
    values: [orgId, receiptIds],
  });
  return new Set(rows.map((row) => row.id));
}
