import {
  archivedTemplates,
  duplicatedTemplates,
  templatesToArchive,
  templatesToDuplicate,
} from "#api/configuration.ts";
import { stats } from "#api/stats.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { createBody, defineRoute, onBehalfOf, type ProtectedAccess, queryOf, type Route } from "./route.ts";
import { day, described, languageTag, uuid } from "./schema-parts.ts";

const admin: ProtectedAccess = { scopes: ["click:admin"], limitGroup: "other" };
const base = { tag: "Templates", dialect: clickDialect } as const;

export const bulkRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "bulkArchiveTemplates",
    method: "POST",
    path: "/v1/click/templates/bulk/archive",
    summary: "Archive many templates",
    description: "Templates that can't be archived are listed and don't affect the rest. A repeated ID counts once.",
    access: admin,
    body: createBody(templatesToArchive, {
      example: { templateIds: ["01961234-5678-7abc-8def-0123456789ab"] },
    }),
    success: {
      status: 200,
      description: "How many were archived, and which weren't.",
      schema: archivedTemplates.schemas.answer,
    },
    errors: [],
    call: (request, { templates }) =>
      templates.bulkArchiveTemplates(templatesToArchive.create(request.body), onBehalfOf(request)),
    respond: (answer) => jsonReply(200, archivedTemplates.answer(answer)),
  }),
  defineRoute({
    ...base,
    operationId: "bulkDuplicateTemplates",
    method: "POST",
    path: "/v1/click/templates/bulk/duplicate",
    summary: "Duplicate many templates",
    description:
      "A copy is a draft with the type, configuration and policy of its source, and no versions. Templates that can't be copied are listed and don't affect the rest.",
    access: admin,
    body: createBody(templatesToDuplicate, {
      example: { templateIds: ["01961234-5678-7abc-8def-0123456789ab"], namePattern: "{name} 2027" },
    }),
    success: {
      status: 200,
      description: "The copies, and what was not copied.",
      schema: duplicatedTemplates.schemas.answer,
    },
    errors: [],
    call: (request, { templates }) =>
      templates.bulkDuplicateTemplates(templatesToDuplicate.create(request.body), onBehalfOf(request)),
    respond: (answer) => jsonReply(200, duplicatedTemplates.answer(answer)),
  }),
];

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
    description: "Up to date within a second.",
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
