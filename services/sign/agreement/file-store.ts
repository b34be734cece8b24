import type pg from "pg";
import type { BlobStore } from "#platform/blobs/blob-store.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import type { ConsentText } from "../signing/consent-text.ts";
import type { Agreement, SealedFile } from "./agreement.ts";

/** The agreement that a sealed file belongs to. */
export interface SealedFileOwner {
  readonly orgId: OrgId;
  readonly agreementId: string;
}

/**
 * Finds whose sealed file this is, across all organizations. The pool must connect as the role that can read
 * nothing else.
 */
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

/** The organization's agreements that contain a file with this hash, sealed or original, newest first. */
export async function findAgreementsWithFile(
  { orgId, client }: Tenant,
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

// Ids are UUIDv7, so their order is that of creation. Templates do not count.
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

type KeptConsentText = Pick<ConsentText, "sha256" | "locale" | "content">;

/** Stores a text under its hash, once. */
export async function keepConsentText(
  { orgId, client }: Tenant,
  { sha256, locale, content }: KeptConsentText,
): Promise<void> {
  await client.query(
    `insert into sign.consent_text (organization_id, sha256, locale, content) values ($1, $2, $3, $4)
     on conflict do nothing`,
    [orgId, sha256, locale, content],
  );
}

/** The consent texts that an agreement's trail names, in the order of the first consent to each. */
export async function listConsentTexts(
  { orgId, client }: Tenant,
  agreementId: string,
): Promise<readonly KeptConsentText[]> {
  const { rows } = await client.query<KeptConsentText>(
    `select t.sha256, t.locale, t.content
     from sign.consent_text t
     join (
       select decode(details ->> 'textSha256', 'hex') as sha256, min(sequence) as sequence from sign.audit_event
       where organization_id = $1 and agreement_id = $2 and action = 'recipient.consented' group by 1
     ) e using (sha256)
     where t.organization_id = $1 order by e.sequence`,
    [orgId, agreementId],
  );
  return rows;
}

/** New bytes, by the id (UUID) of the document or sealed file. */
export type NewBytes = ReadonlyMap<string, Uint8Array>;

/** Bytes in the blob store and their owner. */
type StoredFile = SealedFile;

/** The effect on stored bytes when files are added or removed. */
interface BytesMoved {
  readonly before: readonly StoredFile[];
  readonly after: readonly StoredFile[];
  readonly bytes: NewBytes;
}

/** All files of an agreement: its documents, original and sealed, and its certificate. */
export const filesOf = ({ documents, certificate }: Pick<Agreement, "documents" | "certificate">): StoredFile[] => [
  ...documents.flatMap(({ id, sha256, sealedId, sealedSha256 }) =>
    sealedId === null || sealedSha256 === null
      ? [{ id, sha256 }]
      : [
          { id, sha256 },
          { id: sealedId, sha256: sealedSha256 },
        ],
  ),
  ...(certificate === null ? [] : [certificate]),
];

/**
 * Stores the bytes of added files, or references bytes that the organization already has, and releases those of
 * removed files. Works in the order of the hashes so that two transactions cannot deadlock, and adds before it
 * removes so that the same bytes are not deleted and written again.
 */
export async function moveBytes(tenant: Tenant, blobs: BlobStore, { before, after, bytes }: BytesMoved): Promise<void> {
  const come = without(after, before).map((file) => ({ file, isNew: true }));
  const go = without(before, after).map((file) => ({ file, isNew: false }));
  // Array sort is stable: added files stay before removed ones of the same hash.
  const moves = [...come, ...go].sort((a, b) => a.file.sha256.compare(b.file.sha256));
  for (const { file, isNew } of moves) {
    if (!isNew) await blobs.release(tenant, file.id);
    else await keepBytes(tenant, blobs, file, bytes.get(file.id));
  }
}

async function keepBytes(
  tenant: Tenant,
  blobs: BlobStore,
  { id, sha256 }: StoredFile,
  bytes: Uint8Array | undefined,
): Promise<void> {
  if (bytes === undefined) {
    // The bytes come from a template, which may have been deleted since it was read.
    if (!(await blobs.reference(tenant, id, sha256))) throw new DomainError("TEMPLATE_NOT_FOUND");
    return;
  }
  const stored = await blobs.put(tenant, id, bytes);
  if (!stored.equals(sha256)) throw new Error(`the bytes of file ${id} are not those that were checked`);
}

function without(files: readonly StoredFile[], others: readonly StoredFile[]): StoredFile[] {
  const ids = new Set(others.map(({ id }) => id));
  return files.filter(({ id }) => !ids.has(id));
}
