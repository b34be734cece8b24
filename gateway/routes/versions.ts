import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ContentFormat, type CreateVersionRequestSchema } from "#gen/assent/templates/v1/templates_pb.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { enumValue } from "../views/scalars.ts";
import { type VersionViewOptions, versionView } from "../views/version.ts";
import { required } from "./required.ts";
import { defineRoute, jsonBody, onBehalfOf, type ProtectedAccess, queryOf, type Route } from "./route.ts";
import { described, flag, listOf } from "./schema-parts.ts";
import {
  type CreateVersionBody,
  createVersionSchema,
  type PublishVersionBody,
  publishVersionSchema,
  versionSchema,
} from "./version-schemas.ts";

const read: ProtectedAccess = { scopes: ["click:read"], limitGroup: "other" };
const write: ProtectedAccess = { scopes: ["click:write"], limitGroup: "other" };
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

const embedded = ({ includeTemplate, includeDeployments }: Embeds): VersionViewOptions => ({
  withTemplate: includeTemplate === true,
  withDeployments: includeDeployments === true,
});

export const versionRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "findAllVersions",
    method: "GET",
    path: "/v1/click/templates/{templateId}/versions",
    summary: "List the versions of a template",
    access: read,
    notFound: ofTemplate,
    query: embeds,
    success: { status: 200, description: "The versions, oldest first.", schema: listOf(versionSchema) },
    errors: [],
    call: (request, { templates }) =>
      templates.listVersions(
        { templateId: request.params.templateId, includeTemplate: request.query.includeTemplate ?? false },
        onBehalfOf(request),
      ),
    respond: ({ versions }, { query }) =>
      jsonReply(
        200,
        versions.map((version) => versionView(version, embedded(query))),
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
    body: jsonBody<CreateVersionBody>({
      schema: createVersionSchema,
      maxBytes: contentBodyBytes,
      example: { locale: "en", content: "<p>You may use the service as follows.</p>", buttonText: "I agree" },
    }),
    success: { status: 201, description: "The created version.", schema: versionSchema },
    errors: ["CLICK_VERSION_LOCALE_EXISTS", "CLICK_TEMPLATE_ARCHIVED"],
    call: (request, { templates }) =>
      templates.createVersion(createRequest(request.params.templateId, request.body), onBehalfOf(request)),
    respond: ({ version }) => jsonReply(201, versionView(required(version))),
  }),
  defineRoute({
    ...base,
    operationId: "findPublishedVersions",
    method: "GET",
    path: "/v1/click/templates/{templateId}/versions/published",
    summary: "List the published versions of a template",
    access: read,
    notFound: ofTemplate,
    success: { status: 200, description: "The published versions.", schema: listOf(versionSchema) },
    errors: [],
    call: (request, { templates }) =>
      templates.listVersions({ templateId: request.params.templateId, publishedOnly: true }, onBehalfOf(request)),
    respond: ({ versions }) =>
      jsonReply(
        200,
        versions.map((version) => versionView(version)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "findOneVersion",
    method: "GET",
    path: "/v1/click/templates/{templateId}/versions/{versionId}",
    summary: "Read a version",
    access: read,
    notFound: ofVersion,
    query: embeds,
    success: { status: 200, description: "The version.", schema: versionSchema },
    errors: [],
    call: (request, { templates }) =>
      templates.getVersion(
        { ...request.params, includeTemplate: request.query.includeTemplate ?? false },
        onBehalfOf(request),
      ),
    respond: ({ version }, { query }) => jsonReply(200, versionView(required(version), embedded(query))),
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
    body: jsonBody<PublishVersionBody>({ schema: publishVersionSchema, example: { requireReacceptance: true } }),
    success: { status: 200, description: "The version after the change.", schema: versionSchema },
    errors: [
      "CLICK_VERSION_ARCHIVED",
      "CLICK_CONTENT_INVALID",
      "CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS",
      "CLICK_TEMPLATE_ARCHIVED",
    ],
    call: (request, { templates }) => {
      const { body, params } = request;
      const publication = {
        ...params,
        published: body.published ?? body.publish ?? body.isPublished ?? true,
        requireReacceptance: body.requireReacceptance ?? true,
        effectiveAt: timestampOf(body.effectiveAt),
        changeSummary: body.changeSummary ?? undefined,
      };
      return templates.publishVersion(publication, onBehalfOf(request));
    },
    respond: ({ version }) => jsonReply(200, versionView(required(version))),
  }),
];

const createRequest = (
  templateId: string,
  body: CreateVersionBody,
): MessageInitShape<typeof CreateVersionRequestSchema> => ({
  templateId,
  locale: body.locale,
  title: body.title ?? undefined,
  content: body.content,
  format: enumValue(ContentFormat, (body.format ?? "html").toUpperCase()),
  changeSummary: body.changeSummary ?? undefined,
  effectiveAt: timestampOf(body.effectiveAt),
  texts: {
    consentText: body.consentText ?? undefined,
    buttonText: body.buttonText ?? undefined,
    declineText: body.declineText ?? undefined,
    checkboxText: body.checkboxText ?? undefined,
    linkText: body.linkText ?? undefined,
    purposeTexts: body.purposeTexts ?? {},
  },
});

const timestampOf = (iso: string | null | undefined) =>
  iso === null || iso === undefined ? undefined : timestampFromDate(new Date(iso));
