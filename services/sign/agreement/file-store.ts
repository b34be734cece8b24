import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import type { AgreementFiles } from "../files/agreement-files.ts";
import { imageOf } from "../files/signature-images.ts";
import type { ConsentText } from "../signing/consent-text.ts";
import type { Agreement, AgreementDocument, StoredFile } from "./agreement.ts";
import { type Write, writeTogether } from "./agreement-columns.ts";

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

/** The effect on stored bytes when files are added or removed. */
interface BytesMoved {
  readonly agreementId: string;
  readonly before: readonly StoredFile[];
  readonly after: readonly StoredFile[];
  readonly bytes: NewBytes;
  /** Whether the agreement is yet to be stored. */
  readonly isNew: boolean;
}

/** All files of an agreement but attachments: its documents, original and sealed, its certificate, and drawn signatures. */
export const filesOf = ({ documents, certificate, recipients }: Agreement): StoredFile[] => [
  ...documents.flatMap((document) => [
    { id: document.id, sha256: document.sha256 },
    ...storedFile(document.sealedId, document.sealedSha256),
    ...originalOf(document),
  ]),
  ...(certificate === null ? [] : [certificate]),
  ...recipients.flatMap(({ signature, initials }) => [...imageOf(signature), ...imageOf(initials)]),
];

/** The file that a document was made of, when it was converted to a PDF. */
export const originalOf = ({
  originalId,
  sentSha256,
}: Pick<AgreementDocument, "originalId" | "sentSha256">): StoredFile[] => storedFile(originalId, sentSha256);

const storedFile = (id: string | null, sha256: Buffer | null): StoredFile[] =>
  id === null || sha256 === null ? [] : [{ id, sha256 }];

/**
 * Stores the bytes of added files and releases those of removed ones; returns what else has to be written. Works in the
 * order of the hashes so that two transactions cannot deadlock.
 */
export async function moveBytes(
  tenant: Tenant,
  files: AgreementFiles,
  { agreementId, before, after, bytes, isNew }: BytesMoved,
): Promise<Write[]> {
  const come = without(after, before).map((file) => ({ file, isAdded: true }));
  const go = without(before, after).map((file) => ({ file, isAdded: false }));
  const known = come.length === 0 || isNew ? undefined : await files.findKey(tenant, agreementId);
  const made = come.length > 0 && known === undefined ? files.newKey(tenant.orgId, agreementId) : undefined;
  const key = known ?? made?.key;
  for (const { file, isAdded } of [...come, ...go].sort((a, b) => a.file.sha256.compare(b.file.sha256))) {
    if (!isAdded || key === undefined) await files.release(tenant, file.id);
    else await files.put(tenant, agreementId, key, file, requireBytes(bytes, file));
  }
  return made === undefined ? [] : [made.write];
}

function requireBytes(bytes: NewBytes, { id }: StoredFile): Uint8Array {
  const found = bytes.get(id);
  if (found === undefined) throw new Error(`file ${id} has no bytes`);
  return found;
}

/** Stores one more file of an agreement that is locked, in the transaction. */
export async function addFile(
  tenant: Tenant,
  files: AgreementFiles,
  agreementId: string,
  file: StoredFile,
  bytes: Uint8Array,
): Promise<void> {
  const moved = { agreementId, before: [], after: [file], bytes: new Map([[file.id, bytes]]), isNew: false };
  await writeTogether(tenant.client, await moveBytes(tenant, files, moved));
}

/** Erases all files of an agreement for ever: what is stored here, also of their words, and the key that copies elsewhere need. */
export async function eraseFiles(tenant: Tenant, files: AgreementFiles, agreement: Agreement): Promise<void> {
  const { orgId, client } = tenant;
  const { id: agreementId } = agreement;
  await files.eraseKey(tenant, agreementId);
  await client.query("delete from sign.file_words where organization_id = $1 and agreement_id = $2", [
    ...[orgId, agreementId],
  ]);
  const { rows: attached } = await client.query<StoredFile>(
    "select id, sha256 from sign.attachment where organization_id = $1 and agreement_id = $2",
    [orgId, agreementId],
  );
  const before = [...filesOf(agreement), ...attached];
  await moveBytes(tenant, files, { agreementId, before, after: [], bytes: new Map(), isNew: false });
}

function without(files: readonly StoredFile[], others: readonly StoredFile[]): StoredFile[] {
  const ids = new Set(others.map(({ id }) => id));
  return files.filter(({ id }) => !ids.has(id));
}
