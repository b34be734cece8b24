import type { Pool } from "pg";
import type { PersonalItemJson } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";

/** What everybody of the organization may know of an erasure. */
export interface StoredErasure {
  readonly id: string;
  readonly ground: string;
  readonly isDry: boolean;
  readonly askedBy: string;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
  readonly erased: number;
  readonly restricted: number;
  readonly kept: number;
  readonly failures: number;
}

export interface NewErasure extends Pick<StoredErasure, "id" | "ground" | "isDry" | "askedBy" | "createdAt"> {
  /** Null without an idempotency key. */
  readonly keyHash: Buffer | null;
  /** Of what was asked for. */
  readonly requestHash: Buffer;
  readonly sealedPerson: Buffer;
  readonly requestId: string;
}

/** Its id, or that of the erasure that the key began before; undefined when that is another one. */
export async function insertErasure({ orgId, client }: Tenant, erasure: NewErasure): Promise<string | undefined> {
  const { id, keyHash, requestHash, sealedPerson, ground, isDry, askedBy, requestId, createdAt } = erasure;
  const { rowCount } = await client.query(
    `insert into auth.erasure
       (organization_id, id, key_hash, request_hash, sealed_person, ground, is_dry, asked_by, request_id, created_at, run_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) on conflict do nothing`,
    [orgId, id, keyHash, requestHash, sealedPerson, ground, isDry, askedBy, requestId, createdAt],
  );
  if (rowCount === 1) return id;
  const { rows } = await client.query<{ id: string }>(
    "select id from auth.erasure where organization_id = $1 and key_hash = $2 and request_hash = $3",
    [orgId, keyHash, requestHash],
  );
  return rows[0]?.id;
}

const counted = (name: string, outcome: string): string => `(
  select count(*)::int from auth.erasure_page p cross join lateral jsonb_array_elements(p.items) as i
  where p.organization_id = e.organization_id and p.erasure_id = e.id
    and i ->> 'outcome' = 'PERSONAL_ITEM_OUTCOME_${outcome}') as ${name}`;

const columns = `e.id, e.ground, e.is_dry as "isDry", e.asked_by as "askedBy", e.created_at as "createdAt",
  e.completed_at as "completedAt", case when e.completed_at is null then greatest(e.attempts - 1, 0) else 0 end as failures,
  ${counted("erased", "ERASED")}, ${counted("restricted", "RESTRICTED")},
  ${counted("kept", "KEPT")}`;

export async function findErasure({ orgId, client }: Tenant, id: string): Promise<StoredErasure | undefined> {
  const sql = `select ${columns} from auth.erasure e where e.organization_id = $1 and e.id = $2`;
  return (await client.query<StoredErasure>(sql, [orgId, id])).rows[0];
}

/** Newest first: ids are in the order in which they were made. */
export async function listErasures(
  { orgId, client }: Tenant,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<StoredErasure[]> {
  const sql = `select ${columns} from auth.erasure e
    where e.organization_id = $1 and ($2::uuid is null or e.id < $2) order by e.id desc limit $3`;
  return (await client.query<StoredErasure>(sql, [orgId, before, limit])).rows;
}

/** A page of the report. */
export async function readPages(
  { orgId, client }: Tenant,
  id: string,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<{ readonly page: number; readonly items: readonly PersonalItemJson[] }[]> {
  const sql = `select page, items from auth.erasure_page
    where organization_id = $1 and erasure_id = $2 and page >= $3 order by page limit $4`;
  return (await client.query(sql, [orgId, id, from, limit])).rows;
}

/** An erasure that is ours until the lease is over, or until another process takes it after that. */
export interface ClaimedErasure {
  readonly orgId: OrgId;
  readonly id: string;
  readonly claim: string;
  readonly attempts: number;
}

/** Materialized: a plan that reads it once for each row would claim several, which nobody would work at. */
const claimSql = `
  with due as materialized (
    select organization_id, id from auth.erasure
    where completed_at is null and run_at <= $2 and (claimed_until is null or claimed_until <= $2)
    order by run_at limit 1 for no key update skip locked
  )
  update auth.erasure e set claim = $1, claimed_until = $3, attempts = e.attempts + 1 from due
  where e.organization_id = due.organization_id and e.id = due.id
  returning e.organization_id as "orgId", e.id, e.claim, e.attempts`;

/** Takes one that is due, of any organization. The janitor sees neither whom nor what it is about. */
export async function claimErasure(
  janitor: Pool,
  { claim, now, until }: { readonly claim: string; readonly now: Date; readonly until: Date },
): Promise<ClaimedErasure | undefined> {
  return (await janitor.query<ClaimedErasure>(claimSql, [claim, now, until])).rows[0];
}

/** How far an erasure has come. */
export interface RunningErasure {
  readonly sealedPerson: Buffer;
  readonly ground: string;
  readonly isDry: boolean;
  readonly askedBy: string;
  readonly requestId: string;
  readonly createdAt: Date;
  readonly step: number;
  readonly position: string;
  readonly pages: number;
}

/** Locked until the transaction ends, but pages can be added; undefined when it belongs to somebody else by now, or has ended. */
export async function lockClaimed(
  { orgId, client }: Tenant,
  { id, claim }: ClaimedErasure,
): Promise<RunningErasure | undefined> {
  const { rows } = await client.query<RunningErasure>(
    `select sealed_person as "sealedPerson", ground, is_dry as "isDry", asked_by as "askedBy", request_id as "requestId",
       created_at as "createdAt", step, position, pages
     from auth.erasure where organization_id = $1 and id = $2 and claim = $3 and completed_at is null for no key update`,
    [orgId, id, claim],
  );
  return rows[0];
}

/** A page that is there stays as it is. */
export async function insertPage(
  { orgId, client }: Tenant,
  id: string,
  page: number,
  items: readonly PersonalItemJson[],
): Promise<void> {
  const sql = `insert into auth.erasure_page (organization_id, erasure_id, page, items) values ($1, $2, $3, $4)
    on conflict do nothing`;
  await client.query(sql, [orgId, id, page, JSON.stringify(items)]);
}

/** The erasure must be locked. */
export async function advance(
  { orgId, client }: Tenant,
  id: string,
  to: { readonly step: number; readonly position: string; readonly pages: number; readonly until: Date },
): Promise<void> {
  await client.query(
    `update auth.erasure set step = $3, position = $4, pages = $5, claimed_until = $6, attempts = 0
     where organization_id = $1 and id = $2`,
    [orgId, id, to.step, to.position, to.pages, to.until],
  );
}

/** From now on nothing tells whom it was about. The erasure must be locked. */
export async function completeErasure({ orgId, client }: Tenant, id: string, now: Date): Promise<void> {
  await client.query(
    `update auth.erasure set completed_at = $3, sealed_person = null, claim = null, claimed_until = null
     where organization_id = $1 and id = $2`,
    [orgId, id, now],
  );
}

export async function putOffErasure(
  { orgId, client }: Tenant,
  { id, claim }: ClaimedErasure,
  runAt: Date,
): Promise<void> {
  await client.query(
    `update auth.erasure set run_at = $4, claim = null, claimed_until = null
     where organization_id = $1 and id = $2 and claim = $3 and completed_at is null`,
    [orgId, id, claim, runAt],
  );
}
