import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  ContentFormat,
  type CreateVersionRequestSchema,
  type VersionChangesSchema,
  type VersionTextsSchema,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { enumValue, timestampOf } from "../../views/scalars.ts";
import { type VersionViewOptions, versionView } from "../../views/version.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { pathsIn } from "./changes.ts";
import { embeddingVersionSchema } from "./embedding-schemas.ts";
import { required } from "./required.ts";
import { defineRoute, jsonBody, onBehalfOf, type ProtectedAccess, queryOf, type Route } from "./route.ts";
import { described, flag, listOf } from "./schema-parts.ts";
import {
  type CreateVersionBody,
  createVersionSchema,
  type PublishVersionBody,
  publishVersionSchema,
  type UpdateVersionBody,
  updateVersionSchema,
  type VersionChangesBody,
  type VersionTextsBody,
  versionSchema,
} from "./version-schemas.ts";

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
        versions.map((version) => versionView(version)),
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
    respond: ({ version }, { query }) => jsonReply(200, versionView(required(version), embedded(query))),
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
    body: jsonBody<UpdateVersionBody>({
      schema: updateVersionSchema,
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
    call: (request, { templates }) => {
      const { body, params } = request;
      const updateMask = { paths: pathsIn(body, changeable) };
      const change = { ...params, changes: changesOf(body), updateMask, ifUpdatedAt: timestampOf(body.ifUpdatedAt) };
      return templates.updateVersion(change, onBehalfOf(request));
    },
    respond: ({ version }) => jsonReply(200, versionView(required(version))),
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
  texts: textsOf(body),
});

const changesOf = (body: UpdateVersionBody): MessageInitShape<typeof VersionChangesSchema> => ({
  locale: body.locale,
  title: body.title ?? undefined,
  content: body.content,
  format: body.format ? enumValue(ContentFormat, body.format.toUpperCase()) : undefined,
  changeSummary: body.changeSummary ?? undefined,
  effectiveAt: timestampOf(body.effectiveAt),
  texts: textsOf(body),
});

const textsOf = (body: VersionTextsBody): MessageInitShape<typeof VersionTextsSchema> => ({
  consentText: body.consentText ?? undefined,
  buttonText: body.buttonText ?? undefined,
  declineText: body.declineText ?? undefined,
  checkboxText: body.checkboxText ?? undefined,
  linkText: body.linkText ?? undefined,
  purposeTexts: body.purposeTexts ?? {},
});

/** The fields that can change, by their names in the message. Everything else in a body is ignored. */
const changeable: Readonly<Record<keyof VersionChangesBody, string>> = {
  locale: "locale",
  title: "title",
  content: "content",
  format: "format",
  changeSummary: "change_summary",
  effectiveAt: "effective_at",
  consentText: "texts.consent_text",
  buttonText: "texts.button_text",
  declineText: "texts.decline_text",
  checkboxText: "texts.checkbox_text",
  linkText: "texts.link_text",
  purposeTexts: "texts.purpose_texts",
};
