import type { JsonSchema } from "#api/kinds.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { defineRoute, onBehalfOf, queryOf, type Route } from "./route.ts";
import { answer, anyText, count, dateTime, day, described, languageTag, listOf, orNull, uuid } from "./schema-parts.ts";

const rate: JsonSchema = { type: ["number", "null"], minimum: 0, maximum: 1, description: "Null when nothing counts." };
const milliseconds: JsonSchema = { type: ["number", "null"], minimum: 0 };
const counts = (...names: string[]): JsonSchema => answer(Object.fromEntries(names.map((name) => [name, count])));

export const statsSchema: JsonSchema = answer({
  templateId: uuid,
  from: orNull(day),
  to: orNull(day),
  sessions: counts("created", "presented", "accepted", "completed", "declined", "expired", "cancelled"),
  acceptances: counts("total", "uniqueUsers", "direct", "withSession", "last24h", "last7d", "last30d"),
  declines: count,
  withdrawals: count,
  renders: count,
  rates: answer({ acceptance: rate, decline: rate, abandonment: rate }),
  timeToAcceptMs: answer({ p50: milliseconds, p90: milliseconds }),
  byVersion: listOf(
    answer({ versionId: uuid, locale: languageTag, revision: count, label: anyText, acceptances: count }),
  ),
  byLocale: listOf(answer({ locale: languageTag, acceptances: count })),
  byDay: listOf(answer({ date: day, acceptances: count, declines: count })),
  byPurpose: listOf(answer({ purpose: anyText, granted: count, denied: count, withdrawn: count })),
  usersOnLatest: count,
  usersNeedingReacceptance: count,
  activeDeployments: count,
  versions: counts("total", "published", "archived"),
  firstAcceptedAt: orNull(dateTime),
  lastAcceptedAt: orNull(dateTime),
});

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
    success: { status: 200, description: "The statistics.", schema: statsSchema },
    errors: [],
    call: (request, { click }) => {
      const { versionId, ...query } = request.query;
      const wanted = { templateId: request.params.id, ...query, versionId: versionId?.toLowerCase() };
      return click.getTemplateStats(wanted, onBehalfOf(request));
    },
    respond: ({ statsJson }) => ({ status: 200, body: statsJson }),
  }),
];
