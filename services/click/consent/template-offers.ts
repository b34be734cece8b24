import type pg from "pg";
import { withOrg } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { isOutage } from "#platform/outage.ts";
import { type TemplateName, type TemplateSource, templateKey } from "../accept/template-source.ts";
import type { LastAcceptance, PublishedText, TemplateOffer } from "../domain/agreement-state.ts";
import { listAcceptedPolicies, listPublications } from "../store/publication-store.ts";

export interface TemplateOffersDeps {
  readonly pool: pg.Pool;
  readonly templates: TemplateSource;
  readonly logger: Logger;
}

/** What templates offer to those who accepted them. */
export interface TemplateOffers {
  /**
   * By template id. Now: what the templates service says; while it is away, what its events have told. For a moment in
   * the past: what the events have told of it, under the rules that held for the acceptance.
   */
  find(
    orgId: OrgId,
    acceptances: readonly LastAcceptance[],
    at: Date | null,
  ): Promise<ReadonlyMap<string, TemplateOffer>>;
  /** The texts of a template that are published now, as far as the templates service or its events tell. */
  published(orgId: OrgId, templateId: string): Promise<readonly PublishedText[]>;
}

/** What ResolveTemplates takes at once. */
const resolvedAtOnce = 256;

export function createTemplateOffers(deps: TemplateOffersDeps): TemplateOffers {
  return {
    find: async (orgId, acceptances, at) => {
      if (acceptances.length === 0) return new Map();
      if (at !== null) return rememberedOffers(deps, orgId, acceptances, at);
      const ids = acceptances.map(({ templateId }) => templateId);
      return unlessAway(
        deps,
        () => currentOffers(deps, orgId, ids),
        () => rememberedOffers(deps, orgId, acceptances, null),
      );
    },
    published: async (orgId, templateId) =>
      unlessAway(
        deps,
        async () => (await currentOffers(deps, orgId, [templateId])).get(templateId)?.published ?? [],
        () => withOrg(deps.pool, orgId, (client) => listPublications(orgId, client, [templateId], null)),
      ),
  };
}

/** Reading what is recorded does not depend on the templates service. */
async function unlessAway<T>(
  { logger }: TemplateOffersDeps,
  ask: () => Promise<T>,
  remember: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!isOutage(error)) throw error;
    logger.warn({ err: error }, "the templates service is away; judging agreements by what its events told");
    return remember();
  }
}

async function currentOffers(
  { templates }: TemplateOffersDeps,
  organizationId: OrgId,
  templateIds: readonly string[],
): Promise<Map<string, TemplateOffer>> {
  const offers = new Map<string, TemplateOffer>();
  const names = templateIds.map((value): TemplateName => ({ organizationId, template: { case: "templateId", value } }));
  for (let start = 0; start < names.length; start += resolvedAtOnce) {
    const some = names.slice(start, start + resolvedAtOnce);
    const found = await templates.resolve(some);
    for (const name of some) {
      const template = found.get(templateKey(name));
      if (template === undefined) continue;
      const published = template.archived ? [] : template.published;
      offers.set(name.template.value, { published, policy: template.terms.terms.policy });
    }
  }
  return offers;
}

async function rememberedOffers(
  { pool }: TemplateOffersDeps,
  orgId: OrgId,
  acceptances: readonly LastAcceptance[],
  at: Date | null,
): Promise<Map<string, TemplateOffer>> {
  return withOrg(pool, orgId, async (client) => {
    const ids = acceptances.map(({ templateId }) => templateId);
    const publications = await listPublications(orgId, client, ids, at);
    const policies = await listAcceptedPolicies(
      orgId,
      client,
      acceptances.map(({ receiptId }) => receiptId),
    );
    const offers = new Map<string, TemplateOffer>();
    for (const acceptance of acceptances) {
      const policy = policies.get(acceptance.receiptId);
      if (policy === undefined) continue;
      const published = publications.filter(({ templateId }) => templateId === acceptance.templateId);
      // What was accepted was published then; it may have been before we began to listen.
      offers.set(acceptance.templateId, { published: published.length > 0 ? published : [acceptance], policy });
    }
    return offers;
  });
}
