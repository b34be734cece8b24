import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { PublishedText, TemplateOffer } from "./agreement-state.ts";
import type { Policy } from "./policy.ts";

export interface Publication extends PublishedText {
  readonly templateId: string;
  readonly publishedAt: Date;
}

/** Notes the first publication of a revision; false when it was noted before. */
export async function insertPublication(
  orgId: OrgId,
  client: pg.ClientBase,
  publication: Publication,
): Promise<boolean> {
  const { versionId, revision, templateId, locale, label, publishedAt } = publication;
  const result = await client.query(
    `insert into click.publication (organization_id, version_id, revision, template_id, locale, label, published_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    [orgId, versionId, revision, templateId, locale, label, publishedAt.toISOString()],
  );
  return result.rowCount === 1;
}

/** What each locale of these templates showed last, as of this moment or ever. Knows nothing of texts taken back since. */
export async function listPublications(
  orgId: OrgId,
  client: pg.ClientBase,
  templateIds: readonly string[],
  at: Date | null,
): Promise<(PublishedText & { readonly templateId: string })[]> {
  const result = await client.query<PublishedText & { templateId: string }>(
    `select distinct on (template_id, locale) template_id as "templateId", version_id as "versionId", revision, label, locale
     from click.publication
     where organization_id = $1 and template_id = any($2) and ($3::timestamptz is null or published_at <= $3)
     order by template_id, locale, published_at desc, revision desc`,
    [orgId, templateIds, at?.toISOString() ?? null],
  );
  return result.rows;
}

/** Whether somebody has accepted another text of the template than this one. */
export async function hasAcceptances(
  orgId: OrgId,
  client: pg.ClientBase,
  text: { readonly templateId: string; readonly versionId: string; readonly revision: number },
): Promise<boolean> {
  const result = await client.query(
    `select from click.acceptance
     where organization_id = $1 and template_id = $2 and decision = 'ACCEPT'
       and (version_id, revision) is distinct from ($3::uuid, $4::integer)
     limit 1`,
    [orgId, text.templateId, text.versionId, text.revision],
  );
  return result.rowCount === 1;
}

/** The rules of re-acceptance that held when these were accepted, by receipt id. */
export async function listAcceptedPolicies(
  orgId: OrgId,
  client: pg.ClientBase,
  receiptIds: readonly string[],
): Promise<ReadonlyMap<string, TemplateOffer["policy"]>> {
  const result = await client.query<{ receiptId: string; policy: Policy }>(
    `select a.receipt_id as "receiptId", t.terms::json -> 'policy' as policy
     from click.acceptance a
     join click.template_terms t on t.organization_id = a.organization_id and t.terms_hash = a.terms_hash
     where a.organization_id = $1 and a.receipt_id = any($2)`,
    [orgId, receiptIds],
  );
  return new Map(result.rows.map(({ receiptId, policy }) => [receiptId, policy]));
}
