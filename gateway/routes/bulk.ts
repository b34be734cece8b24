import type { JsonSchema } from "#api/kinds.ts";
import { type SkippedTemplate, SkipReason } from "#gen/assent/templates/v1/templates_pb.ts";
import { enumName } from "../../views/scalars.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { defineRoute, jsonBody, onBehalfOf, type ProtectedAccess, type Route } from "./route.ts";
import { answer, anyText, count, described, listOf, object, oneOf, orNull, text, uuid } from "./schema-parts.ts";

const admin: ProtectedAccess = { scopes: ["click:admin"], limitGroup: "other" };
const base = { tag: "Templates", dialect: clickDialect } as const;

interface ArchiveBody {
  readonly templateIds: readonly string[];
}

interface DuplicateBody extends ArchiveBody {
  readonly namePattern?: string | null;
}

const idsUpTo = (maxItems: number): JsonSchema => ({ ...listOf(uuid), minItems: 1, maxItems });

const bulkArchiveSchema = object({ templateIds: idsUpTo(100) }, ["templateIds"]);
const bulkDuplicateSchema = object(
  {
    templateIds: idsUpTo(50),
    namePattern: described(
      orNull(text(1, 255)),
      "{name} stands for the name of the source; {name} (copy) when absent.",
    ),
  },
  ["templateIds"],
);

const skippedSchema = (...reasons: string[]): JsonSchema => listOf(answer({ id: uuid, reason: oneOf(...reasons) }));

export const bulkRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "bulkArchiveTemplates",
    method: "POST",
    path: "/v1/click/templates/bulk/archive",
    summary: "Archive many templates",
    description: "What cannot be archived is listed and does not fail the rest. An id that comes twice counts once.",
    access: admin,
    body: jsonBody<ArchiveBody>({
      schema: bulkArchiveSchema,
      example: { templateIds: ["01961234-5678-7abc-8def-0123456789ab"] },
    }),
    success: {
      status: 200,
      description: "How many are archived now, and which are not.",
      schema: answer({ archived: count, skipped: skippedSchema("not_found", "has_active_deployments") }),
    },
    errors: [],
    call: (request, { templates }) =>
      templates.bulkArchiveTemplates({ templateIds: idsOf(request.body) }, onBehalfOf(request)),
    respond: ({ archived, skipped }) => jsonReply(200, { archived, skipped: skipped.map(skippedView) }),
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
    body: jsonBody<DuplicateBody>({
      schema: bulkDuplicateSchema,
      example: { templateIds: ["01961234-5678-7abc-8def-0123456789ab"], namePattern: "{name} 2027" },
    }),
    success: {
      status: 200,
      description: "The copies, and what was not copied.",
      schema: answer({
        duplicates: listOf(answer({ sourceId: uuid, newId: uuid, name: anyText })),
        skipped: skippedSchema("not_found"),
      }),
    },
    errors: [],
    call: (request, { templates }) =>
      templates.bulkDuplicateTemplates(
        { templateIds: idsOf(request.body), namePattern: request.body.namePattern ?? undefined },
        onBehalfOf(request),
      ),
    respond: ({ duplicates, skipped }) =>
      jsonReply(200, {
        duplicates: duplicates.map(({ sourceId, newId, name }) => ({ sourceId, newId, name })),
        skipped: skipped.map(skippedView),
      }),
  }),
];

const idsOf = ({ templateIds }: ArchiveBody): string[] => templateIds.map((id) => id.toLowerCase());

const skippedView = ({ id, reason }: SkippedTemplate) => ({
  id,
  reason: enumName(SkipReason, reason)?.toLowerCase() ?? null,
});
