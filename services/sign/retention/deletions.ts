import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import type { Doomed } from "./due.ts";

/** What remains of an agreement that was deleted. */
export interface Deletion {
  readonly agreementId: string;
  readonly ground: "RETENTION";
  readonly status: string;
  readonly createdAt: Date;
  readonly endedAt: Date;
  readonly deletedAt: Date;
  readonly trailHead: Buffer;
  readonly trailLength: number;
  /** Of the leaf about its completion. */
  readonly evidenceLeafHash: Buffer | null;
  /** Of the leaf that says that it was deleted; null until the log has it. */
  readonly deletionLeafHash: Buffer | null;
  readonly deletionLeafIndex: string | null;
}

const columns = `agreement_id as "agreementId", ground, status, created_at as "createdAt", ended_at as "endedAt",
  deleted_at as "deletedAt", trail_head as "trailHead", trail_length as "trailLength",
  evidence_leaf_hash as "evidenceLeafHash", deletion_leaf_hash as "deletionLeafHash",
  deletion_leaf_index as "deletionLeafIndex"`;

/** Written while the agreement is still there: its hashes and the place in the log are taken from it. */
export async function insertDeletion(
  { orgId, client }: Tenant,
  { id, status, createdAt, endedAt, trailHead, trailLength }: Doomed,
  deletedAt: Date,
): Promise<void> {
  await client.query(
    `insert into sign.deleted_agreement (organization_id, agreement_id, ground, status, created_at, ended_at,
       deleted_at, trail_head, trail_length, evidence_leaf_hash, sealed_hashes, file_hashes)
     select $1, $2, 'RETENTION', $3, $4, $5, $6, $7, $8,
       (select decode(split_part(details ->> 'leafHash', ':', 2), 'hex') from sign.audit_event
         where organization_id = $1 and agreement_id = $2 and action = 'agreement.logged' order by sequence limit 1),
       array(select sealed_sha256 from sign.document
         where organization_id = $1 and agreement_id = $2 and sealed_sha256 is not null
         union select certificate_sha256 from sign.agreement
         where organization_id = $1 and id = $2 and certificate_sha256 is not null),
       array(select sha256 from sign.document where organization_id = $1 and agreement_id = $2
         union select sent_sha256 from sign.document
         where organization_id = $1 and agreement_id = $2 and sent_sha256 is not null)`,
    [orgId, id, status, createdAt, endedAt, deletedAt, trailHead, trailLength],
  );
}

export async function findDeletion({ orgId, client }: Tenant, agreementId: string): Promise<Deletion | undefined> {
  const { rows } = await client.query<Deletion>(
    `select ${columns} from sign.deleted_agreement where organization_id = $1 and agreement_id = $2`,
    [orgId, agreementId],
  );
  return rows[0];
}

/** By their ids, which is the order in which they were made, newest first. */
export async function listDeletions(
  { orgId, client }: Tenant,
  page: { readonly agreementId: string | null; readonly before: string | null; readonly limit: number },
): Promise<Deletion[]> {
  const { rows } = await client.query<Deletion>(
    `select ${columns} from sign.deleted_agreement
     where organization_id = $1 and ($2::uuid is null or agreement_id = $2) and ($3::uuid is null or agreement_id < $3)
     order by agreement_id desc limit $4`,
    [orgId, page.agreementId, page.before, page.limit],
  );
  return rows;
}

/** Notes where the log says that it was deleted. */
export async function noteLeaf(
  { orgId, client }: Tenant,
  agreementId: string,
  { leafHash, leafIndex }: { readonly leafHash: Uint8Array; readonly leafIndex: bigint },
): Promise<void> {
  await client.query(
    `update sign.deleted_agreement set deletion_leaf_hash = $3, deletion_leaf_index = $4
     where organization_id = $1 and agreement_id = $2`,
    [orgId, agreementId, leafHash, leafIndex],
  );
}

/** The deleted agreements that had a file with this hash, sealed or before it was signed, newest first. */
export async function findDeletionsWithFile(
  { orgId, client }: Tenant,
  sha256: Uint8Array,
  limit: number,
): Promise<Deletion[]> {
  const { rows } = await client.query<Deletion>(
    `select ${columns} from sign.deleted_agreement
     where organization_id = $1 and (sealed_hashes @> array[$2::bytea] or file_hashes @> array[$2::bytea])
     order by agreement_id desc limit $3`,
    [orgId, sha256, limit],
  );
  return rows;
}

/** Whose sealed file it was. The pool must connect as the role that can read nothing else of all organizations. */
export async function findSealedDeletion(
  verifierPool: pg.Pool,
  sha256: Uint8Array,
): Promise<{ readonly orgId: OrgId; readonly agreementId: string } | undefined> {
  const { rows } = await verifierPool.query<{ organization_id: string; agreement_id: string }>(
    `select organization_id, agreement_id from sign.deleted_agreement
     where sealed_hashes @> array[$1::bytea] and sealed_hashes <> '{}' limit 1`,
    [sha256],
  );
  const [row] = rows;
  const orgId = parseOrgId(row?.organization_id ?? "");
  return row === undefined || orgId === undefined ? undefined : { orgId, agreementId: row.agreement_id };
}
