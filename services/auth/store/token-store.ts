import type { Pool } from "pg";
import { recordChange } from "./change-store.ts";
import type { AuthOrm, AuthTenant } from "./orm.ts";

interface StoredSigningKey {
  readonly generation: number;
  readonly kid: string;
  /** Encrypted. */
  readonly privateJwk: Buffer;
  readonly signsFrom: Date;
}

const selectKeys = `
  select generation, kid, private_jwk as "privateJwk", signs_from as "signsFrom"
  from auth.signing_key order by generation`;

/** All keys, oldest first. */
export async function listSigningKeys(lookup: Pool): Promise<StoredSigningKey[]> {
  return (await lookup.query<StoredSigningKey>(selectKeys)).rows;
}

// Waits for a process that inserts the same generation at the same moment and then inserts nothing.
const insertKey = `
  insert into auth.signing_key (generation, kid, private_jwk, signs_from, created_at) values (?, ?, ?, ?, ?)
  on conflict (generation) do nothing`;

/** False when another process has made this generation; its key counts. */
export async function insertSigningKey(orm: AuthOrm, key: StoredSigningKey, now: Date): Promise<boolean> {
  const result: { affectedRows: number } = await orm.em
    .fork()
    .execute(insertKey, [key.generation, key.kid, key.privateJwk, key.signsFrom, now], "run");
  return result.affectedRows === 1;
}

const insertRevokedToken = `
  insert into auth.revoked_token (organization_id, token_id, expires_at, revoked_at) values (?, ?, ?, ?)
  on conflict (organization_id, token_id) do nothing`;

/** Revokes an access token. Revoking it again, also at the same time, records no second change. */
export async function revokeAccessToken(
  { orgId, em }: AuthTenant,
  token: { readonly tokenId: string; readonly expiresAt: Date },
  now: Date,
): Promise<void> {
  const result: { affectedRows: number } = await em.execute(
    insertRevokedToken,
    [orgId, token.tokenId, token.expiresAt, now],
    "run",
  );
  if (result.affectedRows === 1) await recordChange(em, "token_revoked", token.tokenId, now);
}
