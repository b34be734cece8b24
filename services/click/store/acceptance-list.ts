import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { LastAcceptance } from "../domain/agreement-state.ts";
import type { Receipt } from "../domain/receipt.ts";

/** The place of an acceptance in the list of its organization. */
export interface ListPosition {
  readonly acceptedAt: Date;
  readonly receiptId: string;
}

export interface ListQuery {
  readonly userRef: string | undefined;
  readonly templateId: string | undefined;
  /** Inclusive. */
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
  readonly after: ListPosition | undefined;
  readonly limit: number;
}

export interface ListedReceipt extends ListPosition {
  /** JSON. */
  readonly receipt: string;
}

/** Receipts after this position, newest first. Each filter alone has an index that is in the order of the list. */
export async function listReceipts(orgId: OrgId, client: pg.ClientBase, query: ListQuery): Promise<ListedReceipt[]> {
  const values: unknown[] = [orgId];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [
    query.userRef === undefined ? undefined : `user_ref = ${parameter(query.userRef)}`,
    query.templateId === undefined ? undefined : `template_id = ${parameter(query.templateId)}`,
    query.from === undefined ? undefined : `accepted_at >= ${parameter(query.from.toISOString())}`,
    query.to === undefined ? undefined : `accepted_at < ${parameter(query.to.toISOString())}`,
    query.after === undefined
      ? undefined
      : `(accepted_at, receipt_id) < (${parameter(query.after.acceptedAt.toISOString())}, ${parameter(query.after.receiptId)})`,
  ].filter((condition) => condition !== undefined);
  const result = await client.query<ListedReceipt>(
    `select receipt_id as "receiptId", accepted_at as "acceptedAt", receipt from click.acceptance
     where ${["organization_id = $1", "decision <> 'CONSENT'", ...conditions].join(" and ")}
     order by accepted_at desc, receipt_id desc limit ${parameter(query.limit)}`,
    values,
  );
  return result.rows;
}

export interface LastQuery {
  readonly userRef: string;
  readonly templateId: string | undefined;
  /** As of then, or ever. */
  readonly at: Date | null;
  readonly limit: number;
}

/** The last acceptance or decline of each template, newest first. */
export async function findLastAcceptances(
  orgId: OrgId,
  client: pg.ClientBase,
  query: LastQuery,
): Promise<LastAcceptance[]> {
  const result = await client.query<{ receipt: string }>(
    `select receipt from (
       select distinct on (template_id) receipt, accepted_at, receipt_id from click.acceptance
       where organization_id = $1 and user_ref = $2 and decision <> 'CONSENT'
         and ($3::uuid is null or template_id = $3) and ($4::timestamptz is null or accepted_at <= $4)
       order by template_id, accepted_at desc, receipt_id desc
     ) last
     order by accepted_at desc, receipt_id desc limit $5`,
    [orgId, query.userRef, query.templateId ?? null, query.at?.toISOString() ?? null, query.limit],
  );
  return result.rows.map((row) => lastAcceptance(JSON.parse(row.receipt) as Receipt));
}

const lastAcceptance = (receipt: Receipt): LastAcceptance => ({
  templateId: receipt.templateId,
  templateSlug: receipt.templateSlug,
  versionId: receipt.versionId,
  revision: receipt.revision,
  label: receipt.versionLabel,
  locale: receipt.locale,
  decision: receipt.decision,
  acceptedAt: new Date(receipt.acceptedAt),
  receiptId: receipt.receiptId,
  purposes: receipt.purposes,
});

/** Later acceptances and declines of the same user and template, oldest first. */
export async function listLater(
  orgId: OrgId,
  client: pg.ClientBase,
  than: {
    readonly userRef: string;
    readonly templateId: string;
    readonly acceptedAt: Date;
    readonly receiptId: string;
  },
  limit: number,
): Promise<Receipt[]> {
  const result = await client.query<{ receipt: string }>(
    `select receipt from click.acceptance
     where organization_id = $1 and user_ref = $2 and template_id = $3 and (accepted_at, receipt_id) > ($4, $5)
     order by accepted_at, receipt_id limit $6`,
    [orgId, than.userRef, than.templateId, than.acceptedAt.toISOString(), than.receiptId, limit],
  );
  return result.rows.map((row) => JSON.parse(row.receipt) as Receipt);
}
