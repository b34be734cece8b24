import type { Tenant } from "#platform/db/pool.ts";
import type { Notice } from "./notices.ts";

/** News that wait for the next summary of a reader; ids only. */
export interface WaitingNotice extends Notice {
  /** UUID. */
  readonly id: string;
}

/** Does nothing when it is there. */
export async function insertWaiting(
  { orgId, client }: Tenant,
  readerId: string,
  waiting: WaitingNotice,
): Promise<void> {
  const { id, agreementId, recipientId, notice, at } = waiting;
  await client.query(
    `insert into sign.notice (organization_id, reader_id, id, agreement_id, recipient_id, kind, occurred_at)
     values ($1, $2, $3, $4, nullif($5, '')::uuid, $6, $7) on conflict do nothing`,
    [orgId, readerId, id, agreementId, recipientId, notice, at],
  );
}

/** The oldest first. */
export async function listWaiting(
  { orgId, client }: Tenant,
  readerId: string,
  limit: number,
): Promise<WaitingNotice[]> {
  const { rows } = await client.query<Omit<WaitingNotice, "at"> & { readonly occurredAt: Date }>(
    `select id, agreement_id as "agreementId", coalesce(recipient_id::text, '') as "recipientId", kind as notice,
       occurred_at as "occurredAt"
     from sign.notice where organization_id = $1 and reader_id = $2 order by occurred_at, id limit $3`,
    [orgId, readerId, limit],
  );
  return rows.map(({ occurredAt, ...row }) => ({ ...row, at: occurredAt.toISOString() }));
}

export async function removeWaiting(
  { orgId, client }: Tenant,
  readerId: string,
  ids: readonly string[],
): Promise<void> {
  await client.query("delete from sign.notice where organization_id = $1 and reader_id = $2 and id = any($3::uuid[])", [
    orgId,
    readerId,
    ids,
  ]);
}

export async function isAnyWaiting({ orgId, client }: Tenant, readerId: string): Promise<boolean> {
  const sql = "select 1 from sign.notice where organization_id = $1 and reader_id = $2 limit 1";
  return (await client.query(sql, [orgId, readerId])).rowCount === 1;
}
