import { lockInOrganization, type Tenant } from "#platform/db/pool.ts";
import type { Brand, Branded, BrandImage, BrandImageKind, BrandSettings } from "./brand.ts";

/** Whoever changes brands of an organization waits for whoever is: one is the default, and each name is there once. */
export const lockBrands = (tenant: Tenant): Promise<void> => lockInOrganization(tenant, "sign.brand");

const imageJson = (name: BrandImageKind) => `(select json_build_object('sha256', encode(i.sha256, 'hex'),
    'contentType', i.content_type, 'width', i.width, 'height', i.height, 'bytes', octet_length(i.content))
  from sign.brand_image i where i.organization_id = b.organization_id and i.sha256 = b.${name}_sha256) as ${name}`;

const selectSql = `select b.id, b.name, b.is_default as "isDefault", b.settings, b.created_at as "createdAt",
    b.modified_at as "modifiedAt", ${imageJson("logo")}, ${imageJson("favicon")}
  from sign.brand b where b.organization_id = $1`;

type ImageRow = (Omit<BrandImage, "sha256"> & { readonly sha256: string }) | null;
type KeptSettings = Omit<BrandSettings, "name" | "isDefault">;
type Row = Pick<Brand, "id" | "name" | "isDefault" | "createdAt" | "modifiedAt"> & {
  readonly settings: KeptSettings;
  readonly logo: ImageRow;
  readonly favicon: ImageRow;
};

const brandOf = ({ settings, logo, favicon, ...row }: Row): Brand => ({
  ...row,
  ...settings,
  // What the release before has stored has no such member.
  attachFiles: settings.attachFiles ?? false,
  logo: logo && { ...logo, sha256: Buffer.from(logo.sha256, "hex") },
  favicon: favicon && { ...favicon, sha256: Buffer.from(favicon.sha256, "hex") },
});

/** The oldest first: ids are in the order in which they were made. */
export async function listBrands({ orgId, client }: Tenant): Promise<Brand[]> {
  const { rows } = await client.query<Row>(`${selectSql} order by b.id`, [orgId]);
  return rows.map(brandOf);
}

export async function findBrand({ orgId, client }: Tenant, id: string): Promise<Brand | undefined> {
  const { rows } = await client.query<Row>(`${selectSql} and b.id = $2`, [orgId, id]);
  return rows[0] && brandOf(rows[0]);
}

/** The brand with this id, or else the default one; the latter for null. */
export async function resolveBrand({ orgId, client }: Tenant, id: string | null): Promise<Brand | undefined> {
  const { rows } = await client.query<Row>(
    `${selectSql} and (b.id = $2::uuid or b.is_default) order by b.id = $2::uuid desc nulls last limit 1`,
    [orgId, id],
  );
  return rows[0] && brandOf(rows[0]);
}

/** Whether another brand has this name. As the index compares: lower case of JavaScript differs, as of İ and of a final Σ. */
export async function isNameTaken(
  { orgId, client }: Tenant,
  { id, name }: Pick<Brand, "id" | "name">,
): Promise<boolean> {
  const sql = "select 1 from sign.brand where organization_id = $1 and lower(name) = lower($2) and id <> $3";
  return (await client.query(sql, [orgId, name, id])).rows.length > 0;
}

/** Writes all of a brand but its pictures; of the others, at most one stays the default. */
export async function saveBrand({ orgId, client }: Tenant, brand: Brand): Promise<void> {
  const { id, name, isDefault, logo, favicon, createdAt, modifiedAt, ...settings } = brand;
  if (isDefault) {
    await client.query(
      "update sign.brand set is_default = false where organization_id = $1 and id <> $2 and is_default",
      [orgId, id],
    );
  }
  await client.query(
    `insert into sign.brand (organization_id, id, name, is_default, settings, created_at, modified_at)
      values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (organization_id, id) do update
      set name = excluded.name, is_default = excluded.is_default, settings = excluded.settings,
        modified_at = excluded.modified_at`,
    [orgId, id, name, isDefault, JSON.stringify(settings satisfies KeptSettings), createdAt, modifiedAt],
  );
}

/** False when there is none. */
export async function deleteBrand(tenant: Tenant, id: string): Promise<boolean> {
  const { orgId, client } = tenant;
  const { rowCount } = await client.query("delete from sign.brand where organization_id = $1 and id = $2", [orgId, id]);
  await removeUnused(tenant);
  return rowCount === 1;
}

/** Gives a brand a picture, whose bytes are kept once for all brands of the organization; null takes it away. */
export async function saveBrandImage(
  tenant: Tenant,
  id: string,
  image: {
    readonly kind: BrandImageKind;
    readonly facts: BrandImage | null;
    readonly content: Uint8Array;
    readonly now: Date;
  },
): Promise<void> {
  const { orgId, client } = tenant;
  const { kind, facts, content, now } = image;
  if (facts !== null) {
    await client.query(
      `insert into sign.brand_image (organization_id, sha256, content_type, width, height, content)
        values ($1, $2, $3, $4, $5, $6) on conflict (organization_id, sha256) do nothing`,
      [orgId, facts.sha256, facts.contentType, facts.width, facts.height, Buffer.from(content)],
    );
  }
  await client.query(
    `update sign.brand set ${kind === "logo" ? "logo_sha256" : "favicon_sha256"} = $3, modified_at = $4
      where organization_id = $1 and id = $2`,
    [orgId, id, facts?.sha256 ?? null, now],
  );
  await removeUnused(tenant);
}

/** Pictures that no brand shows any more. */
async function removeUnused({ orgId, client }: Tenant): Promise<void> {
  await client.query(
    `delete from sign.brand_image i where i.organization_id = $1 and not exists (
      select from sign.brand b
      where b.organization_id = i.organization_id and i.sha256 in (b.logo_sha256, b.favicon_sha256))`,
    [orgId],
  );
}

/** A picture of the organization with its bytes. */
export async function readBrandImage(
  { orgId, client }: Tenant,
  sha256: Uint8Array,
): Promise<(BrandImage & { readonly content: Buffer }) | undefined> {
  const { rows } = await client.query<Omit<BrandImage, "bytes"> & { readonly content: Buffer }>(
    `select sha256, content_type as "contentType", width, height, content from sign.brand_image
      where organization_id = $1 and sha256 = $2`,
    [orgId, Buffer.from(sha256)],
  );
  return rows[0] && { ...rows[0], bytes: rows[0].content.length };
}

/** The brand that holds for what has chosen this one, or none, with its logo; undefined for the look of the product. */
export async function readBranded(tenant: Tenant, brandId: string | null): Promise<Branded | undefined> {
  const brand = await resolveBrand(tenant, brandId);
  if (brand === undefined) return undefined;
  return { brand, logo: await readLogo(tenant, brand) };
}

/** The bytes of the logo; undefined without one. */
export const readLogo = async (tenant: Tenant, { logo }: Pick<Brand, "logo">): Promise<Uint8Array | undefined> =>
  logo === null ? undefined : (await readBrandImage(tenant, logo.sha256))?.content;

/** The next picture after this one, in the order of their hashes; of an export. */
export async function nextBrandImage(
  { orgId, client }: Tenant,
  after: string,
): Promise<{ readonly sha256: string; readonly contentType: string } | undefined> {
  const { rows } = await client.query<{ sha256: string; contentType: string }>(
    `select encode(sha256, 'hex') as sha256, content_type as "contentType" from sign.brand_image
      where organization_id = $1 and sha256 > decode($2, 'hex') order by brand_image.sha256 limit 1`,
    [orgId, after],
  );
  return rows[0];
}
