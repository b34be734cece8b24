import {
  approvalRequest,
  approvalWish,
  consentToText,
  type NamedPerson,
  publicationRules,
  refusalOfText,
  versionApproval,
} from "#api/approvals.ts";
import { publication, version, versionDraft, versionWithAll } from "#api/templates.ts";
import type { Approval } from "#gen/assent/templates/v1/templates_pb.ts";
import type { ErrorCode } from "#platform/errors.ts";
import { timestampOf } from "../../views/scalars.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply, noContent, type Reply } from "../http/reply.ts";
import { namesFor } from "./dashboard/base.ts";
import { listing, type PageQuery, pageLimit } from "./pages.ts";
import {
  changeBody,
  createBody,
  defineRoute,
  onBehalfOf,
  type ProtectedAccess,
  queryOf,
  type Route,
  type RouteRequest,
} from "./route.ts";
import { dateTime, described, flag, listOf, required, text } from "./schema-parts.ts";
import type { Services } from "./services.ts";

const read: ProtectedAccess = { scopes: ["click:read"], limitGroup: "other" };
const write: ProtectedAccess = { scopes: ["click:write"], limitGroup: "other" };
const admin: ProtectedAccess = { scopes: ["click:admin"], limitGroup: "other" };
/** People alone: no program ever has these scopes. */
const deciders: ProtectedAccess = { scopes: ["dashboard:write"], limitGroup: "other" };
const owners: ProtectedAccess = { scopes: ["dashboard:admin"], limitGroup: "other" };
const base = { tag: "Template versions", dialect: clickDialect } as const;

const ofTemplate = { templateId: "CLICK_TEMPLATE_NOT_FOUND" } as const;
const ofVersion = { ...ofTemplate, versionId: "CLICK_VERSION_NOT_FOUND" } as const;
/** Content of 1 MiB may need twice as much when every character is escaped. */
const contentBodyBytes = 2 * 1024 * 1024;

const decisionErrors = [
  ...["CLICK_APPROVAL_NOT_ALLOWED", "CLICK_APPROVAL_NOT_REQUESTED", "CLICK_VERSION_ARCHIVED"],
  ...["CLICK_TEMPLATE_ARCHIVED", "CLICK_DRAFT_NOT_FOUND", "CLICK_VERSION_CONFLICT"],
] as const satisfies readonly ErrorCode[];

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

interface AnsweredApproval {
  readonly approval?: Approval | undefined;
}
type NamedApproval = AnsweredApproval & { readonly people: readonly NamedPerson[] };

/** An approval, and for people what those are called who are in it: only owners may list the users. */
async function withNames(
  request: Pick<RouteRequest, "caller" | "user">,
  services: Pick<Services, "users">,
  answer: Promise<AnsweredApproval>,
): Promise<NamedApproval> {
  const { approval } = await answer;
  const { authors = [], requestedBy = "", decidedBy = "" } = approval ?? {};
  return { approval, people: await namesFor(request, services, [requestedBy, decidedBy, ...authors]) };
}

const approvalReply = ({ approval, people }: NamedApproval): Reply =>
  jsonReply(200, versionApproval.answer(required(approval), { people }));

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
    description: "A template has one unarchived version per locale.",
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
    description: "What users are asked to accept now, at most one per locale.",
    access: read,
    besideLimit: true,
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
    description: "Includes its revisions and the result of validate-content for its content.",
    access: read,
    besideLimit: true,
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
      "Works only while the version isn't published; to change a published version, save a draft. Absent members keep their values; null clears optional ones. With ifUpdatedAt, nothing changes unless the version is still the one you read.",
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
      "CLICK_VERSION_SCHEDULED",
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
    description:
      "Content that differs from the last publication becomes a new revision, whose bytes never change. If a published version has a draft, the draft replaces the live text at the same moment for everyone; sessions opened before keep the revision they pinned. With publishAt, everything is checked now and published then: the version has a schedule, what is to be published can't be edited until then, and the same request with another publishAt reschedules it. Publishing immediately, unpublishing and archiving end the schedule.",
    access: write,
    notFound: ofVersion,
    body: createBody(publication, { example: { requireReacceptance: true, publishAt: "2038-01-01T00:00:00+01:00" } }),
    success: { status: 200, description: "The version after the change.", schema: versionSchema },
    errors: [
      "CLICK_VERSION_ARCHIVED",
      "CLICK_CONTENT_INVALID",
      "CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS",
      "CLICK_TEMPLATE_ARCHIVED",
      "CLICK_VERSION_CONFLICT",
      "CLICK_DRAFT_NOT_FOUND",
      "CLICK_APPROVAL_REQUIRED",
    ],
    call: (request, { templates }) =>
      templates.publishVersion({ ...publication.create(request.body), ...request.params }, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, version.answer(required(answer.version))),
  }),
  defineRoute({
    ...base,
    operationId: "cancelVersionSchedule",
    method: "DELETE",
    path: "/v1/click/templates/{templateId}/versions/{versionId}/schedule",
    summary: "Cancel a scheduled publication",
    description: "The live text stays live, and the text that was scheduled can be edited again.",
    access: write,
    notFound: ofVersion,
    success: { status: 204, description: "The schedule was canceled." },
    errors: ["CLICK_SCHEDULE_NOT_FOUND"],
    call: (request, { templates }) => templates.cancelVersionSchedule(request.params, onBehalfOf(request)),
    respond: () => noContent,
  }),
  defineRoute({
    ...base,
    operationId: "archiveVersion",
    method: "POST",
    path: "/v1/click/templates/{templateId}/versions/{versionId}/archive",
    summary: "Archive a version",
    description: "Frees its locale for a new version. Archiving an archived version changes nothing.",
    access: admin,
    notFound: ofVersion,
    success: { status: 200, description: "The archived version.", schema: versionSchema },
    errors: ["CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS"],
    call: (request, { templates }) => templates.archiveVersion(request.params, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, version.answer(required(answer.version))),
  }),
  defineRoute({
    ...base,
    operationId: "findVersionDraft",
    method: "GET",
    path: "/v1/click/templates/{templateId}/versions/{versionId}/draft",
    summary: "Read the next draft",
    description: "The draft of a published version, with the result of validate-content for it.",
    access: read,
    notFound: ofVersion,
    success: { status: 200, description: "The draft.", schema: versionDraft.schemas.answer },
    errors: ["CLICK_DRAFT_NOT_FOUND"],
    call: (request, { templates }) => templates.getVersionDraft(request.params, onBehalfOf(request)),
    respond: ({ draft }) => jsonReply(200, versionDraft.answer(required(draft))),
  }),
  defineRoute({
    ...base,
    operationId: "saveVersionDraft",
    method: "PUT",
    path: "/v1/click/templates/{templateId}/versions/{versionId}/draft",
    summary: "Save the next draft",
    description:
      "For a published version, which is served, accepted and proven as it is until it is published again. The body is the complete draft: absent members are empty. A version has one draft. With ifUpdatedAt, nothing is stored if someone else has saved or published since.",
    access: write,
    notFound: ofVersion,
    body: createBody(versionDraft, {
      maxBytes: contentBodyBytes,
      example: {
        content: "<p>You may use the service as follows from now on.</p>",
        buttonText: "I agree",
        changeSummary: "Says from when on.",
      },
    }),
    success: { status: 200, description: "The stored draft.", schema: versionDraft.schemas.answer },
    errors: [
      "CLICK_VERSION_ARCHIVED",
      "CLICK_TEMPLATE_ARCHIVED",
      "CLICK_VERSION_NOT_PUBLISHED",
      "CLICK_VERSION_CONFLICT",
      "CLICK_VERSION_SCHEDULED",
    ],
    call: (request, { templates }) =>
      templates.putVersionDraft({ ...versionDraft.create(request.body), ...request.params }, onBehalfOf(request)),
    respond: ({ draft }) => jsonReply(200, versionDraft.answer(required(draft))),
  }),
  defineRoute({
    ...base,
    operationId: "deleteVersionDraft",
    method: "DELETE",
    path: "/v1/click/templates/{templateId}/versions/{versionId}/draft",
    summary: "Discard the next draft",
    description: "The live text stays as it is. With ifUpdatedAt, nothing is discarded if someone has saved since.",
    access: write,
    notFound: ofVersion,
    query: queryOf<{ readonly ifUpdatedAt?: string }>({
      ifUpdatedAt: described(dateTime, "The updatedAt of the draft as you know it."),
    }),
    success: { status: 204, description: "The draft was deleted." },
    errors: ["CLICK_DRAFT_NOT_FOUND", "CLICK_TEMPLATE_ARCHIVED", "CLICK_VERSION_CONFLICT", "CLICK_VERSION_SCHEDULED"],
    call: (request, { templates }) =>
      templates.deleteVersionDraft(
        { ...request.params, ifUpdatedAt: timestampOf(request.query.ifUpdatedAt) },
        onBehalfOf(request),
      ),
    respond: () => noContent,
  }),
  defineRoute({
    ...base,
    operationId: "findVersionApproval",
    method: "GET",
    path: "/v1/click/templates/{templateId}/versions/{versionId}/approval",
    summary: "Read whether a text is approved",
    description:
      "For the text that would be published now: the draft of a published version, otherwise the version itself.",
    access: read,
    notFound: ofVersion,
    success: { status: 200, description: "The approval.", schema: versionApproval.schemas.answer },
    errors: [],
    call: (request, services) =>
      withNames(request, services, services.templates.getVersionApproval(request.params, onBehalfOf(request))),
    respond: approvalReply,
  }),
  defineRoute({
    ...base,
    operationId: "requestVersionApproval",
    method: "POST",
    path: "/v1/click/templates/{templateId}/versions/{versionId}/approval-requests",
    summary: "Request approval of a text",
    description:
      "For the text that would be published now. Every later save voids the request and the approval. Requesting approval of an approved text changes nothing; requesting it for a refused text asks again.",
    access: write,
    notFound: ofVersion,
    body: createBody(approvalWish, { example: { note: "Section 3 is new." } }),
    success: { status: 200, description: "The approval.", schema: versionApproval.schemas.answer },
    errors: ["CLICK_VERSION_ARCHIVED", "CLICK_TEMPLATE_ARCHIVED", "CLICK_DRAFT_NOT_FOUND", "CLICK_VERSION_CONFLICT"],
    call: (request, services) => {
      const wish = { ...approvalWish.create(request.body), ...request.params };
      return withNames(request, services, services.templates.requestVersionApproval(wish, onBehalfOf(request)));
    },
    respond: approvalReply,
  }),
  defineRoute({
    ...base,
    operationId: "approveVersion",
    method: "POST",
    path: "/v1/click/templates/{templateId}/versions/{versionId}/approve",
    summary: "Approve a text",
    description:
      "For signed-in developers and owners who didn't write the text and didn't request its approval; never for API keys and OAuth clients. Anyone who may publish can then publish exactly this text.",
    access: deciders,
    notFound: ofVersion,
    body: createBody(consentToText, { example: { textHash: `sha256:${"0".repeat(64)}` } }),
    success: { status: 200, description: "The approval.", schema: versionApproval.schemas.answer },
    errors: decisionErrors,
    call: (request, services) => {
      const decision = { ...consentToText.create(request.body), ...request.params, approved: true };
      return withNames(request, services, services.templates.decideVersionApproval(decision, onBehalfOf(request)));
    },
    respond: approvalReply,
  }),
  defineRoute({
    ...base,
    operationId: "refuseVersion",
    method: "POST",
    path: "/v1/click/templates/{templateId}/versions/{versionId}/refuse",
    summary: "Refuse a text",
    description: "For anyone who may approve. This also withdraws an approval, as long as nothing is scheduled.",
    access: deciders,
    notFound: ofVersion,
    body: createBody(refusalOfText, {
      example: { textHash: `sha256:${"0".repeat(64)}`, reason: "Section 3 is missing." },
    }),
    success: { status: 200, description: "The approval.", schema: versionApproval.schemas.answer },
    errors: [...decisionErrors, "CLICK_VERSION_SCHEDULED"],
    call: (request, services) => {
      const decision = { ...refusalOfText.create(request.body), ...request.params, approved: false };
      return withNames(request, services, services.templates.decideVersionApproval(decision, onBehalfOf(request)));
    },
    respond: approvalReply,
  }),
  defineRoute({
    ...base,
    operationId: "listApprovalRequests",
    method: "GET",
    path: "/v1/click/approval-requests",
    summary: "List texts that wait for approval",
    description: "Longest waiting first.",
    access: read,
    query: queryOf<PageQuery>({
      limit: pageLimit,
      cursor: described(text(1, 200), "X-Next-Cursor of the previous page."),
    }),
    ...listing(
      { name: "requests", items: approvalRequest, description: "The texts.", maxPage: 200 },
      ({ templates }, page, options) => templates.listApprovalRequests(page, options),
    ),
  }),
  defineRoute({
    ...base,
    operationId: "getPublicationRules",
    method: "GET",
    path: "/v1/click/publication-rules",
    summary: "Read the publication rules",
    access: read,
    success: { status: 200, description: "The rules.", schema: publicationRules.schemas.answer },
    errors: [],
    call: (request, { templates }) => templates.getPublicationRules({}, onBehalfOf(request)),
    respond: ({ rules }) => jsonReply(200, publicationRules.answer(required(rules))),
  }),
  defineRoute({
    ...base,
    operationId: "setPublicationRules",
    method: "PUT",
    path: "/v1/click/publication-rules",
    summary: "Change the publication rules",
    description:
      "For signed-in owners. With fourEyes, the author of a text can't publish it without another person's approval. Scheduled publications without an approval are canceled.",
    access: owners,
    body: createBody(publicationRules, { example: { fourEyes: true } }),
    success: { status: 200, description: "The rules after the change.", schema: publicationRules.schemas.answer },
    errors: ["CLICK_APPROVAL_NOT_ALLOWED"],
    call: (request, { templates }) =>
      templates.setPublicationRules(publicationRules.create(request.body), onBehalfOf(request)),
    respond: ({ rules }) => jsonReply(200, publicationRules.answer(required(rules))),
  }),
];
