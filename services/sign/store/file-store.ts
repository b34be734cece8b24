import type pg from "pg";
import { type OrgId, parseOrgId } from "#platform/ids.ts";

/** Where a sealed file belongs to. */
export interface SealedFileOwner {
  readonly orgId: OrgId;
  readonly agreementId: string;
}

/** Whose sealed file this is, among all organizations. The pool must connect as the role that sees nothing else. */
export async function findSealedFile(pool: pg.Pool, sha256: Uint8Array): Promise<SealedFileOwner | undefined> {
  const { rows } = await pool.query<{ organization_id: string; agreement_id: string }>({
    name: "sign-find-sealed-file",
    text: sealedSql,
    values: [sha256],
  });
  const [row] = rows;
  const orgId = parseOrgId(row?.organization_id ?? "");
  return row === undefined || orgId === undefined ? undefined : { orgId, agreementId: row.agreement_id };
}

const sealedSql = `select organization_id, agreement_id from sign.document where sealed_sha256 = $1
  union all select organization_id, id from sign.agreement where certificate_sha256 = $1
  limit 1`;

/** The agreements of the organization that have a file with this hash, sealed or not; the newest first. */
export async function findAgreementsWithFile(
  client: pg.PoolClient,
  orgId: OrgId,
  sha256: Uint8Array,
  limit: number,
): Promise<string[]> {
  const { rows } = await client.query<{ agreement_id: string }>({
    name: "sign-find-file",
    text: fileSql,
    values: [orgId, sha256, limit],
  });
  return rows.map((row) => row.agreement_id);
}

// Ids are made in the order of time. A template is no agreement of anybody.
const fileSql = `select agreement_id from (
    (select d.agreement_id from sign.document d
      join sign.agreement a on a.organization_id = d.organization_id and a.id = d.agreement_id
      where d.organization_id = $1 and d.sha256 = $2 and a.status <> 'template' and a.deleted_at is null
      order by d.agreement_id desc limit $3)
    union (select d.agreement_id from sign.document d
      join sign.agreement a on a.organization_id = d.organization_id and a.id = d.agreement_id
      where d.organization_id = $1 and d.sent_sha256 = $2 and a.status <> 'template' and a.deleted_at is null
      order by d.agreement_id desc limit $3)
    union select agreement_id from sign.document where organization_id = $1 and sealed_sha256 = $2
    union select id from sign.agreement where organization_id = $1 and certificate_sha256 = $2
  ) found order by agreement_id desc limit $3`;
