import { publication, version, versionWithAll } from "#api/templates.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { required } from "./required.ts";
import { changeBody, createBody, defineRoute, onBehalfOf, type ProtectedAccess, queryOf, type Route } from "./route.ts";
import { described, flag, listOf } from "./schema-parts.ts";

const read: ProtectedAccess = { scopes: ["click:read"], limitGroup: "other" };
const write: ProtectedAccess = { scopes: ["click:write"], limitGroup: "other" };
const admin: ProtectedAccess = { scopes: ["click:admin"], limitGroup: "other" };
const base = { tag: "Template versions", dialect: clickDialect } as const;

const ofTemplate = { templateId: "CLICK_TEMPLATE_NOT_FOUND" } as const;
const ofVersion = { ...ofTemplate, versionId: "CLICK_VERSION_NOT_FOUND" } as const;
/** Content of 1 MiB may need twice as much when every character is escaped. */
const contentBodyBytes = 2 * 1024 * 1024;

interface Embeds {
  readonly includeTemplate?: boolean;
  readonly includeDeployments?: boolean;
}

const embeds = queryOf<Embeds>({
  includeTemplate: described(flag, "Embeds the template."),
  includeDeployments: described(flag, "Embeds the deployments that serve the version."),
});

const embedded = ({ includeTemplate, includeDeployments }: Embeds) => ({
  template: includeTemplate,
  deployments: includeDeployments,
});

const versionSchema = version.schemas.answer;
const embeddingVersionSchema = versionWithAll.schemas.answer;

export const versionRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "findAllVersions",
    method: "GET",
    path: "/v1/click/templates/{templateId}/versions",
    summary: "List the versions of a template",
    description: "All of them, whatever their status.",
    access: read,
    notFound: ofTemplate,
    query: embeds,
    success: { status: 200, description: "The versions, oldest first.", schema: listOf(embeddingVersionSchema) },
    errors: [],
    call: (request, { templates }) =>
      templates.listVersions({ ...request.params, ...request.query }, onBehalfOf(request)),
    respond: ({ versions }, { query }) =>
      jsonReply(
        200,
        versions.map((one) => versionWithAll.answer(one, embedded(query))),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "createVersion",
    method: "POST",
    path: "/v1/click/templates/{templateId}/versions",
    summary: "Create a version",
    description: "A template has one version per locale that is not archived.",
    access: write,
    notFound: ofTemplate,
    body: createBody(version, {
      maxBytes: contentBodyBytes,
      example: { locale: "en", content: "<p>You may use the service as follows.</p>", buttonText: "I agree" },
    }),
    success: { status: 201, description: "The created version.", schema: versionSchema },
    errors: ["CLICK_VERSION_LOCALE_EXISTS", "CLICK_TEMPLATE_ARCHIVED"],
    call: (request, { templates }) =>
      templates.createVersion({ ...version.create(request.body), ...request.params }, onBehalfOf(request)),
    respond: (answer) => jsonReply(201, version.answer(required(answer.version))),
  }),
  defineRoute({
    ...base,
    operationId: "findPublishedVersions",
    method: "GET",
    path: "/v1/click/templates/{templateId}/versions/published",
    summary: "List the published versions of a template",
    description: "What users are asked to agree to now, at most one for each locale.",
    access: read,
    notFound: ofTemplate,
    success: { status: 200, description: "The published versions.", schema: listOf(versionSchema) },
    errors: [],
    call: (request, { templates }) =>
      templates.listVersions({ templateId: request.params.templateId, publishedOnly: true }, onBehalfOf(request)),
    respond: ({ versions }) =>
      jsonReply(
        200,
        versions.map((one) => version.answer(one)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "findOneVersion",
    method: "GET",
    path: "/v1/click/templates/{templateId}/versions/{versionId}",
    summary: "Read a version",
    description: "With its revisions and with what validate-content says of its content.",
    access: read,
    notFound: ofVersion,
    query: embeds,
    success: { status: 200, description: "The version.", schema: embeddingVersionSchema },
    errors: [],
    call: (request, { templates }) =>
      templates.getVersion({ ...request.params, ...request.query }, onBehalfOf(request)),
    respond: (answer, { query }) => jsonReply(200, versionWithAll.answer(required(answer.version), embedded(query))),
  }),
  defineRoute({
    ...base,
    operationId: "updateVersion",
    method: "PATCH",
    path: "/v1/click/templates/{templateId}/versions/{versionId}",
    summary: "Change a version",
    description:
      "Only while it is not published. Fields that are absent keep their values; null clears what may be absent. With ifUpdatedAt nothing changes unless the version is still the one that was read.",
    access: write,
    notFound: ofVersion,
    body: changeBody(version, {
      maxBytes: contentBodyBytes,
      example: { content: "<p>You may use the service as follows.</p>", buttonText: null },
    }),
    success: { status: 200, description: "The changed version.", schema: versionSchema },
    errors: [
      "CLICK_VERSION_PUBLISHED",
      "CLICK_VERSION_ARCHIVED",
      "CLICK_TEMPLATE_ARCHIVED",
      "CLICK_VERSION_LOCALE_EXISTS",
      "CLICK_VERSION_CONFLICT",
    ],
    call: (request, { templates }) =>
      templates.updateVersion({ ...version.change(request.body), ...request.params }, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, version.answer(required(answer.version))),
  }),
  defineRoute({
    ...base,
    operationId: "publishVersion",
    method: "POST",
    path: "/v1/click/templates/{templateId}/versions/{versionId}/publish",
    summary: "Publish or unpublish a version",
    description: "Content that differs from what was last published becomes a new revision, whose bytes never change.",
    access: write,
    notFound: ofVersion,
    body: createBody(publication, { example: { requireReacceptance: true } }),
    success: { status: 200, description: "The version after the change.", schema: versionSchema },
    errors: [
      "CLICK_VERSION_ARCHIVED",
      "CLICK_CONTENT_INVALID",
      "CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS",
      "CLICK_TEMPLATE_ARCHIVED",
    ],
    call: (request, { templates }) =>
      templates.publishVersion({ ...publication.create(request.body), ...request.params }, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, version.answer(required(answer.version))),
  }),
  defineRoute({
    ...base,
    operationId: "archiveVersion",
    method: "POST",
    path: "/v1/click/templates/{templateId}/versions/{versionId}/archive",
    summary: "Archive a version",
    description: "Frees its locale for another version. Archiving an archived version changes nothing.",
    access: admin,
    notFound: ofVersion,
    success: { status: 200, description: "The archived version.", schema: versionSchema },
    errors: ["CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS"],
    call: (request, { templates }) => templates.archiveVersion(request.params, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, version.answer(required(answer.version))),
  }),
];
