import { randomBytes } from "node:crypto";
import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";

/** Cancels open sessions that are locked. */
export async function cancelSessions(
  { orgId, client }: Tenant,
  sessionIds: readonly string[],
  now: Date,
): Promise<void> {
  if (sessionIds.length === 0) return;
  await client.query(
    `update click.session set status = 'CANCELLED', outcome = 'NONE', updated_at = $3
     where organization_id = $1 and id = any($2)`,
    [orgId, sessionIds, now.toISOString()],
  );
}

/** The stored seed of a record's data key. */
export interface StoredSeed {
  readonly recordId: string;
  readonly seed: Buffer;
  readonly restrictedUntil: Date | null;
}

export async function listSeeds({ orgId, client }: Tenant, recordIds: readonly string[]): Promise<StoredSeed[]> {
  const { rows } = await client.query<StoredSeed>(
    `select record_id as "recordId", seed, restricted_until as "restrictedUntil" from click.subject_key
     where organization_id = $1 and record_id = any($2)`,
    [orgId, recordIds],
  );
  return rows;
}

/** Replaces plain seeds by restricted ones, or changes the time of restricted ones. */
export async function replaceSeeds({ orgId, client }: Tenant, seeds: readonly StoredSeed[]): Promise<void> {
  await client.query(
    `update click.subject_key k set seed = r.seed, restricted_until = r.restricted_until
     from unnest($2::uuid[], $3::bytea[], $4::timestamptz[]) as r (record_id, seed, restricted_until)
     where k.organization_id = $1 and k.record_id = r.record_id`,
    [
      orgId,
      seeds.map((one) => one.recordId),
      seeds.map((one) => one.seed),
      seeds.map((one) => one.restrictedUntil?.toISOString()),
    ],
  );
}

/** How long sessions must be kept for their acceptances; null when they need not be or have none. */
export async function findSessionRetention(
  { orgId, client }: Tenant,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, Date | null>> {
  if (sessionIds.length === 0) return new Map();
  const { rows } = await client.query<{ id: string; until: Date | null }>(
    `select s.id, max(k.restricted_until) as until
     from unnest($2::uuid[]) as s (id)
     left join click.acceptance a on a.organization_id = $1 and a.session_id = s.id
     left join click.subject_key k on k.organization_id = $1 and k.record_id = a.receipt_id
     group by s.id`,
    [orgId, sessionIds],
  );
  return new Map(rows.map((row) => [row.id, row.until]));
}

/** The erased records by kind. */
export interface ErasedRecords {
  readonly receiptIds: readonly string[];
  readonly sessionIds: readonly string[];
  /** Receipts of consent changes made without an acceptance. */
  readonly changeIds: readonly string[];
}

/**
 * Removes the personal data of these records; their persons, sessions and heads must be locked. Seeds go first:
 * without them nothing sealed can be read any more, in any copy.
 */
export async function eraseRecords(
  { orgId, client }: Tenant,
  recordIds: readonly string[],
  { subjectIndexes, now }: { readonly subjectIndexes: readonly Buffer[]; readonly now: Date },
): Promise<ErasedRecords> {
  if (recordIds.length === 0) return { receiptIds: [], sessionIds: [], changeIds: [] };
  const onRecords = async (sql: string, ...more: unknown[]): Promise<string[]> =>
    (await client.query<{ id: string }>(sql, [orgId, recordIds, ...more])).rows.map((row) => row.id).sort();
  await onRecords("delete from click.subject_key where organization_id = $1 and record_id = any($2)");
  await onRecords("delete from click.sealed_rendering where organization_id = $1 and record_id = any($2)");
  await onRecords("delete from click.session_event where organization_id = $1 and session_id = any($2)");
  await onRecords(cancelCopiesSql, now.toISOString());
  const receiptIds = await onRecords(eraseAcceptancesSql, now.toISOString());
  const sessionIds = await onRecords(eraseSessionsSql, now.toISOString());
  const newIndexes = subjectIndexes.map(() => randomBytes(16));
  const changeIds = await onRecords(eraseChangesSql, now.toISOString(), subjectIndexes, newIndexes);
  return { receiptIds, sessionIds, changeIds };
}

// What was sent was sent; what waits has no address any more.
const cancelCopiesSql = `
update click.copy set status = 'CANCELLED', ended_at = $3
where organization_id = $1 and receipt_id = any($2) and status = 'WAITING'
returning receipt_id as id`;

const eraseAcceptancesSql = `
update click.acceptance set subject_index = null, sealed = null, once_hash = null, erased_at = $3
where organization_id = $1 and receipt_id = any($2) and decision <> 'CONSENT'
returning receipt_id as id`;

// The hash of a text with personal values is personal data itself.
const eraseSessionsSql = `
update click.session s set subject_index = null, sealed = null, sealed_reason = null, page_facts = null, erased_at = $3,
  render_hash = case when exists (
    select from click.template_terms t
    where t.organization_id = $1 and t.terms_hash = s.terms_hash and t.terms::json ->> 'type' <> 'GENERATED')
  then s.render_hash end
where s.organization_id = $1 and s.id = any($2)
returning s.id`;

// Changes erased together share one random index, so that they keep their order.
const eraseChangesSql = `
with moved as (
  update click.consent_event e set subject_index = m.to_index, sealed = null, erased_at = $3
  from unnest($4::bytea[], $5::bytea[]) as m (from_index, to_index)
  where e.organization_id = $1 and e.subject_index = m.from_index and e.receipt_id = any($2)
  returning e.receipt_id, e.update_id
)
select receipt_id as id from moved where update_id is not null`;

/**
 * These grants' expiry will not be reported any more. Rows the sweeper holds are skipped: it is deleting them
 * anyway and may be waiting for the head locked here. Uses arrays because the planner cannot estimate how many
 * rows one person has.
 */
export async function deleteDeadlines(
  { orgId, client }: Tenant,
  subjectIndex: Buffer,
  receiptIds: readonly string[],
): Promise<void> {
  await client.query(
    `delete from click.consent_deadline
     where organization_id = $1 and subject_index = $2 and revision = any(array(
       select d.revision from click.consent_deadline d
       where d.organization_id = $1 and d.subject_index = $2 and d.revision = any(array(
         select e.revision from click.consent_event e
         where e.organization_id = $1 and e.subject_index = $2 and e.receipt_id = any($3)))
       for update of d skip locked))`,
    [orgId, subjectIndex, receiptIds],
  );
}

/** Deletes the locked heads of persons without any remaining consent change. */
export async function deleteEmptyHeads({ orgId, client }: Tenant, subjectIndexes: readonly Buffer[]): Promise<void> {
  await client.query(
    `delete from click.consent_head h where h.organization_id = $1 and h.subject_index = any($2) and not exists (
       select from click.consent_event e where e.organization_id = h.organization_id and e.subject_index = h.subject_index)`,
    [orgId, subjectIndexes],
  );
}

export interface ErasureRow {
  readonly id: string;
  /** JSON. */
  readonly outcome: string;
  readonly clientId: string;
  readonly requestId: string;
  readonly requestedAt: Date;
}

export async function insertErasure({ orgId, client }: Tenant, row: ErasureRow): Promise<void> {
  await client.query(
    `insert into click.erasure (organization_id, id, outcome, client_id, request_id, requested_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [orgId, row.id, row.outcome, row.clientId, row.requestId, row.requestedAt.toISOString()],
  );
}

/** What an erasure came to; undefined when there was none with this id, or nothing to do. */
export async function findErasure(
  { orgId, client }: Tenant,
  id: string,
): Promise<
  | {
      readonly erased: ErasedRecords;
      readonly restricted: readonly { recordId: string; until: string }[];
      /** Campaigns that do not have the person any more. */
      readonly campaignIds?: readonly string[];
    }
  | undefined
> {
  const { rows } = await client.query("select outcome from click.erasure where organization_id = $1 and id = $2", [
    orgId,
    id,
  ]);
  return rows[0] === undefined ? undefined : JSON.parse(rows[0].outcome);
}

/**
 * Restricted records whose time is over, longest due first, by organization. Spans organizations: the pool must
 * connect as the eraser.
 */
export async function findDueRecords(pool: pg.Pool, now: Date, limit: number): Promise<ReadonlyMap<string, string[]>> {
  const { rows } = await pool.query<{ organizationId: string; recordId: string }>(
    `select organization_id as "organizationId", record_id as "recordId" from click.subject_key
     where restricted_until <= $1 order by restricted_until limit $2`,
    [now.toISOString(), limit],
  );
  const byOrganization = Map.groupBy(rows, (row) => row.organizationId);
  return new Map([...byOrganization].map(([id, due]) => [id, due.map((row) => row.recordId)]));
}

/** Which of these records are still restricted and due. */
export async function listStillDue(
  { orgId, client }: Tenant,
  recordIds: readonly string[],
  now: Date,
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select record_id as id from click.subject_key
     where organization_id = $1 and record_id = any($2) and restricted_until <= $3 order by record_id`,
    [orgId, recordIds, now.toISOString()],
  );
  return rows.map((row) => row.id);
}

/** Extends the restriction of records. */
export async function postponeRecords(
  { orgId, client }: Tenant,
  recordIds: readonly string[],
  { now, until }: { readonly now: Date; readonly until: Date },
): Promise<void> {
  if (recordIds.length === 0) return;
  await client.query(
    `update click.subject_key set restricted_until = $4
     where organization_id = $1 and record_id = any($2) and restricted_until <= $3`,
    [orgId, recordIds, now.toISOString(), until.toISOString()],
  );
}
