import { randomBytes } from "node:crypto";
import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { HourRow, PurposeRow, StatPlace, TimeRow } from "./tally.ts";
import { hourCounters, type UserCount, type UserDays } from "./user-days.ts";

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

/** Names a user of a template by the keyed hash of the user reference, in hexadecimal. */
export interface UserName {
  readonly templateId: string;
  readonly userKey: string;
}

export type StatUser = UserName & UserDays;

/**
 * Keys are passed as bytes: under row-level security Postgres looks nothing up in an index by a function such as decode,
 * which is not leakproof, and would read all users of a template for each.
 */
const keyBytes = ({ userKey }: UserName): Buffer => Buffer.from(userKey, "hex");

/**
 * Reads these users and locks them, in one order, until the end of the transaction; unknown ones are left out. Each is
 * looked up by itself: for a join, Postgres reads all users of the organization for each batch, while its statistics lag
 * behind or there are fewer than some hundred thousand. With 32,000 users and 200 in a batch, counting one took Postgres
 * 45 µs, and the more the more there were; now it takes 18.
 */
export async function lockUsers({ orgId, client }: Tenant, names: readonly UserName[]): Promise<StatUser[]> {
  const result = await client.query<UserName & UserDays["last"] & { days: string }>({
    name: "click-stat-lock-users",
    text: `select k.template_id as "templateId", encode(k.user_key, 'hex') as "userKey", s.days,
        s.last_accepted_at as "acceptedAt", s.last_version_id as "versionId", s.last_revision as revision
      from (select template_id, user_key from unnest($2::uuid[], $3::bytea[]) u (template_id, user_key) order by 1, 2) k
      cross join lateral (
        select one.days, one.last_accepted_at, one.last_version_id, one.last_revision from click.stat_user one
        where one.organization_id = $1 and one.template_id = k.template_id and one.user_key = k.user_key for update
      ) s`,
    values: [orgId, names.map((name) => name.templateId), names.map(keyBytes)],
  });
  return result.rows.map(({ templateId, userKey, days, acceptedAt, versionId, revision }) => ({
    templateId,
    userKey,
    days: days.split(","),
    last: { acceptedAt, versionId, revision },
  }));
}

const arrays = (users: readonly StatUser[]): unknown[][] => [
  users.map((user) => user.templateId),
  users.map(keyBytes),
  users.map((user) => user.days.join(",")),
  users.map((user) => user.last.acceptedAt.toISOString()),
  users.map((user) => user.last.versionId),
  users.map((user) => user.last.revision),
];

const insertSql = `insert into click.stat_user
    (organization_id, template_id, user_key, days, last_accepted_at, last_version_id, last_revision)
  select $1, i.template_id, i.user_key, i.days, i.last_accepted_at, i.last_version_id, i.last_revision
  from unnest($2::uuid[], $3::bytea[], $4::text[], $5::timestamptz[], $6::uuid[], $7::integer[])
    i (template_id, user_key, days, last_accepted_at, last_version_id, last_revision) order by 2, 3`;

/** Adds users and returns those that were added. A user whom another process has added meanwhile is left unchanged. */
export async function insertUsers({ orgId, client }: Tenant, users: readonly StatUser[]): Promise<UserName[]> {
  if (users.length === 0) return [];
  const result = await client.query<UserName>({
    name: "click-stat-insert-users",
    text: `${insertSql}
      on conflict do nothing returning template_id as "templateId", encode(user_key, 'hex') as "userKey"`,
    values: [orgId, ...arrays(users)],
  });
  return result.rows;
}

/** Changes locked users: by their key, as an update with a join would read all users, too. */
export async function updateUsers({ orgId, client }: Tenant, users: readonly StatUser[]): Promise<void> {
  if (users.length === 0) return;
  await client.query({
    name: "click-stat-update-users",
    text: `${insertSql}
      on conflict (organization_id, template_id, user_key) do update set days = excluded.days,
        last_accepted_at = excluded.last_accepted_at, last_version_id = excluded.last_version_id,
        last_revision = excluded.last_revision`,
    values: [orgId, ...arrays(users)],
  });
}

/** A change in the number of users, positive or negative, at one place. */
export interface UserChange {
  readonly templateId: string;
  readonly place: UserCount;
  readonly users: number;
}

export async function addReach({ orgId, client }: Tenant, changes: readonly UserChange[]): Promise<void> {
  const rows = changes.flatMap(({ templateId, place, users }) =>
    place.kind === "reach" ? [{ templateId, ...place, users }] : [],
  );
  if (rows.length === 0) return;
  await client.query({
    name: "click-stat-reach",
    text: `insert into click.stat_reach as s (organization_id, template_id, scope, day, previous_day, users)
      select $1, i.* from unnest($2::uuid[], $3::text[], $4::date[], $5::date[], $6::bigint[])
        i (template_id, scope, day, previous_day, users) order by template_id, scope, day, previous_day
      on conflict (organization_id, template_id, scope, day, previous_day) do update set users = s.users + excluded.users`,
    values: [
      orgId,
      rows.map((row) => row.templateId),
      rows.map((row) => row.scope),
      rows.map((row) => row.day),
      rows.map((row) => row.previousDay),
      rows.map((row) => row.users),
    ],
  });
}

export async function addHolders({ orgId, client }: Tenant, changes: readonly UserChange[]): Promise<void> {
  const rows = changes.flatMap(({ templateId, place, users }) =>
    place.kind === "holder" ? [{ templateId, ...place, users }] : [],
  );
  if (rows.length === 0) return;
  await client.query({
    name: "click-stat-holders",
    text: `insert into click.stat_holder as s (organization_id, template_id, version_id, revision, day, users)
      select $1, i.* from unnest($2::uuid[], $3::uuid[], $4::integer[], $5::date[], $6::bigint[])
        i (template_id, version_id, revision, day, users) order by template_id, version_id, revision, day
      on conflict (organization_id, template_id, version_id, revision, day) do update set users = s.users + excluded.users`,
    values: [
      orgId,
      rows.map((row) => row.templateId),
      rows.map((row) => row.versionId),
      rows.map((row) => row.revision),
      rows.map((row) => row.day),
      rows.map((row) => row.users),
    ],
  });
}

// Templates are found one by one along the primary key, because few users are in many and no index leads to a user.
// Rows are locked in the order in which lockUsers locks them.
const forgetSql = `
with recursive template as (
  (select template_id from click.stat_user where organization_id = $1 order by template_id limit 1)
  union all
  select (select s.template_id from click.stat_user s
    where s.organization_id = $1 and s.template_id > t.template_id order by s.template_id limit 1)
  from template t where t.template_id is not null
),
held as materialized (
  select s.template_id from template t
  join click.stat_user s on s.organization_id = $1 and s.template_id = t.template_id and s.user_key = $2
  order by s.template_id for update of s
)
update click.stat_user s set user_key = substring(sha256($3 || uuid_send(s.template_id)) for 16)
from held where s.organization_id = $1 and s.template_id = held.template_id and s.user_key = $2`;

/**
 * Makes these counts anonymous for ever: the keys of the user's rows become random, a different one in each template.
 * The counts stay.
 */
export async function forgetUser({ orgId, client }: Tenant, userKey: Buffer): Promise<void> {
  await client.query(forgetSql, [orgId, userKey, randomBytes(32)]);
}
