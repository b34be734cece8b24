import type { Client } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { isUuid } from "#platform/ids.ts";
import type { ContentKeeper } from "../accept/content-keeper.ts";
import { type TemplateName, type TemplateSource, templateKey } from "../accept/template-source.ts";
import type { BoundText, CurrentTemplate } from "../domain/agreement.ts";
import type { PurposeOffer } from "../domain/consent-plan.ts";
import { chooseByLocale } from "../domain/locale.ts";
import { jurisdictionOf } from "../domain/terms.ts";

/** A purpose that somebody wants to grant. */
export interface WantedPurpose {
  readonly purpose: string;
  /** Only this template will do. */
  readonly templateId: string | undefined;
  /** Taken before any other if it still asks for the purpose. */
  readonly preferredTemplateId: string | undefined;
}

export interface PurposeOffersDeps {
  readonly client: Client<typeof TemplatesService>;
  readonly templates: TemplateSource;
  readonly content: ContentKeeper;
}

/** Finds the published texts that ask for purposes. */
export interface PurposeOffers {
  /**
   * What is offered for each of them, by purpose; those that no published CONSENT template asks for are left out. The
   * texts are kept, so that it can be proved what was granted.
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
