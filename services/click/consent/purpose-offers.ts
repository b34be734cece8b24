import type { Client } from "@connectrpc/connect";
import type pg from "pg";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import { chooseByLocale } from "#platform/locale.ts";
import type { Logger } from "#platform/logger.ts";
import { isOutage } from "#platform/outage.ts";
import type { BoundText, CurrentTemplate } from "../terms/agreement.ts";
import type { LastAcceptance, PublishedText, TemplateOffer } from "../terms/agreement-state.ts";
import type { ContentKeeper } from "../terms/content-keeper.ts";
import {
  listAcceptedPolicies,
  listPublications,
  type TemplateName,
  type TemplateSource,
  templateKey,
} from "../terms/template-source.ts";
import { jurisdictionOf } from "../terms/terms.ts";
import type { PurposeOffer } from "./consent-plan.ts";

/** A purpose that a caller wants to grant. */
export interface WantedPurpose {
  readonly purpose: string;
  /** Accept only this template. */
  readonly templateId: string | undefined;
  /** Preferred over all others as long as it still asks for the purpose. */
  readonly preferredTemplateId: string | undefined;
}

export interface PurposeOffersDeps {
  readonly client: Client<typeof TemplatesService>;
  readonly templates: TemplateSource;
  readonly content: ContentKeeper;
}

/** Finds the published texts that ask for given purposes. */
export interface PurposeOffers {
  /**
   * The offer for each purpose; purposes that no published CONSENT template asks for are missing. The texts are
   * stored, as proof of what was granted.
   */
  find(
    caller: Caller,
    wanted: readonly WantedPurpose[],
    locale: string | undefined,
  ): Promise<ReadonlyMap<string, PurposeOffer>>;
}

const answerMs = 2_000;

export function createPurposeOffers(deps: PurposeOffersDeps): PurposeOffers {
  return {
    find: async (caller, wanted, locale) => {
      const candidates = await findCandidates(deps, caller, wanted);
      const names = [...new Set([...candidates.values()].flat())].map((id) => nameOf(caller, id));
      const templates = await deps.templates.resolve(names);
      const offers = new Map<string, PurposeOffer>();
      for (const [purpose, templateIds] of candidates) {
        for (const id of templateIds) {
          const found = offerOf(templates.get(templateKey(nameOf(caller, id))), purpose, locale);
          if (found === undefined) continue;
          await deps.content.keep(caller, found.text, found.template.terms);
          offers.set(purpose, found.offer);
          break;
        }
      }
      return offers;
    },
  };
}

const nameOf = (caller: Caller, value: string): TemplateName => ({
  organizationId: caller.orgId,
  template: { case: "templateId", value },
});

/** The templates that may ask for each purpose, the best first. */
async function findCandidates(
  { client }: PurposeOffersDeps,
  caller: Caller,
  wanted: readonly WantedPurpose[],
): Promise<Map<string, string[]>> {
  const open = wanted.filter(({ templateId }) => templateId === undefined).map(({ purpose }) => purpose);
  const answer =
    open.length === 0
      ? { purposes: [] }
      : await client.listPublishedPurposes({ purposes: open }, { headers: callerHeaders(caller), timeoutMs: answerMs });
  return new Map(
    wanted.map(({ purpose, templateId, preferredTemplateId }) => {
      const listed = answer.purposes.filter((one) => one.purpose === purpose).map((one) => one.templateId);
      const ids = templateId === undefined ? [preferredTemplateId ?? "", ...listed] : [templateId.toLowerCase()];
      return [purpose, ids.filter(isUuid)];
    }),
  );
}

interface FoundOffer {
  readonly offer: PurposeOffer;
  readonly text: BoundText;
  readonly template: CurrentTemplate;
}

function offerOf(
  template: CurrentTemplate | undefined,
  key: string,
  locale: string | undefined,
): FoundOffer | undefined {
  const purpose = template?.terms.purposes.get(key);
  if (template === undefined || purpose === undefined || template.archived) return undefined;
  const text = chooseByLocale(template.published, locale, template.defaultLocale) ?? template.published[0];
  if (text === undefined) return undefined;
  const { templateId, versionId, revision, contentHash } = text;
  const offer: PurposeOffer = {
    text: { templateId, versionId, revision, locale: text.locale, contentHash },
    legalBasis: purpose.legalBasis,
    jurisdiction: jurisdictionOf(template.terms.terms),
    expiresAfterDays: purpose.expiresAfterDays,
  };
  return { offer, text, template };
}

interface TemplateOffersDeps {
  readonly pool: pg.Pool;
  readonly templates: TemplateSource;
  readonly logger: Logger;
}

/** What templates currently offer to users who accepted them. */
export interface TemplateOffers {
  /**
   * By template id. For now, asks the templates service and falls back on its past events when it is down. For
   * a moment in the past, uses the events, under the rules in force for the acceptance.
   */
  find(
    orgId: OrgId,
    acceptances: readonly LastAcceptance[],
    at: Date | null,
  ): Promise<ReadonlyMap<string, TemplateOffer>>;
  /** The published texts of a template, from the templates service or from its events. */
  published(orgId: OrgId, templateId: string): Promise<readonly PublishedText[]>;
}

/** The batch limit of ResolveTemplates. */
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
        () => withOrg(deps.pool, orgId, (tenant) => listPublications(tenant, [templateId], null)),
      ),
  };
}

/** Reading records does not depend on the templates service. */
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
  return withOrg(pool, orgId, async (tenant) => {
    const ids = acceptances.map(({ templateId }) => templateId);
    const publications = await listPublications(tenant, ids, at);
    const policies = await listAcceptedPolicies(
      tenant,
      acceptances.map(({ receiptId }) => receiptId),
    );
    const offers = new Map<string, TemplateOffer>();
    for (const acceptance of acceptances) {
      const policy = policies.get(acceptance.receiptId);
      if (policy === undefined) continue;
      const published = publications.filter(({ templateId }) => templateId === acceptance.templateId);
      // An accepted text was published at that time, possibly before this service received events.
      offers.set(acceptance.templateId, { published: published.length > 0 ? published : [acceptance], policy });
    }
    return offers;
  });
}
