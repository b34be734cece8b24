import type pg from "pg";
import { lockInOrganization, type Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { SealedColumn } from "#platform/master-keys/reseal.ts";
import type { RecordName, SeedVault } from "#platform/vault/seed-vault.ts";

/** A file that comes in parts. */
export interface Upload {
  readonly id: string;
  /** Of the key that its parts are sealed with; wrapped. */
  readonly keyId: string;
  readonly seed: Buffer;
  readonly expiresAt: Date;
  /** Of the whole file; null before it is committed. */
  readonly sha256: Buffer | null;
  readonly parts: readonly UploadPart[];
}

export interface UploadPart {
  /** From 0. */
  readonly sequence: number;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** Of one organization, one after the other: so that what they may have together holds. */
export const lockUploads = (tenant: Tenant): Promise<void> => lockInOrganization(tenant, "sign.upload");

/** How many uploads there are, and how many bytes in them. */
export async function countUploads(
  { orgId, client }: Tenant,
  now: Date,
): Promise<{ readonly uploads: number; readonly bytes: number }> {
  const { rows } = await client.query<{ uploads: number; bytes: number }>(
    `select count(distinct u.id)::float8 as uploads, coalesce(sum(p.bytes), 0)::float8 as bytes
     from sign.upload u left join sign.upload_part p on p.organization_id = u.organization_id and p.upload_id = u.id
     where u.organization_id = $1 and u.expires_at > $2`,
    [orgId, now],
  );
  return rows[0] ?? { uploads: 0, bytes: 0 };
}

export async function insertUpload({ orgId, client }: Tenant, upload: Omit<Upload, "parts" | "sha256">): Promise<void> {
  const { id, keyId, seed, expiresAt } = upload;
  await client.query(
    "insert into sign.upload (organization_id, id, key_id, seed, expires_at) values ($1, $2, $3, $4, $5)",
    [orgId, id, keyId, seed, expiresAt],
  );
}

/** Undefined when there is none, or its time is over. Locked, nobody else changes it until the transaction has ended. */
export async function findUpload(
  { orgId, client }: Tenant,
  id: string,
  now: Date,
  { lock = false } = {},
): Promise<Upload | undefined> {
  const { rows } = await client.query<Upload>(
    `select u.id, u.key_id as "keyId", u.seed, u.expires_at as "expiresAt", u.sha256 from sign.upload u
     where u.organization_id = $1 and u.id = $2 and u.expires_at > $3 ${lock ? "for update" : ""}`,
    [orgId, id, now],
  );
  const [found] = rows;
  if (found === undefined) return undefined;
  const parts = await client.query<UploadPart>(
    `select sequence, bytes, encode(sha256, 'hex') as sha256 from sign.upload_part
     where organization_id = $1 and upload_id = $2 order by sequence`,
    [orgId, id],
  );
  return { ...found, parts: parts.rows };
}

export async function insertPart(
  { orgId, client }: Tenant,
  uploadId: string,
  part: { readonly sequence: number; readonly bytes: number; readonly sha256: Buffer; readonly sealed: Buffer },
): Promise<void> {
  const { sequence, bytes, sha256, sealed } = part;
  await client.query(
    `insert into sign.upload_part (organization_id, upload_id, sequence, bytes, sha256, sealed) values ($1, $2, $3, $4, $5, $6)`,
    [orgId, uploadId, sequence, bytes, sha256, sealed],
  );
}

/** As it is stored. */
export async function readPart(
  { orgId, client }: Tenant,
  uploadId: string,
  sequence: number,
): Promise<Buffer | undefined> {
  const { rows } = await client.query<{ sealed: Buffer }>(
    "select sealed from sign.upload_part where organization_id = $1 and upload_id = $2 and sequence = $3",
    [orgId, uploadId, sequence],
  );
  return rows[0]?.sealed;
}

export async function markCommitted({ orgId, client }: Tenant, id: string, sha256: Buffer): Promise<void> {
  await client.query("update sign.upload set sha256 = $3 where organization_id = $1 and id = $2", [orgId, id, sha256]);
}

/** With its parts. */
export async function deleteUpload({ orgId, client }: Tenant, id: string): Promise<void> {
  await client.query("delete from sign.upload where organization_id = $1 and id = $2", [orgId, id]);
}

/** Deletes uploads of all organizations whose time is over, and returns how many. The pool must be the sweeper's. */
export async function removeOldUploads(sweeper: pg.Pool, now: Date, limit: number): Promise<number> {
  const { rowCount } = await sweeper.query(
    `with old as materialized (
       select organization_id, id from sign.upload where expires_at < $1 order by expires_at limit $2 for update skip locked
     )
     delete from sign.upload u using old where u.organization_id = old.organization_id and u.id = old.id`,
    [now, limit],
  );
  return rowCount ?? 0;
}

/** Names the key of an upload for its vault. */
export const uploadKeyName = (organizationId: string, uploadId: string): RecordName => ({
  organizationId,
  recordId: `uploads/${uploadId}`,
});

/** Keys are wrapped anew when the master key is replaced. */
export const uploadKeyColumn = (vault: SeedVault): SealedColumn => ({
  table: "sign.upload",
  column: "seed",
  key: { organization_id: "uuid", id: "uuid" },
  select: 't.organization_id as "orgId", t.id',
  reseal: ({ orgId, id }: { orgId: OrgId; id: string }, wrapped) =>
    vault.rewrappedSeed(uploadKeyName(orgId, id), wrapped),
});
