import { sha256Label } from "#platform/canonical-json.ts";
import type { Tenant } from "#platform/db/pool.ts";

export type ContentFormat = "HTML" | "MARKDOWN" | "TEXT" | "PDF";

/** The words around the text. */
export interface Texts {
  readonly consentText: string | null;
  readonly buttonText: string | null;
  readonly declineText: string | null;
  readonly checkboxText: string | null;
  readonly linkText: string | null;
  readonly purposeTexts: Readonly<Record<string, string>>;
  /** What the author says has changed. Absent from texts that were kept before it was kept with them. */
  readonly changeSummary?: string | null;
}

/** The exact bytes of a published revision and what belongs to them. */
export interface AgreementText {
  readonly templateId: string;
  readonly versionId: string;
  readonly revision: number;
  readonly label: string;
  readonly locale: string;
  readonly title: string | null;
  readonly content: Buffer;
  readonly format: ContentFormat;
  readonly contentHash: string;
  readonly texts: Texts;
  readonly publishedAt: Date | null;
  readonly publishedBy: string;
}

export interface RevisionName {
  readonly versionId: string;
  readonly revision: number;
}

export async function hasText({ orgId, client }: Tenant, name: RevisionName): Promise<boolean> {
  const result = await client.query(
    "select from click.agreement_text where organization_id = $1 and version_id = $2 and revision = $3",
    [orgId, name.versionId, name.revision],
  );
  return result.rowCount === 1;
}

/** Keeps the text of a revision; nothing happens when it is kept already. */
export async function insertText({ orgId, client }: Tenant, text: AgreementText): Promise<void> {
  await client.query(
    `insert into click.agreement_text (organization_id, version_id, revision, template_id, label, locale, title, content,
       format, content_hash, texts, published_at, published_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing`,
    [
      orgId,
      text.versionId,
      text.revision,
      text.templateId,
      text.label,
      text.locale,
      text.title,
      text.content,
      text.format,
      text.contentHash,
      JSON.stringify(text.texts),
      text.publishedAt?.toISOString() ?? null,
      text.publishedBy,
    ],
  );
}

export async function findText({ orgId, client }: Tenant, name: RevisionName): Promise<AgreementText | undefined> {
  const result = await client.query<Omit<AgreementText, "texts"> & { texts: string }>(
    `select template_id as "templateId", version_id as "versionId", revision, label, locale, title, content, format,
       content_hash as "contentHash", texts, published_at as "publishedAt", published_by as "publishedBy"
     from click.agreement_text where organization_id = $1 and version_id = $2 and revision = $3`,
    [orgId, name.versionId, name.revision],
  );
  const row = result.rows[0];
  return row === undefined ? undefined : { ...row, texts: JSON.parse(row.texts) as Texts };
}

export interface StoredTerms {
  readonly hash: Buffer;
  /** Canonical JSON. */
  readonly text: string;
}

/** Keeps terms; nothing happens when they are kept already. */
export async function insertTerms({ orgId, client }: Tenant, terms: StoredTerms): Promise<void> {
  await client.query(
    "insert into click.template_terms (organization_id, terms_hash, terms) values ($1, $2, $3) on conflict do nothing",
    [orgId, terms.hash, terms.text],
  );
}

export async function findTerms({ orgId, client }: Tenant, hashes: readonly Buffer[]): Promise<StoredTerms[]> {
  const result = await client.query<StoredTerms>(
    "select terms_hash as hash, terms as text from click.template_terms where organization_id = $1 and terms_hash = any($2)",
    [orgId, hashes],
  );
  return result.rows;
}

/** Keeps contents under their hashes; nothing happens for those that are kept already. */
export async function insertShown({ orgId, client }: Tenant, contents: readonly Buffer[]): Promise<void> {
  // In one order, so that two transactions with the same contents cannot wait for each other in a circle.
  await client.query(
    `insert into click.shown (organization_id, hash, content)
     select $1, sha256(c.content), c.content from unnest($2::bytea[]) c (content) order by 2 on conflict do nothing`,
    [orgId, contents],
  );
}

/** Whether there is content under the hash (`sha256:<hex>`), without reading it. */
export async function hasShown({ orgId, client }: Tenant, hash: string): Promise<boolean> {
  const found = await client.query("select from click.shown where organization_id = $1 and hash = $2", [
    orgId,
    hashBytes(hash),
  ]);
  return found.rowCount === 1;
}

/** The contents that are kept under these hashes (`sha256:<hex>`), by their hash. */
export async function findShown(
  { orgId, client }: Tenant,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  if (hashes.length === 0) return new Map();
  const result = await client.query<{ content: Buffer }>(
    "select content from click.shown where organization_id = $1 and hash = any($2)",
    [orgId, hashes.map(hashBytes)],
  );
  return new Map(result.rows.map(({ content }) => [sha256Label(content), content]));
}

const hashBytes = (label: string): Buffer => Buffer.from(label.slice("sha256:".length), "hex");

/** Keeps HTML with somebody's values under the id of its session or, without one, of its acceptance. */
export async function insertSealedRendering(
  { orgId, client }: Tenant,
  recordId: string,
  sealed: Buffer,
): Promise<void> {
  await client.query("insert into click.sealed_rendering (organization_id, record_id, sealed) values ($1, $2, $3)", [
    orgId,
    recordId,
    sealed,
  ]);
}

interface SealedRendering {
  readonly sealed: Buffer;
  /** As stored; null after erasure, and for an acceptance that was not recorded after all. */
  readonly seed: Buffer | null;
}

export async function findSealedRendering(
  { orgId, client }: Tenant,
  recordId: string,
): Promise<SealedRendering | undefined> {
  const result = await client.query<SealedRendering>(
    `select r.sealed, k.seed from click.sealed_rendering r
     left join click.subject_key k on k.organization_id = r.organization_id and k.record_id = r.record_id
     where r.organization_id = $1 and r.record_id = $2`,
    [orgId, recordId],
  );
  return result.rows[0];
}
