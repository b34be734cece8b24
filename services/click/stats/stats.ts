import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService, GetTemplateStatsRequest } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import { momentOf } from "#platform/rpc/moment-of.ts";
import { parseTimestamp } from "../accept/timestamp.ts";
import type { ClickDeps } from "../deps.ts";
import type { TemplateOffer } from "../terms/agreement-state.ts";
import { canonicalLocale } from "../terms/locale.ts";
import { type TemplateSource, templateKey } from "../terms/template-source.ts";
import {
  countReached,
  listHolders,
  sumAcceptTimes,
  sumByDay,
  sumByHour,
  sumByPurpose,
  sumByText,
} from "./stat-read-store.ts";
import { hourOf } from "./tally.ts";
import { buildStats, type StatQuery } from "./template-stats.ts";
import { localeScope, templateScope, versionScope } from "./user-days.ts";

type Deps = Pick<ClickDeps, "pool" | "clock" | "templates" | "templateParts">;

export const getTemplateStats = (deps: Deps): Pick<ServiceImpl<typeof ClickService>, "getTemplateStats"> => ({
  async getTemplateStats(request, context) {
    const caller = requireCaller(context);
    const query = readQuery(request);
    const now = deps.clock.now();
    const [parts, offer] = await Promise.all([
      deps.templateParts(caller, query.templateId),
      currentOffer(deps, caller.orgId, query.templateId),
    ]);
    const { orgId } = caller;
    const counted = await withOrg(deps.pool, orgId, async (client) => ({
      totals: await sumByText(orgId, client, query, recent(now)),
      days: await sumByDay(orgId, client, query),
      purposes: await sumByPurpose(orgId, client, query),
      times: await sumAcceptTimes(orgId, client, query),
      uniqueUsers: await countReached(orgId, client, query, scopeOf(query)),
      holders: await listHolders(orgId, client, query),
    }));
    return { statsJson: JSON.stringify(buildStats({ query, ...counted, offer, parts, now })) };
  },
});

function readQuery({ templateId, from, to, locale, versionId }: GetTemplateStatsRequest): StatQuery {
  if (!isUuid(templateId)) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
  const details: FieldProblem[] = [];
  const refuse = (field: string, message: string) => details.push({ field, code: "FORMAT", message });
  for (const [field, day] of Object.entries({ from, to })) {
    if (day === undefined) continue;
    if (!isDay(day)) refuse(field, "must be a day in the form YYYY-MM-DD");
    else if (day < "0002") refuse(field, "is too early: no day before the year 2 is counted");
  }
  if (from !== undefined && to !== undefined && from > to) refuse("to", "must not be before from");
  const canonical = locale === undefined ? undefined : canonicalLocale(locale);
  if (locale !== undefined && canonical === undefined) refuse("locale", "must be a BCP 47 language tag such as en-US");
  if (versionId !== undefined && !isUuid(versionId)) refuse("versionId", "must be a UUID");
  if (details.length > 0) throw new DomainError("CLICK_VALIDATION_FAILED", { details });
  return {
    templateId: templateId.toLowerCase(),
    from: from ?? null,
    to: to ?? null,
    versionId: versionId?.toLowerCase() ?? null,
    locale: canonical ?? null,
  };
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== undefined;

const dayMs = 86_400_000;

/** Statistics are kept by the hour, so the last hours are whole ones: an hour too much at most, never one too little. */
const recent = (now: Date): [string, string, string] => {
  const since = (days: number) => hourOf(new Date(now.getTime() - days * dayMs));
  return [since(1), since(7), since(30)];
};

const scopeOf = ({ versionId, locale }: StatQuery): string => {
  // A version has one locale, so together they ask for no more than the version does.
  if (versionId !== null) return versionScope(versionId);
  return locale === null ? templateScope : localeScope(locale);
};

async function currentOffer(
  { templates }: { templates: TemplateSource },
  organizationId: OrgId,
  templateId: string,
): Promise<TemplateOffer> {
  const name = { organizationId, template: { case: "templateId", value: templateId } } as const;
  const template = (await templates.resolve([name])).get(templateKey(name));
  if (template === undefined) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
  return { published: template.archived ? [] : template.published, policy: template.terms.terms.policy };
}

export const getActivity = (deps: Pick<ClickDeps, "pool">): Pick<ServiceImpl<typeof ClickService>, "getActivity"> => ({
  async getActivity({ since }, context) {
    const { orgId } = requireCaller(context);
    const from = momentOf("since", since);
    const hours = await withOrg(deps.pool, orgId, (client) => sumByHour(orgId, client, from));
    return {
      hours: hours.map(({ hour, acceptances, declines }) => ({
        hour: timestampFromDate(hour),
        acceptances: BigInt(acceptances),
        declines: BigInt(declines),
      })),
    };
  },
});
