import type { ListPosition } from "#platform/cursor.ts";
import type { Tenant } from "#platform/db/pool.ts";
import type { LaterAcceptance } from "../consent/aftermath.ts";
import type { AcceptanceLeaf } from "./acceptance-leaf.ts";
import { leafAndSeed, type SealedAcceptance, sealedColumns } from "./acceptance-store.ts";

export interface ListQuery {
  readonly subjectIndex: Buffer | undefined;
  readonly templateId: string | undefined;
  /** Inclusive. */
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
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

/**
 * Acceptances after this position, newest first. Each filter alone has an index in the order of the list. Erased
 * records no longer have a user; restricted ones are treated the same. When records are very large, fewer are read than
 * were found, but at least one.
 */
export async function listAcceptances({ orgId, client }: Tenant, query: ListQuery): Promise<ListedAcceptance[]> {
  const values: unknown[] = [orgId];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const { subjectIndex, templateId, from, to, after } = query;
  const conditions = [
    subjectIndex && `a.subject_index = ${parameter(subjectIndex)} and k.restricted_until is null`,
    templateId && `a.template_id = ${parameter(templateId)}`,
    from && `a.accepted_at >= ${parameter(from.toISOString())}`,
    to && `a.accepted_at < ${parameter(to.toISOString())}`,
    after && `(a.accepted_at, a.receipt_id) < (${parameter(after.at.toISOString())}, ${parameter(after.id)})`,
  ].filter((condition) => condition !== undefined);
  const restriction = subjectIndex
    ? "left join click.subject_key k on k.organization_id = a.organization_id and k.record_id = a.receipt_id"
    : "";
  const result = await client.query<ListedAcceptance>(
    `select ${sealedColumns}, a.found from (
       select p.*, count(*) over ()::integer as found, sum(octet_length(p.sealed)) over (
         order by p.accepted_at desc, p.receipt_id desc rows between unbounded preceding and 1 preceding) as before
       from (
         select a.organization_id, a.receipt_id, a.accepted_at, a.sealed from click.acceptance a ${restriction}
         where ${["a.organization_id = $1", "a.decision <> 'CONSENT'", ...conditions].join(" and ")}
         order by a.accepted_at desc, a.receipt_id desc limit ${parameter(query.limit)}
       ) p
     ) a ${leafAndSeed}
     where a.before is null or a.before < ${maxSealedBytes}
     order by a.accepted_at desc, a.receipt_id desc`,
    values,
  );
  return result.rows;
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
