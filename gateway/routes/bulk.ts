import {
  archivedTemplates,
  duplicatedTemplates,
  templatesToArchive,
  templatesToDuplicate,
} from "#api/configuration.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { createBody, defineRoute, onBehalfOf, type ProtectedAccess, type Route } from "./route.ts";

const admin: ProtectedAccess = { scopes: ["click:admin"], limitGroup: "other" };
const base = { tag: "Templates", dialect: clickDialect } as const;

export const bulkRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "bulkArchiveTemplates",
    method: "POST",
    path: "/v1/click/templates/bulk/archive",
    summary: "Archive many templates",
    description: "What cannot be archived is listed and does not fail the rest. An id that comes twice counts once.",
    access: admin,
    body: createBody(templatesToArchive, {
      example: { templateIds: ["01961234-5678-7abc-8def-0123456789ab"] },
    }),
    success: {
      status: 200,
      description: "How many are archived now, and which are not.",
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
    summary: "Copy many templates",
    description:
      "A copy is a draft with the type, the configuration and the policy of its source, and no versions. What cannot be copied is listed and does not fail the rest.",
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
