import { addressPattern } from "#platform/db/address-pattern.ts";
import type { Tenant } from "#platform/db/pool.ts";
import type { OldRecord, OldWindow } from "#platform/destroy-tables.ts";

/** Whose documents are looked for; both are empty when not known, but not at once. */
export interface SoughtPerson {
  /** In lower case. */
  readonly email: string;
  readonly userRef: string;
}

/** How many documents one statement looks at: it reads everything that is said of them. */
const windowSize = 1_000;

export interface DocumentWindow {
  /** Those that name the person. */
  readonly found: readonly string[];
  /** Where to go on; undefined at the end. */
  readonly next: string | undefined;
}

const names = (text: string): string => `($3 <> '' and strpos(lower(${text}), $3) > 0 and lower(${text}) ~ $5)`;

/**
 * Whether a reference is the document's own, or the whole of a text in its metadata, its data or what was said of it. What
 * members of JSON are called does not count, nor a part of a text: a short reference would find strangers.
 */
export const hasReference = (reference: string): string =>
  `(${reference} <> '' and (ref = ${reference} or jsonb_path_exists(jsonb_build_array(metadata, source, failure, warnings),
    'strict $.** ? (@ == $ref)', jsonb_build_object('ref', ${reference}::text))))`;

/** Looks at the next documents, deleted ones as well: at their data while they wait, and what they are called. */
export async function findDocuments(
  { client, orgId }: Tenant,
  { email, userRef }: SoughtPerson,
  after: string,
): Promise<DocumentWindow> {
  const { rows } = await client.query<{ id: string; isFound: boolean }>({
    name: "docgen-person-window",
    text: `select d.id, coalesce(${names("concat_ws(' ', d.file_name, d.metadata, d.source, d.failure, d.warnings)")}
        or ${hasReference("$4")} or ($3 <> '' and lower(d.ref) ~ $5), false) as "isFound"
      from (select * from docgen.document
        where organization_id = $1 and id > coalesce(nullif($2, ''), '00000000-0000-0000-0000-000000000000')::uuid
        order by id limit ${windowSize}) d order by d.id`,
    values: [orgId, after, email, userRef, addressPattern(email)],
  });
  return {
    found: rows.filter(({ isFound }) => isFound).map(({ id }) => id),
    next: rows.length === windowSize ? rows.at(-1)?.id : undefined,
  };
}

/** What stays of a deleted document says nothing about anybody any more. */
export async function clearDocument({ client, orgId }: Tenant, id: string, now: Date): Promise<void> {
  await client.query(
    `update docgen.document set cleared_at = coalesce(cleared_at, $3), ref = null, file_name = 'erased.pdf', metadata = null, warnings = '[]',
       failure = case when failure is null then null else jsonb_build_object('code', failure -> 'code', 'message', 'ERASED') end
     where organization_id = $1 and id = $2`,
    [orgId, id, now],
  );
}

/** Idempotency keys that name the address, by what they made. They are never deleted: a request may be repeated. */
export async function findRetryKeys({ client, orgId }: Tenant, email: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select target_id as id from docgen.idempotency_key
     where organization_id = $1 and $2 <> '' and lower(key) ~ $3 order by 1 limit 1000`,
    [orgId, email, addressPattern(email)],
  );
  return rows.map(({ id }) => id);
}

// What is said of a document that was deleted goes as well. Their ids are in the order in which they were made.
const oldSql = `organization_id = $1 and cleared_at is null and created_at < $2 and status not in ('queued', 'rendering')`;

export async function countOldDocuments({ orgId, client }: Tenant, before: Date): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from docgen.document where ${oldSql}`,
    [orgId, before],
  );
  return rows[0]?.count ?? 0;
}

export async function windowOfOldDocuments(
  { orgId, client }: Tenant,
  { before, after, limit, withText }: OldWindow,
): Promise<OldRecord[]> {
  const { rows } = await client.query<OldRecord>(
    `select id, case when $5 then concat_ws(' ', ref, file_name, metadata, failure, warnings) end as text
     from docgen.document where ${oldSql} and id > coalesce(nullif($3, ''), '00000000-0000-0000-0000-000000000000')::uuid
     order by id limit $4`,
    [orgId, before, after, limit, withText],
  );
  return rows;
}

/** Locks it; false when it is not old any more, or nothing is left of it. */
export async function lockOldDocument({ orgId, client }: Tenant, id: string, before: Date): Promise<boolean> {
  const { rowCount } = await client.query(`select from docgen.document where ${oldSql} and id = $3 for update`, [
    ...[orgId, before, id],
  ]);
  return rowCount === 1;
}

/** Those of which something is left. */
export async function findPresentDocuments({ orgId, client }: Tenant, ids: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    "select id from docgen.document where organization_id = $1 and id = any($2) and cleared_at is null",
    [orgId, ids],
  );
  return rows.map(({ id }) => id);
}
