import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Event, VersionPublished } from "#gen/assent/events/v1/events_pb.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { type NewId, type OrgId, parseOrgId } from "#platform/ids.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { reacceptanceRequired } from "../events.ts";
import type { LeafSigner } from "../log/leaf.ts";
import { publicationLeaf } from "../log/log-leaves.ts";
import { appendLeaves } from "../log/log-store.ts";
import type { PublishedText, TemplateOffer } from "./agreement-state.ts";
import type { Policy } from "./policy.ts";
import { type TemplateSource, templateKey } from "./template-source.ts";

interface Publication extends PublishedText {
  readonly templateId: string;
  readonly publishedAt: Date;
}

/** Notes the first publication of a revision; false when it was noted before. */
async function insertPublication({ orgId, client }: Tenant, publication: Publication): Promise<boolean> {
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
  { orgId, client }: Tenant,
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
async function hasAcceptances(
  { orgId, client }: Tenant,
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
  { orgId, client }: Tenant,
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

interface VersionPublishedDeps {
  readonly templates: TemplateSource;
  readonly leafSigner: LeafSigner;
  readonly issuer: string;
  readonly newId: NewId;
}

export const versionPublishedSubject = "assent.templates.version.published";

/**
 * Notes when each revision was published, also in the log, and tells once per revision if those who accepted an earlier
 * text must accept it anew. That a revision is published again is no news.
 */
export const applyVersionPublished =
  (deps: VersionPublishedDeps) =>
  async (tenant: Tenant, event: Event): Promise<void> => {
    const orgId = parseOrgId(event.organizationId);
    const { payload, occurredAt } = event;
    if (orgId === undefined || payload.case !== "versionPublished" || occurredAt === undefined) {
      throw new Error("an event of a publication does not tell what was published");
    }
    const published = payload.value;
    const publishedAt = timestampDate(occurredAt);
    if (!(await insertPublication(tenant, { ...published, publishedAt }))) return;
    if (await mustBeAcceptedAnew(deps, tenant, published)) {
      const { requestId, traceparent } = event;
      const context = { caller: { orgId, requestId, traceparent }, eventId: deps.newId(), now: publishedAt };
      await insertOutbox(tenant.client, "click", [reacceptanceRequired(context, published)]);
    }
    const leaf = publicationLeaf(deps.issuer, orgId, { ...published, eventId: event.id, publishedAt });
    // Signed by the key of that time, however late we hear of it: that is the key that it is checked with.
    const leaves = await deps.leafSigner.sign([{ recordId: event.id, payload: leaf }], publishedAt);
    await appendLeaves(tenant, leaves);
  };

const mustBeAcceptedAnew = async (
  deps: VersionPublishedDeps,
  tenant: Tenant,
  published: VersionPublished,
): Promise<boolean> =>
  (await hasAcceptances(tenant, published)) &&
  asksAnew(await currentRule(deps, tenant.orgId, published.templateId), published);

async function currentRule(
  { templates }: VersionPublishedDeps,
  organizationId: OrgId,
  templateId: string,
): Promise<Policy["requireReacceptance"]> {
  const name = { organizationId, template: { case: "templateId", value: templateId } } as const;
  const template = (await templates.resolve([name])).get(templateKey(name));
  return template === undefined || template.archived ? "NEVER" : template.terms.terms.policy.requireReacceptance;
}

const asksAnew = (rule: Policy["requireReacceptance"], published: VersionPublished): boolean =>
  rule === "ALWAYS" || (rule === "ON_MAJOR" && published.requiresReacceptance);
