import type { JsonObject } from "@bufbuild/protobuf";
import type { Tenant } from "#platform/db/pool.ts";
import type { Document, DocumentSource, DocumentStatus, Failure, TextRef } from "../domain/document.ts";
import type { Profile } from "../domain/page.ts";

/** A document that is to be rendered or is begun with, or an item of a batch that has failed before. */
export interface NewDocument {
  readonly id: string;
  readonly status: "queued" | "rendering" | "failed";
  /** The claim of a document that this process renders immediately. */
  readonly begun?: { readonly claim: string; readonly leaseMs: number };
  readonly batchId?: string;
  readonly itemIndex?: number;
  readonly ref?: string;
  readonly templateId: string | null;
  readonly templateVersion: number | null;
  readonly templateRef: TextRef | null;
  readonly profile: Profile;
  /** Whether its template is a Word file, which another service prints. */
  readonly isWord?: boolean;
  readonly fileName: string;
  readonly locale: string;
  readonly timeZone: string;
  readonly metadata: JsonObject | null;
  /** Null for one that has failed. */
  readonly source: DocumentSource | null;
  readonly failure?: Failure;
  /** Seconds. */
  readonly expiresIn: number | null;
  /** Absent for items of a batch, whose slot is that of the batch. */
  readonly slots?: TakenSlots;
  readonly createdBy: string;
  readonly requestId: string;
  readonly traceparent: string;
  readonly createdAt: Date;
  /** Of one that has failed. */
  readonly completedAt?: Date;
}

/** The windows that slots were taken from. */
export interface TakenSlots {
  readonly hourStart: Date;
  readonly minuteStart?: Date;
}

/** Adds documents that nobody has begun with, in one statement, and the organization's turn when it never had one. */
export async function addDocuments({ orgId, client }: Tenant, documents: readonly NewDocument[]): Promise<void> {
  await client.query(insertSql(neverTurned), [orgId, JSON.stringify(documents.map(rowOf))]);
}

/** Adds one document. With one that is begun the organization has had its turn, as when somebody claims it later. */
export async function addDocument({ orgId, client }: Tenant, document: NewDocument): Promise<Document> {
  const [name, text] =
    document.begun === undefined
      ? ["docgen-add-document", insertSql(neverTurned)]
      : ["docgen-begin-document", insertSql(turnedNow)];
  const { rows } = await client.query<Document>({
    name,
    text: `${text} returning ${documentColumns}`,
    values: [orgId, JSON.stringify([rowOf(document)])],
  });
  const [added] = rows;
  if (added === undefined) throw new Error("the document was not added");
  return added;
}

const rowOf = ({ slots, begun, ...document }: NewDocument) => ({
  ...document,
  ...(slots === undefined ? {} : { slot: begun === undefined ? "taken" : "spent", ...slots }),
  ...begun,
});

const neverTurned = `insert into docgen.turn (organization_id, single_at, batch_at) values ($1, '-infinity', '-infinity')
  on conflict do nothing`;
const turnedNow = `insert into docgen.turn (organization_id, single_at, batch_at) values ($1, clock_timestamp(), '-infinity')
  on conflict (organization_id) do update set single_at = greatest(turn.single_at, excluded.single_at)`;

const insertSql = (turnSql: string): string => `with turned as (${turnSql})
  insert into docgen.document
    (organization_id, id, status, batch_id, item_index, ref, template_id, template_version, template_ref, profile,
     file_name, locale, time_zone, metadata, source, slot, hour_start, minute_start, failure, expires_in, created_by,
     request_id, traceparent, created_at, completed_at, claim, claimed_until, attempts, started_at, is_word)
  select $1, id, status, "batchId", "itemIndex", ref, "templateId", "templateVersion", "templateRef", profile,
    "fileName", locale, "timeZone", metadata, source, slot, "hourStart", "minuteStart", failure, "expiresIn", "createdBy",
    "requestId", traceparent, "createdAt", "completedAt", claim, clock_timestamp() + "leaseMs" * interval '1 ms',
    (claim is not null)::integer, case when claim is not null then clock_timestamp() end, coalesce("isWord", false)
  from json_to_recordset($2::json) as r(id uuid, status text, "batchId" uuid, "itemIndex" integer, ref text,
    "templateId" uuid, "templateVersion" integer, "templateRef" jsonb, profile text, "fileName" text, locale text,
    "timeZone" text, metadata jsonb, source jsonb, slot text, "hourStart" timestamptz, "minuteStart" timestamptz,
    failure jsonb, "expiresIn" integer, "createdBy" text, "requestId" text, traceparent text, "createdAt" timestamptz,
    "completedAt" timestamptz, claim uuid, "leaseMs" integer, "isWord" boolean)`;

/** Those of a Document. */
export const documentColumns = `id, status, batch_id as "batchId", item_index as "itemIndex", ref,
    template_id as "templateId", template_version as "templateVersion", template_ref as "templateRef", profile,
    file_name as "fileName", locale, metadata, pages, bytes, sha256, warnings, failure, render_ms as "renderMs",
    expires_at as "expiresAt", created_at as "createdAt", completed_at as "completedAt", deleted_at as "deletedAt"`;

const selectSql = `select ${documentColumns} from docgen.document where organization_id = $1`;

/** Also one that was deleted. */
export async function findDocument({ orgId, client }: Tenant, id: string): Promise<Document | undefined> {
  return (await client.query<Document>(`${selectSql} and id = $2`, [orgId, id])).rows[0];
}

export interface DocumentQuery {
  readonly afterId: string | undefined;
  readonly limit: number;
  readonly status: DocumentStatus | undefined;
  readonly templateId: string | undefined;
  /** What has expired by then is listed as such, whether or not it was swept up. */
  readonly now: Date;
}

/**
 * Newest first: ids begin with their time. Without those that were deleted. The statement names just what is asked for,
 * so that each of them is answered by an index.
 */
export async function pageOfDocuments({ orgId, client }: Tenant, query: DocumentQuery): Promise<Document[]> {
  const { afterId = lastId, limit, status, templateId, now } = query;
  const values: unknown[] = [orgId, afterId, limit];
  const conditions: string[] = [];
  if (templateId !== undefined) conditions.push(`template_id = $${values.push(templateId)}`);
  if (status === "completed") {
    conditions.push(`status = 'completed' and (expires_at is null or expires_at > $${values.push(now)})`);
  } else if (status === "expired") {
    conditions.push(`(status = 'expired' or status = 'completed' and expires_at <= $${values.push(now)})`);
  } else if (status !== undefined) conditions.push(`status = '${status}'`);
  const wanted = ["deleted_at is null and id < $2", ...conditions].join(" and ");
  const { rows } = await client.query<Document>(`${selectSql} and ${wanted} order by id desc limit $3`, values);
  return rows;
}

/** After the ids of all documents. */
const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** The items of a batch in their order. */
export async function pageOfItems(
  { orgId, client }: Tenant,
  query: {
    readonly batchId: string;
    readonly fromIndex: number;
    readonly limit: number;
    readonly status: DocumentStatus | undefined;
    readonly now: Date;
  },
): Promise<Document[]> {
  const { batchId, fromIndex, limit, status, now } = query;
  const { rows } = await client.query<Document>(
    `${selectSql} and batch_id = $2 and item_index >= $3
       and ($4::text is null or $4 = case when status = 'completed' and expires_at <= $5 then 'expired' else status end)
     order by item_index limit $6`,
    [orgId, batchId, fromIndex, status, now, limit],
  );
  return rows;
}

/** What determines how a document is deleted. */
export interface LockedDocument {
  readonly status: DocumentStatus;
  readonly batchId: string | null;
  readonly slot: "taken" | "spent" | "returned" | null;
  readonly hourStart: Date | null;
  readonly minuteStart: Date | null;
}

/** Until the end of the transaction nobody claims, finishes or deletes it. Undefined when there is none, or no more. */
export async function lockDocument({ orgId, client }: Tenant, id: string): Promise<LockedDocument | undefined> {
  const { rows } = await client.query<LockedDocument>(
    `select status, batch_id as "batchId", slot, hour_start as "hourStart", minute_start as "minuteStart"
     from docgen.document where organization_id = $1 and id = $2 and deleted_at is null for update`,
    [orgId, id],
  );
  return rows[0];
}

/**
 * Deletes a locked document: what has not ended is cancelled, and a slot that was only taken counts as returned; the
 * bytes are the blob store's to release.
 */
export async function deleteDocument({ orgId, client }: Tenant, id: string, now: Date): Promise<void> {
  await client.query(
    `update docgen.document set
       status = case when status in ('queued', 'rendering') then 'cancelled' else status end,
       completed_at = coalesce(completed_at, $3),
       slot = case when status = 'queued' and slot = 'taken' then 'returned' else slot end,
       source = null, claim = null, claimed_until = null, sha256 = null, deleted_at = $3
     where organization_id = $1 and id = $2`,
    [orgId, id, now],
  );
}

/** Those of the documents whose bytes are to go now; each counts as expired from here on. */
export async function expireDocuments({ orgId, client }: Tenant, ids: readonly string[], now: Date): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `with due as (
       select id from docgen.document
       where organization_id = $1 and id = any($2) and status = 'completed' and deleted_at is null and expires_at <= $3
       order by id for update
     )
     update docgen.document d set status = 'expired', sha256 = null from due
     where d.organization_id = $1 and d.id = due.id returning d.id`,
    [orgId, ids, now],
  );
  return rows.map(({ id }) => id);
}
