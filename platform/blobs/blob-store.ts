import { createHash } from "node:crypto";
import type pg from "pg";
import { forceOrgIsolationSql, identifier } from "../db/ddl.ts";
import { type Tenant, withOrg } from "../db/pool.ts";
import type { OrgId } from "../ids.ts";

/**
 * Stores bytes by their hash. A blob lives as long as it has an owner: equal bytes of one organization are
 * stored once and deleted when the last owner releases them. No organization can access another's bytes, even
 * if it knows their hash.
 */
export interface BlobStore {
  /**
   * Stores the bytes for this owner and resolves with their SHA-256. Idempotent, but throws when the owner
   * already has different bytes. With a tenant it runs in that transaction, otherwise in one of its own.
   */
  put(organization: OrgId | Tenant, ownerId: string, bytes: Uint8Array): Promise<Buffer>;
  /**
   * Adds this owner to bytes the organization already stores; false when it stores none with this hash.
   * Otherwise like put.
   */
  reference(organization: OrgId | Tenant, ownerId: string, sha256: Uint8Array): Promise<boolean>;
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
  return {
    put: (organization, ownerId, bytes) => {
      const sha256 = sha256Of(bytes);
      return within(organization, async ({ orgId, client }) => {
        const values = [orgId, ownerId, sha256, asBuffer(bytes)];
        const { rows } = await client.query<{ isSame: boolean }>({ ...sql.put, values });
        if (rows[0]?.isSame !== true) throw new Error(`the owner ${ownerId} has other bytes already`);
        return sha256;
      });
    },
    reference: (organization, ownerId, sha256) =>
      within(organization, async ({ orgId, client }) => {
        const values = [orgId, ownerId, asBuffer(sha256)];
        const { rows } = await client.query<{ isSame: boolean }>({ ...sql.reference, values });
        if (rows[0]?.isSame === false) throw new Error(`the owner ${ownerId} has other bytes already`);
        return rows[0] !== undefined;
      }),
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
  // "do nothing" would not lock the row, which could then be deleted before the reference exists. The bytes are
  // not rewritten. The reference reads its hash from the blob and is therefore written after it.
  put: {
    name: `${schema}-put-blob`,
    text: `with stored as (
        insert into ${schema}.blob as kept (organization_id, sha256, bytes) values ($1, $3, $4)
        on conflict (organization_id, sha256) do update set created_at = kept.created_at
        returning kept.sha256
      )
      insert into ${schema}.blob_reference as kept (organization_id, owner_id, sha256)
      select $1, $2, sha256 from stored
      on conflict (organization_id, owner_id) do update set sha256 = kept.sha256
      returning sha256 = $3 as "isSame"`,
  },
  reference: {
    name: `${schema}-reference-blob`,
    text: `with stored as (
        select sha256 from ${schema}.blob where organization_id = $1 and sha256 = $3 for update
      )
      insert into ${schema}.blob_reference as kept (organization_id, owner_id, sha256)
      select $1, $2, sha256 from stored
      on conflict (organization_id, owner_id) do update set sha256 = kept.sha256
      returning sha256 = $3 as "isSame"`,
  },
  read: `select bytes from ${schema}.blob where organization_id = $1 and sha256 = $2`,
  findReference: `select sha256 from ${schema}.blob_reference where organization_id = $1 and owner_id = $2`,
  lockBlob: `select from ${schema}.blob where organization_id = $1 and sha256 = $2 for update`,
  removeReference: `delete from ${schema}.blob_reference where organization_id = $1 and owner_id = $2 and sha256 = $3`,
  removeUnused: `delete from ${schema}.blob where organization_id = $1 and sha256 = $2
    and not exists (select from ${schema}.blob_reference where organization_id = $1 and sha256 = $2)`,
});

/** The name of these bytes in every blob store. */
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
