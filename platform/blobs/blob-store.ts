import { createHash } from "node:crypto";
import type pg from "pg";
import { forceOrgIsolationSql, identifier } from "../db/ddl.ts";
import { type Tenant, withOrg } from "../db/pool.ts";
import type { OrgId } from "../ids.ts";

/**
 * Stores bytes by their hash, or, when they are sealed, by a name that does not tell it. A blob lives as long as it has an owner: equal bytes of one organization are
 * stored once and deleted when the last owner releases them. No organization can access another's bytes, even
 * if it knows their hash.
 */
export interface BlobStore {
  /**
   * Stores the bytes for this owner and resolves with their SHA-256. Idempotent, but throws when the owner
   * already has different bytes. With a tenant it runs in that transaction, otherwise in one of its own.
   */
  put(organization: OrgId | Tenant, ownerId: string, bytes: Uint8Array): Promise<Buffer>;
  /** The same with sealed bytes, under this name (32 bytes). Whoever has its name already keeps what is stored there. */
  putSealed(tenant: Tenant, ownerId: string, bytes: Uint8Array, name: Buffer): Promise<void>;
  /** Undefined when the organization has no such bytes. For the tenant, see put. */
  read(organization: OrgId | Tenant, sha256: Uint8Array): Promise<Uint8Array | undefined>;
  /** Releases the owner's bytes; does nothing when it has none. For the tenant, see put. */
  release(organization: OrgId | Tenant, ownerId: string): Promise<void>;
}

/** Stores the bytes in the tables that blobTablesSql creates in this schema. */
export function createPostgresBlobStore(options: { readonly pool: pg.Pool; readonly schema: string }): BlobStore {
  const { pool } = options;
  const sql = statements(identifier(options.schema));
  const within = <T>(organization: OrgId | Tenant, work: (tenant: Tenant) => Promise<T>): Promise<T> =>
    typeof organization === "string" ? withOrg(pool, organization, work) : work(organization);
  const put = async (statement: pg.QueryConfig, { orgId, client }: Tenant, ownerId: string, ...blob: Buffer[]) => {
    const { rows } = await client.query<{ isSame: boolean }>({ ...statement, values: [orgId, ownerId, ...blob] });
    if (rows[0]?.isSame !== true) throw new Error(`the owner ${ownerId} has other bytes already`);
  };
  return {
    put: async (organization, ownerId, bytes) => {
      const sha256 = sha256Of(bytes);
      await within(organization, (tenant) => put(sql.put, tenant, ownerId, sha256, asBuffer(bytes)));
      return sha256;
    },
    putSealed: (tenant, ownerId, bytes, name) => put(sql.putSealed, tenant, ownerId, name, asBuffer(bytes)),
    read: (organization, sha256) =>
      within(organization, async ({ orgId, client }) => {
        const { rows } = await client.query<{ bytes: Buffer }>(sql.read, [orgId, asBuffer(sha256)]);
        return rows[0]?.bytes;
      }),
    release: (organization, ownerId) =>
      within(organization, async ({ orgId, client }) => {
        const found = await client.query<{ sha256: Buffer }>(sql.findReference, [orgId, ownerId]);
        const sha256 = found.rows[0]?.sha256;
        if (sha256 === undefined) return;
        await client.query(sql.lockBlob, [orgId, sha256]);
        await client.query(sql.removeReference, [orgId, ownerId, sha256]);
        await client.query(sql.removeUnused, [orgId, sha256]);
      }),
  };
}

/**
 * Whoever adds or removes a reference first locks the blob's row until the end of the transaction. So a blob
 * that was found still exists when its reference is written, and the removal of a last reference sees all
 * references written before: it looks for them in a separate statement, whose snapshot starts after the lock
 * was granted.
 */
const statements = (schema: string) => ({
  put: { name: `${schema}-put-blob`, text: putSql(schema, "bytes", "$4") },
  putSealed: { name: `${schema}-put-sealed-blob`, text: putSql(schema, "bytes, is_sealed", "$4, true") },
  read: `select bytes from ${schema}.blob where organization_id = $1 and sha256 = $2`,
  findReference: `select sha256 from ${schema}.blob_reference where organization_id = $1 and owner_id = $2`,
  lockBlob: `select from ${schema}.blob where organization_id = $1 and sha256 = $2 for update`,
  removeReference: `delete from ${schema}.blob_reference where organization_id = $1 and owner_id = $2 and sha256 = $3`,
  removeUnused: `delete from ${schema}.blob where organization_id = $1 and sha256 = $2
    and not exists (select from ${schema}.blob_reference where organization_id = $1 and sha256 = $2)`,
});

// "do nothing" would not lock the row, which could then be deleted before the reference exists. The bytes are not
// rewritten. The reference reads its hash from the blob and is therefore written after it.
const putSql = (schema: string, columns: string, values: string) => `with stored as (
    insert into ${schema}.blob as kept (organization_id, sha256, ${columns}) values ($1, $3, ${values})
    on conflict (organization_id, sha256) do update set created_at = kept.created_at
    returning kept.sha256
  )
  insert into ${schema}.blob_reference as kept (organization_id, owner_id, sha256)
  select $1, $2, sha256 from stored
  on conflict (organization_id, owner_id) do update set sha256 = kept.sha256
  returning sha256 = $3 as "isSame"`;

/** The name of bytes in clear in every blob store. */
export const sha256Of = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();

/** A Buffer view for pg, without a copy. */
const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * Creates the tables of a Postgres blob store. A blob lives as long as it is referenced, so equal bytes are
 * stored once and deleted with their last reference.
 */
export const blobTablesSql = (options: { schema: string; writerRole: string }): string[] => {
  const schema = identifier(options.schema);
  const writer = identifier(options.writerRole);
  return [
    `create table ${schema}.blob (
      organization_id uuid not null,
      sha256 bytea not null check (sha256 = sha256(bytes)),
      bytes bytea not null,
      created_at timestamptz(3) not null default now(),
      primary key (organization_id, sha256)
    )`,
    // Documents, images and fonts are already compressed.
    `alter table ${schema}.blob alter column bytes set storage external`,
    `create table ${schema}.blob_reference (
      organization_id uuid not null,
      owner_id uuid not null,
      sha256 bytea not null,
      created_at timestamptz(3) not null default now(),
      primary key (organization_id, owner_id),
      foreign key (organization_id, sha256) references ${schema}.blob (organization_id, sha256)
    )`,
    `create index blob_reference_by_hash on ${schema}.blob_reference (organization_id, sha256)`,
    ...forceOrgIsolationSql(`${schema}.blob`),
    ...forceOrgIsolationSql(`${schema}.blob_reference`),
    // Update is the right that row locks require; a blob's content is checked against its hash anyway.
    `grant select, insert, update, delete on ${schema}.blob, ${schema}.blob_reference to ${writer}`,
  ];
};

/** Lets a Postgres blob store have sealed bytes besides those in clear. */
export const sealedBlobsSql = (schema: string): string[] => [
  `alter table ${identifier(schema)}.blob add column is_sealed boolean not null default false`,
  `comment on column ${identifier(schema)}.blob.is_sealed is
    'whether bytes are sealed (platform/vault/sealed-file.ts) and sha256 is their name, which is no hash of them'`,
  // Rows of before have been checked by the constraint that this one replaces.
  `alter table ${identifier(schema)}.blob drop constraint blob_check,
    add constraint blob_check check (is_sealed or sha256 = sha256(bytes)) not valid`,
];
