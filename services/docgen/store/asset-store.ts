import type { Tenant } from "#platform/db/pool.ts";
import type { Asset } from "../domain/asset.ts";

/** If somebody deletes the asset with these bytes between the two statements, the new one can be added. */
const maxAttempts = 5;

/** Adds the asset, or returns the existing one with the same bytes. */
export async function addAsset(
  { orgId, client }: Tenant,
  asset: Asset,
): Promise<{ readonly asset: Asset; readonly isNew: boolean }> {
  const { id, name, contentType, width, height, bytes, sha256, createdBy, createdAt } = asset;
  const row = [orgId, id, name, contentType, width, height, bytes, sha256, createdBy, createdAt];
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { rowCount } = await client.query(insertSql, row);
    if (rowCount === 1) return { asset, isNew: true };
    const { rows } = await client.query<Asset>(`${selectSql} and sha256 = $2`, [orgId, sha256]);
    if (rows[0] !== undefined) return { asset: rows[0], isNew: false };
  }
  throw new Error("the asset could neither be added nor found");
}

export async function findAsset(tenant: Tenant, id: string): Promise<Asset | undefined> {
  return (await findAssets(tenant, [id]))[0];
}

/** Those of them that exist, in no particular order. */
export async function findAssets({ orgId, client }: Tenant, ids: readonly string[]): Promise<Asset[]> {
  return (await client.query<Asset>(`${selectSql} and id = any($2)`, [orgId, ids])).rows;
}

/** Newest first: ids begin with their time. A page goes on after the id of the one before even when that asset is gone. */
export async function pageOfAssets(
  { orgId, client }: Tenant,
  page: { readonly afterId: string | undefined; readonly limit: number },
): Promise<Asset[]> {
  const { rows } = await client.query<Asset>(
    `${selectSql} and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [orgId, page.afterId, page.limit],
  );
  return rows;
}

/** False when there is none. The blob store releases its bytes. */
export async function deleteAsset({ orgId, client }: Tenant, id: string): Promise<boolean> {
  const { rowCount } = await client.query("delete from docgen.asset where organization_id = $1 and id = $2", [
    orgId,
    id,
  ]);
  return rowCount === 1;
}

const insertSql = `insert into docgen.asset
    (organization_id, id, name, content_type, width, height, bytes, sha256, created_by, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (organization_id, sha256) do nothing`;

const selectSql = `select id, name, content_type as "contentType", width, height, bytes, sha256,
    created_by as "createdBy", created_at as "createdAt"
  from docgen.asset where organization_id = $1`;
