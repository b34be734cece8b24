import { withOrgEm } from "#platform/db/orm.ts";
import type { OrgId } from "#platform/ids.ts";
import { recordChange } from "./change-store.ts";
import type { AuthOrm } from "./orm.ts";

const insertRevokedToken = `
  insert into auth.revoked_token (organization_id, token_id, expires_at, revoked_at) values (?, ?, ?, ?)
  on conflict (organization_id, token_id) do nothing`;

/** Revokes an access token. Revoking it again, also at the same time, records no second change. */
export async function revokeAccessToken(
  orm: AuthOrm,
  orgId: OrgId,
  token: { readonly tokenId: string; readonly expiresAt: Date },
  now: Date,
): Promise<void> {
  await withOrgEm(orm, orgId, async (em) => {
    const result: { affectedRows: number } = await em.execute(
      insertRevokedToken,
      [orgId, token.tokenId, token.expiresAt, now],
      "run",
    );
    if (result.affectedRows === 1) await recordChange(em, "token_revoked", token.tokenId, now);
  });
}
