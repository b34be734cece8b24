import { stats } from "#api/stats.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { defineRoute, onBehalfOf, queryOf, type Route } from "./route.ts";
import { day, described, languageTag, uuid } from "./schema-parts.ts";

interface StatsQuery {
  readonly from?: string;
  readonly to?: string;
  readonly locale?: string;
  readonly versionId?: string;
}

export const statsRoutes: readonly Route[] = [
  defineRoute({
    operationId: "getTemplateStats",
    method: "GET",
    path: "/v1/click/templates/{id}/stats",
    tag: "Templates",
    dialect: clickDialect,
    summary: "Read the statistics of a template",
    description: "They follow what happens with less than a second of delay.",
    access: { scopes: ["click:read"], limitGroup: "other" },
    notFound: { id: "CLICK_TEMPLATE_NOT_FOUND" },
    query: queryOf<StatsQuery>({
      from: described(day, "The first day that counts, in UTC."),
      to: described(day, "The last day that counts, in UTC."),
      locale: described(languageTag, "Only what happened in this locale."),
      versionId: described(uuid, "Only what happened with this version."),
    }),
    success: { status: 200, description: "The statistics.", schema: stats.schemas.answer },
    errors: [],
    call: (request, { click }) => {
      const { versionId, ...query } = request.query;
      const wanted = { templateId: request.params.id, ...query, versionId: versionId?.toLowerCase() };
      return click.getTemplateStats(wanted, onBehalfOf(request));
    },
    respond: ({ statsJson }) => ({ status: 200, body: statsJson }),
  }),
];
