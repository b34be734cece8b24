import type { Tenant } from "#platform/db/pool.ts";
import type { LinkPurpose } from "../domain/link.ts";

export interface NewLink {
  readonly tokenHash: Buffer;
  readonly userId: string;
  readonly purpose: LinkPurpose;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export async function insertLink({ orgId, client }: Tenant, link: NewLink): Promise<void> {
  const sql = `insert into auth.user_link (organization_id, token_hash, user_id, purpose, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6)`;
  const { tokenHash, userId, purpose, createdAt, expiresAt } = link;
  await client.query(sql, [orgId, tokenHash, userId, purpose, createdAt, expiresAt]);
}

/** Uses a link up. False when somebody else has, or when it has expired. */
export async function consumeLink(
  { orgId, client }: Tenant,
  link: { readonly tokenHash: Buffer; readonly purpose: LinkPurpose; readonly now: Date },
): Promise<boolean> {
  const sql = `delete from auth.user_link
    where organization_id = $1 and token_hash = $2 and purpose = $3 and expires_at > $4`;
  return (await client.query(sql, [orgId, link.tokenHash, link.purpose, link.now])).rowCount === 1;
}

export async function deleteLinksOf({ orgId, client }: Tenant, userId: string): Promise<void> {
  await client.query("delete from auth.user_link where organization_id = $1 and user_id = $2", [orgId, userId]);
}

export async function countLinks(
  { orgId, client }: Tenant,
  userId: string,
  { purpose, now }: { readonly purpose: LinkPurpose; readonly now: Date },
): Promise<number> {
  const sql = `select count(*)::integer as n from auth.user_link
    where organization_id = $1 and user_id = $2 and purpose = $3 and expires_at > $4`;
  return (await client.query<{ n: number }>(sql, [orgId, userId, purpose, now])).rows[0]?.n ?? 0;
}
