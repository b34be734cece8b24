import type pg from "pg";
import type { BlobStore } from "#platform/blobs/blob-store.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { findAsset } from "../store/asset-store.ts";
import { assetIdOf } from "../templating/image-address.ts";
import type { TemplateSource } from "../templating/template-source.ts";

interface Deps {
  readonly pool: pg.Pool;
  readonly blobs: BlobStore;
}

/** The template with its Word file, if it is one. Throws GEN_ASSET_NOT_FOUND when the file was deleted. */
export async function withFile(deps: Deps, orgId: OrgId, source: TemplateSource): Promise<TemplateSource> {
  if (source.format !== "docx") return source;
  const file = await withOrg(deps.pool, orgId, (tenant) => readFile(deps, tenant, source.content));
  if (file === undefined) {
    throw new DomainError("GEN_ASSET_NOT_FOUND", { metadata: { assetId: assetIdOf(source.content) ?? "" } });
  }
  return { ...source, file };
}

/** The bytes of the asset at this address; undefined when there is none. */
export async function readFile(
  { blobs }: Pick<Deps, "blobs">,
  tenant: Tenant,
  address: string,
): Promise<Uint8Array | undefined> {
  const id = assetIdOf(address);
  const asset = id === undefined ? undefined : await findAsset(tenant, id);
  return asset && (await blobs.read(tenant, asset.sha256));
}
