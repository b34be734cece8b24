import type { ListPosition } from "#platform/cursor.ts";
import { lockInOrganization, type Tenant } from "#platform/db/pool.ts";
import { holdCounting } from "../stats/stat-store.ts";
import type { Campaign, PersonState, Standing } from "./campaign.ts";

const columns = `id, name, template_id as "templateId", version_id as "versionId", revision, status, due_at as "dueAt",
  reminder_days as "reminderDays", reminder_at as "reminderAt", time_zone as "timeZone", targets, next_at as "nextAt",
  reminders_sent as "remindersSent", people, unchecked, accepted, declined, withdrawn, erased,
  request_hash as "requestHash", created_by as "createdBy", created_at as "createdAt", started_at as "startedAt",
  announced_at as "announcedAt", ended_at as "endedAt", people_until as "peopleUntil"`;

/** A draft that was deleted is gone for everybody, and its rows when the worker comes. */
const isShown = "status <> 'DELETED'";

/** How many are drafts or run. Until the end of the transaction no other is made. */
export async function lockCampaigns(tenant: Tenant): Promise<number> {
  const { orgId, client } = tenant;
  await lockInOrganization(tenant, "click campaigns");
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from click.campaign
     where organization_id = $1 and status in ('DRAFT', 'RUNNING')`,
    [orgId],
  );
  return rows[0]?.count ?? 0;
}

export async function insertCampaign(
  { orgId, client }: Tenant,
  made: Pick<Campaign, "id" | "name" | "templateId" | "versionId" | "revision" | "dueAt"> &
    Pick<Campaign, "reminderDays" | "reminderAt" | "timeZone" | "requestHash" | "createdBy" | "createdAt"> & {
      readonly keyHash: Buffer | null;
    },
): Promise<void> {
  await client.query(
    `insert into click.campaign (organization_id, id, name, template_id, version_id, revision, due_at, reminder_days,
       reminder_at, time_zone, key_hash, request_hash, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      ...[orgId, made.id, made.name, made.templateId, made.versionId, made.revision, made.dueAt.toISOString()],
      ...[made.reminderDays, made.reminderAt, made.timeZone, made.keyHash, made.requestHash, made.createdBy],
      made.createdAt.toISOString(),
    ],
  );
}

export async function findCampaign({ orgId, client }: Tenant, id: string): Promise<Campaign | undefined> {
  const sql = `select ${columns} from click.campaign where organization_id = $1 and id = $2 and ${isShown}`;
  return (await client.query<Campaign>(sql, [orgId, id])).rows[0];
}

export async function findCampaignByKey({ orgId, client }: Tenant, keyHash: Buffer): Promise<Campaign | undefined> {
  const sql = `select ${columns} from click.campaign where organization_id = $1 and key_hash = $2`;
  return (await client.query<Campaign>(sql, [orgId, keyHash])).rows[0];
}

/** Newest first. */
export async function listCampaigns(
  { orgId, client }: Tenant,
  { after, limit }: { readonly after: ListPosition | undefined; readonly limit: number },
): Promise<Campaign[]> {
  const sql = `select ${columns} from click.campaign where organization_id = $1 and ${isShown}
    and ($2::timestamptz is null or (created_at, id) < ($2, $3)) order by created_at desc, id desc limit $4`;
  return (await client.query<Campaign>(sql, [orgId, after?.at.toISOString(), after?.id, limit])).rows;
}

/** Locks campaigns until the end of the transaction, always in the order of their ids: nobody is counted meanwhile. */
export async function lockAll({ orgId, client }: Tenant, ids: readonly string[]): Promise<Campaign[]> {
  const sql = `select ${columns} from click.campaign where organization_id = $1 and id = any($2) order by id for update`;
  return (await client.query<Campaign>(sql, [orgId, ids])).rows;
}

/** One that is there for others. */
export async function lockCampaign(tenant: Tenant, id: string): Promise<Campaign | undefined> {
  const [campaign] = await lockAll(tenant, [id]);
  return campaign?.status === "DELETED" ? undefined : campaign;
}

/** Of one that is locked; its counts have functions of their own. */
export async function updateCampaign({ orgId, client }: Tenant, campaign: Campaign): Promise<void> {
  const { id, name, status, targets, startedAt, announcedAt, endedAt, nextAt, remindersSent } = campaign;
  const times = [campaign.dueAt, nextAt, startedAt, announcedAt, endedAt, campaign.peopleUntil];
  await client.query(
    `update click.campaign set name = $3, status = $4, targets = $5, reminder_days = $6, reminder_at = $7, time_zone = $8,
       reminders_sent = $9, due_at = $10, next_at = $11, started_at = $12, announced_at = $13, ended_at = $14,
       people_until = $15
     where organization_id = $1 and id = $2`,
    [
      ...[orgId, id, name, status, targets === null ? null : JSON.stringify(targets)],
      ...[campaign.reminderDays, campaign.reminderAt, campaign.timeZone, remindersSent],
      ...times.map((time) => time?.toISOString() ?? null),
    ],
  );
}

/** One without people. */
export async function deleteCampaign({ orgId, client }: Tenant, id: string): Promise<void> {
  await client.query("delete from click.campaign where organization_id = $1 and id = $2", [orgId, id]);
}

/** Deletes some of the people of a locked campaign; false when none are left. Its counts stay. */
export async function deletePeople({ orgId, client }: Tenant, id: string, limit: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `delete from click.campaign_person where ctid = any(array(
       select ctid from click.campaign_person where organization_id = $1 and campaign_id = $2 limit $3))`,
    [orgId, id, limit],
  );
  return (rowCount ?? 0) > 0;
}

/** Somebody who is added. The reference is sealed. */
export interface NewPerson {
  readonly subjectIndex: Buffer;
  readonly seed: Buffer;
  readonly sealed: Buffer;
}

/** Adds people to a locked campaign, and answers how many are new; they are counted when there is room for them. */
export async function addPeople({ orgId, client }: Tenant, id: string, people: readonly NewPerson[]): Promise<number> {
  // In the order of the index: two pages with the same people would otherwise wait for each other.
  const sorted = [...people].sort((a, b) => a.subjectIndex.compare(b.subjectIndex));
  const { rowCount } = await client.query(
    `insert into click.campaign_person (organization_id, campaign_id, subject_index, seed, sealed)
     select $1, $2, p.* from unnest($3::bytea[], $4::bytea[], $5::bytea[]) as p on conflict do nothing`,
    [orgId, id, sorted.map((one) => one.subjectIndex), sorted.map((one) => one.seed), sorted.map((one) => one.sealed)],
  );
  return rowCount ?? 0;
}

/** Counts people who were added to a locked campaign. */
export async function countAdded({ orgId, client }: Tenant, id: string, added: number): Promise<void> {
  await client.query(
    `update click.campaign set people = people + $3, unchecked = unchecked + $3 where organization_id = $1 and id = $2`,
    [orgId, id, added],
  );
}

export interface StoredPerson extends NewPerson {
  readonly state: PersonState;
  readonly receiptId: string | null;
  readonly decidedAt: Date | null;
}

/** In the order of their indexes. */
export async function listPeople(
  { orgId, client }: Tenant,
  id: string,
  query: {
    /** Empty for all. */
    readonly states: readonly PersonState[];
    readonly after: Buffer | undefined;
    readonly only: Buffer | undefined;
    readonly limit: number;
  },
): Promise<StoredPerson[]> {
  const { rows } = await client.query<StoredPerson>(
    `select subject_index as "subjectIndex", state, receipt_id as "receiptId", decided_at as "decidedAt", seed, sealed
     from click.campaign_person where organization_id = $1 and campaign_id = $2
       and (cardinality($3::text[]) = 0 or state = any($3)) and subject_index > coalesce($4, ''::bytea)
       and ($5::bytea is null or subject_index = $5)
     order by subject_index limit $6`,
    [orgId, id, query.states, query.after ?? null, query.only ?? null, query.limit],
  );
  return rows;
}

/** The campaigns that somebody is in, and where they stand. */
export async function listCampaignsOf(
  { orgId, client }: Tenant,
  subjectIndex: Buffer,
): Promise<(Omit<StoredPerson, keyof NewPerson> & { readonly campaign: Campaign })[]> {
  const people = await client.query<{ id: string } & Omit<StoredPerson, keyof NewPerson>>(
    `select campaign_id as id, state, receipt_id as "receiptId", decided_at as "decidedAt"
     from click.campaign_person where organization_id = $1 and subject_index = $2`,
    [orgId, subjectIndex],
  );
  const sql = `select ${columns} from click.campaign where organization_id = $1 and id = any($2) and ${isShown} order by id`;
  const { rows } = await client.query<Campaign>(sql, [orgId, people.rows.map(({ id }) => id)]);
  return rows.flatMap((campaign) => {
    const person = people.rows.find(({ id }) => id === campaign.id);
    return person === undefined ? [] : [{ ...person, campaign }];
  });
}

/** Some people of a locked campaign that nobody has looked at. */
export async function listUnchecked({ orgId, client }: Tenant, id: string, limit: number): Promise<Buffer[]> {
  const { rows } = await client.query<{ subjectIndex: Buffer }>(
    `select subject_index as "subjectIndex" from click.campaign_person
     where organization_id = $1 and campaign_id = $2 and state = 'LISTED' order by subject_index limit $3`,
    [orgId, id, limit],
  );
  return rows.map(({ subjectIndex }) => subjectIndex);
}

/** Campaigns that count what these people do. */
export async function findCounting({ orgId, client }: Tenant, subjects: readonly Buffer[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select distinct p.campaign_id as id from click.campaign_person p
     join click.campaign c on c.organization_id = p.organization_id and c.id = p.campaign_id
     where p.organization_id = $1 and p.subject_index = any($2) and c.status in ('RUNNING', 'ENDED')`,
    [orgId, subjects],
  );
  return rows.map(({ id }) => id);
}

/** Whether any campaign of the organization counts; most have none. */
export async function isCounting({ orgId, client }: Tenant): Promise<boolean> {
  const sql = "select from click.campaign where organization_id = $1 and status in ('RUNNING', 'ENDED') limit 1";
  return (await client.query(sql, [orgId])).rowCount === 1;
}

/** Who of these is in a locked campaign and was looked at before. */
export async function listChecked(
  { orgId, client }: Tenant,
  id: string,
  subjects: readonly Buffer[],
): Promise<Buffer[]> {
  const { rows } = await client.query<{ subjectIndex: Buffer }>(
    `select subject_index as "subjectIndex" from click.campaign_person
     where organization_id = $1 and campaign_id = $2 and subject_index = any($3) and state <> 'LISTED'`,
    [orgId, id, subjects],
  );
  return rows.map(({ subjectIndex }) => subjectIndex);
}

/** Which states have a count; the others are asked. */
const countedStates = { unchecked: "LISTED", accepted: "ACCEPTED", declined: "DECLINED", withdrawn: "WITHDRAWN" };

/** Without those whose states are in g. */
const countsWithout = Object.entries(countedStates)
  .map(([count, state]) => `${count} = ${count} - (g.state = '${state}')::integer`)
  .join(", ");

/** Writes where people of a locked campaign stand, and counts them anew by what changes. */
export async function setStandings(
  { orgId, client }: Tenant,
  id: string,
  standings: readonly (Standing & { readonly subjectIndex: Buffer })[],
): Promise<void> {
  await client.query(
    `with n as (
       select * from unnest($3::bytea[], $4::text[], $5::uuid[], $6::timestamptz[]) as n (subject_index, state, receipt_id, decided_at)
     ), before as (
       select p.subject_index, p.state from click.campaign_person p join n using (subject_index)
       where p.organization_id = $1 and p.campaign_id = $2 and (p.state, p.receipt_id) is distinct from (n.state, n.receipt_id)
     ), moved as (
       update click.campaign_person p set state = n.state, receipt_id = n.receipt_id, decided_at = n.decided_at
       from n join before b using (subject_index)
       where p.organization_id = $1 and p.campaign_id = $2 and p.subject_index = n.subject_index
       returning b.state as was, p.state as is
     )
     update click.campaign c set ${Object.keys(countedStates).map((count) => `${count} = c.${count} + m.${count}`)}
     from (select ${Object.entries(countedStates).map(
       ([count, state]) =>
         `(count(*) filter (where moved.is = '${state}') - count(*) filter (where moved.was = '${state}'))::integer as ${count}`,
     )} from moved) m
     where c.organization_id = $1 and c.id = $2`,
    [
      ...[orgId, id, standings.map((one) => one.subjectIndex), standings.map((one) => one.state)],
      standings.map((one) => one.receiptId),
      standings.map((one) => one.decidedAt?.toISOString() ?? null),
    ],
  );
}

/** Takes somebody out of a locked campaign and of its counts; false when they are not in it. */
export async function removePerson({ orgId, client }: Tenant, id: string, subjectIndex: Buffer): Promise<boolean> {
  const { rowCount } = await client.query(
    `with g as (
       delete from click.campaign_person where organization_id = $1 and campaign_id = $2 and subject_index = $3
       returning state
     )
     update click.campaign c set people = people - 1, ${countsWithout} from g where c.organization_id = $1 and c.id = $2`,
    [orgId, id, subjectIndex],
  );
  return rowCount === 1;
}

/** Deletes somebody from all campaigns, as the eraser; the campaigns that they were in. */
export async function forgetPerson(tenant: Tenant, subjectIndex: Buffer): Promise<string[]> {
  const { orgId, client } = tenant;
  const isIn = "select from click.campaign_person where organization_id = $1 and subject_index = $2 limit 1";
  if ((await client.query(isIn, [orgId, subjectIndex])).rowCount === 0) return [];
  // Whoever counts has this lock before those of campaigns.
  await holdCounting(tenant);
  await client.query(
    `select from click.campaign where organization_id = $1 and id = any(array(
       select campaign_id from click.campaign_person where organization_id = $1 and subject_index = $2))
     order by id for update`,
    [orgId, subjectIndex],
  );
  const { rows } = await client.query<{ id: string; state: PersonState }>(
    `delete from click.campaign_person where organization_id = $1 and subject_index = $2
     returning campaign_id as id, state`,
    [orgId, subjectIndex],
  );
  await client.query(
    `update click.campaign c set people = people - 1, erased = erased + 1, ${countsWithout}
     from unnest($2::uuid[], $3::text[]) as g (id, state) where c.organization_id = $1 and c.id = g.id`,
    [orgId, rows.map(({ id }) => id), rows.map(({ state }) => state)],
  );
  return rows.map(({ id }) => id).sort();
}
