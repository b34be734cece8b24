import type { ListPosition } from "#platform/cursor.ts";
import type { Tenant } from "#platform/db/pool.ts";
import type { LaterAcceptance } from "../consent/aftermath.ts";
import { leafAndSeed, type SealedAcceptance, sealedColumns } from "./acceptance-store.ts";
import type { AcceptanceLeaf } from "./receipt.ts";

/** Which acceptances are wanted. */
export interface AcceptanceFilter {
  readonly subjectIndex: Buffer | undefined;
  readonly templateId: string | undefined;
  readonly versionId: string | undefined;
  /** Of the version. */
  readonly revision: number | undefined;
  /** Inclusive. */
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
}

export interface ListQuery extends AcceptanceFilter {
  readonly after: ListPosition | undefined;
  readonly limit: number;
}

/** An acceptance of a page. */
export interface ListedAcceptance extends SealedAcceptance {
  /** How many acceptances match, up to the limit, whether they were read or not. */
  readonly found: number;
}

/**
 * A limit on the sealed bytes, which are more than the receipt, so that a request for a page cannot exhaust the memory.
 */
const maxSealedBytes = 16 * 1_048_576;

type Parameter = (value: unknown) => string;

const restrictionJoin =
  "left join click.subject_key k on k.organization_id = a.organization_id and k.record_id = a.receipt_id";

/**
 * The acceptances `a` of the organization $1 that a filter wants, from `source`. Erased records no longer have a user;
 * restricted ones are treated the same.
 */
function wantedSql(source: string, filter: AcceptanceFilter, parameter: Parameter, ...more: string[]): string {
  const { subjectIndex, templateId, versionId, revision, from, to } = filter;
  const conditions = [
    subjectIndex && `a.subject_index = ${parameter(subjectIndex)} and k.restricted_until is null`,
    templateId && `a.template_id = ${parameter(templateId)}`,
    versionId && `a.version_id = ${parameter(versionId)}`,
    revision !== undefined && `a.revision = ${parameter(revision)}`,
    from && `a.accepted_at >= ${parameter(from.toISOString())}`,
    to && `a.accepted_at < ${parameter(to.toISOString())}`,
    ...more,
  ].filter((condition) => typeof condition === "string");
  return `from ${source} ${subjectIndex ? restrictionJoin : ""}
    where ${["a.organization_id = $1", "a.decision <> 'CONSENT'", ...conditions].join(" and ")}`;
}

/**
 * Acceptances after this position, newest first. Each filter alone has an index in the order of the list; that of texts
 * begins anew with each revision, so a version is read revision by revision. When records are very large, fewer are read
 * than were found, but at least one.
 */
export async function listAcceptances({ orgId, client }: Tenant, query: ListQuery): Promise<ListedAcceptance[]> {
  const values: unknown[] = [orgId];
  const parameter: Parameter = (value) => `$${values.push(value)}`;
  const { after, limit, versionId, revision } = query;
  const isBefore =
    after && `(a.accepted_at, a.receipt_id) < (${parameter(after.at.toISOString())}, ${parameter(after.id)})`;
  const isOfRevision = "a.revision = r.revision";
  const spansRevisions = versionId !== undefined && revision === undefined;
  const more = [isBefore, spansRevisions ? isOfRevision : undefined].filter((one) => one !== undefined);
  const newest = `select a.organization_id, a.receipt_id, a.accepted_at, a.sealed
    ${wantedSql("click.acceptance a", query, parameter, ...more)}
    order by a.accepted_at desc, a.receipt_id desc limit ${parameter(limit)}`;
  const found = spansRevisions
    ? `select one.* from click.agreement_text r cross join lateral (${newest}) one
       where r.organization_id = $1 and r.version_id = ${parameter(versionId)}
       order by one.accepted_at desc, one.receipt_id desc limit ${parameter(limit)}`
    : newest;
  const result = await client.query<ListedAcceptance>(
    `select ${sealedColumns}, a.found from (
       select p.*, count(*) over ()::integer as found, sum(octet_length(p.sealed)) over (
         order by p.accepted_at desc, p.receipt_id desc rows between unbounded preceding and 1 preceding) as before
       from (${found}) p
     ) a ${leafAndSeed}
     where a.before is null or a.before < ${maxSealedBytes}
     order by a.accepted_at desc, a.receipt_id desc`,
    values,
  );
  return result.rows;
}

/** A part of the log of an organization. */
export interface LogRange {
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
}

/**
 * Acceptances of a part of the log, in its order, which is that in which they were recorded. When records are very large,
 * fewer are read than were found, but at least one.
 */
export async function listRecorded(
  { orgId, client }: Tenant,
  query: AcceptanceFilter & { readonly range: LogRange; readonly limit: number },
): Promise<ListedAcceptance[]> {
  const values: unknown[] = [orgId];
  const parameter: Parameter = (value) => `$${values.push(value)}`;
  const { range, limit } = query;
  const isInRange = `n.leaf_index >= ${parameter(range.from)} and n.leaf_index < ${parameter(range.until)}`;
  const source = `click.log_leaf n
    join click.acceptance a on a.organization_id = n.organization_id and a.receipt_id = n.record_id`;
  const result = await client.query<ListedAcceptance>(
    `select ${sealedColumns}, a.found from (
       select p.*, count(*) over ()::integer as found, sum(octet_length(p.sealed)) over (
         order by p.leaf_index rows between unbounded preceding and 1 preceding) as before
       from (
         select a.organization_id, a.receipt_id, a.accepted_at, a.sealed, n.leaf_index
         ${wantedSql(source, query, parameter, "n.organization_id = $1", isInRange)}
         order by n.leaf_index limit ${parameter(limit)}
       ) p
     ) a ${leafAndSeed}
     where a.before is null or a.before < ${maxSealedBytes}
     order by l.leaf_index`,
    values,
  );
  return result.rows;
}

/** How many leaves the log has. All of them can be read, and later ones come after them. */
export async function findLogSize({ orgId, client }: Tenant): Promise<number> {
  const sql = "select size::float8 as size from click.log_head where organization_id = $1";
  return (await client.query<{ size: number }>(sql, [orgId])).rows[0]?.size ?? 0;
}

export interface LastQuery {
  readonly subjectIndex: Buffer;
  readonly templateId: string | undefined;
  /** As of then; absent: of all time. */
  readonly at: Date | null;
  readonly limit: number;
}

/** The last acceptance or decline of each template, newest first; restricted records are left out. */
export async function findLastAcceptances({ orgId, client }: Tenant, query: LastQuery): Promise<SealedAcceptance[]> {
  const result = await client.query<SealedAcceptance>(
    `select ${sealedColumns} from (
       select distinct on (template_id) a.* from click.acceptance a
       join click.subject_key k on k.organization_id = a.organization_id and k.record_id = a.receipt_id
       where a.organization_id = $1 and a.subject_index = $2 and a.decision <> 'CONSENT' and k.restricted_until is null
         and ($3::uuid is null or a.template_id = $3) and ($4::timestamptz is null or a.accepted_at <= $4)
       order by a.template_id, a.accepted_at desc, a.receipt_id desc
     ) a ${leafAndSeed}
     order by a.accepted_at desc, a.receipt_id desc limit $5`,
    [orgId, query.subjectIndex, query.templateId ?? null, query.at?.toISOString() ?? null, query.limit],
  );
  return result.rows;
}

/** The last acceptance or decline that each of these users made of a template; restricted records are left out. */
export async function findLastOfUsers(
  { orgId, client }: Tenant,
  templateId: string,
  subjectIndexes: readonly Buffer[],
): Promise<(SealedAcceptance & { readonly subjectIndex: Buffer })[]> {
  const result = await client.query<SealedAcceptance & { readonly subjectIndex: Buffer }>(
    `select s.subject_index as "subjectIndex", ${sealedColumns}
     from (select distinct unnest($3::bytea[]) as subject_index) s
     cross join lateral (
       select one.* from click.acceptance one
       join click.subject_key held on held.organization_id = one.organization_id and held.record_id = one.receipt_id
       where one.organization_id = $1 and one.subject_index = s.subject_index and one.template_id = $2
         and one.decision <> 'CONSENT' and held.restricted_until is null
       order by one.accepted_at desc, one.receipt_id desc limit 1
     ) a ${leafAndSeed}`,
    [orgId, templateId, subjectIndexes],
  );
  return result.rows;
}

/** Later acceptances and declines of the same user and template, oldest first. */
export async function listLater(
  { orgId, client }: Tenant,
  than: {
    readonly subjectIndex: Buffer;
    readonly templateId: string;
    readonly acceptedAt: Date;
    readonly receiptId: string;
  },
  limit: number,
): Promise<LaterAcceptance[]> {
  const result = await client.query<{ leaf: Buffer }>(
    `select l.leaf from click.acceptance a
     join click.log_leaf l on l.organization_id = a.organization_id and l.record_id = a.receipt_id
     where a.organization_id = $1 and a.subject_index = $2 and a.template_id = $3
       and (a.accepted_at, a.receipt_id) > ($4, $5)
     order by a.accepted_at, a.receipt_id limit $6`,
    [orgId, than.subjectIndex, than.templateId, than.acceptedAt.toISOString(), than.receiptId, limit],
  );
  return result.rows.map(({ leaf }) => laterAcceptance(JSON.parse(leaf.toString("utf8")) as AcceptanceLeaf));
}

const laterAcceptance = (leaf: AcceptanceLeaf): LaterAcceptance => ({
  receiptId: leaf.rid,
  sessionId: leaf.sid,
  decision: leaf.kind === "click.acceptance" ? "ACCEPT" : "DECLINE",
  versionId: leaf.ver,
  revision: leaf.rev,
  versionLabel: leaf.label,
  locale: leaf.locale,
  acceptedAt: leaf.acceptedAt,
});
