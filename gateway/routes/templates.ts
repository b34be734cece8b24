import { template, templateWithVersions } from "#api/templates.ts";
import { type Template, TemplateStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { enumValue } from "../../views/scalars.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply, noContent, type Reply } from "../http/reply.ts";
import { requireBrand } from "./deployments.ts";
import { gatherPages, nextPage, nextPageHeader, type PageQuery, pageLimit } from "./pages.ts";
import { changeBody, createBody, defineRoute, onBehalfOf, type ProtectedAccess, queryOf, type Route } from "./route.ts";
import { described, flag, listOf, oneOf, required, text } from "./schema-parts.ts";

const read: ProtectedAccess = { scopes: ["click:read"], limitGroup: "other" };
const write: ProtectedAccess = { scopes: ["click:write"], limitGroup: "other" };
const admin: ProtectedAccess = { scopes: ["click:admin"], limitGroup: "other" };
const base = { tag: "Templates", dialect: clickDialect } as const;

const includeVersions = { includeVersions: described(flag, "Embeds the versions of each template.") };

interface ListQuery extends PageQuery {
  readonly includeVersions?: boolean;
  readonly search?: string;
  readonly status?: string;
}

const statusOf = ({ status }: ListQuery): TemplateStatus =>
  status === undefined ? TemplateStatus.UNSPECIFIED : enumValue(TemplateStatus, status);

export const templateRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "findAllTemplates",
    method: "GET",
    path: "/v1/click/templates",
    summary: "List templates",
    description: "Newest first. Without limit, up to 1,000.",
    access: read,
    query: queryOf<ListQuery>({
      ...includeVersions,
      search: described(text(1, 255), "Returns only templates whose name or slug starts with this. Case-insensitive."),
      status: described(oneOf("DRAFT", "PUBLISHED", "ARCHIVED"), "Only those with this status."),
      limit: pageLimit,
      cursor: described(text(1, 200), "X-Next-Cursor of the previous page."),
    }),
    success: {
      status: 200,
      description: "The templates.",
      schema: listOf(templateWithVersions.schemas.answer),
      headers: nextPageHeader,
    },
    errors: [],
    call: (request, { templates }) =>
      gatherPages(request.query, async (page) => {
        const { includeVersions = false, search = "" } = request.query;
        const wanted = { ...page, includeVersions, search, status: statusOf(request.query) };
        const answer = await templates.listTemplates(wanted, onBehalfOf(request));
        return { items: answer.templates, nextCursor: answer.nextCursor };
      }),
    respond: ({ items, nextCursor }, { query }) =>
      jsonReply(
        200,
        items.map((one) => templateWithVersions.answer(one, { versions: query.includeVersions })),
        nextPage(nextCursor),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "createTemplate",
    method: "POST",
    path: "/v1/click/templates",
    summary: "Create a template",
    description:
      "The template is a draft without texts. The slug is derived from the name unless you send one; the policy starts with the defaults of the type.",
    access: write,
    body: createBody(template, { example: { name: "Terms of service", type: "STATIC" } }),
    success: { status: 201, description: "The created template.", schema: template.schemas.answer },
    errors: [
      "BRAND_NOT_FOUND",
      "CLICK_TEMPLATE_SLUG_EXISTS",
      "CLICK_POLICY_FLAG_INVALID",
      "CLICK_POLICY_FLAG_CONFLICT",
    ],
    call: async (request, { templates, sign }) => {
      await requireBrand(request, sign);
      return templates.createTemplate(template.create(request.body), onBehalfOf(request));
    },
    respond: (answer) => templateReply(201, answer.template),
  }),
  defineRoute({
    ...base,
    operationId: "findOneTemplate",
    method: "GET",
    path: "/v1/click/templates/{id}",
    summary: "Read a template",
    description: "Includes the published version of each locale.",
    access: read,
    besideLimit: true,
    notFound: { id: "CLICK_TEMPLATE_NOT_FOUND" },
    query: queryOf<{ includeVersions?: boolean }>(includeVersions),
    success: { status: 200, description: "The template.", schema: templateWithVersions.schemas.answer },
    errors: [],
    call: (request, { templates }) =>
      templates.getTemplate(
        { templateId: request.params.id, includeVersions: request.query.includeVersions ?? false },
        onBehalfOf(request),
      ),
    respond: (answer, { query }) => templateReply(200, answer.template, query.includeVersions),
  }),
  defineRoute({
    ...base,
    operationId: "updateTemplate",
    method: "PATCH",
    path: "/v1/click/templates/{id}",
    summary: "Change a template",
    description: "Absent members keep their values; null clears description, counterparty, metadata and brandId.",
    access: write,
    notFound: { id: "CLICK_TEMPLATE_NOT_FOUND" },
    body: changeBody(template, { example: { name: "Terms of service 2026" } }),
    success: { status: 200, description: "The changed template.", schema: template.schemas.answer },
    errors: [
      "BRAND_NOT_FOUND",
      "CLICK_TEMPLATE_SLUG_EXISTS",
      "CLICK_TEMPLATE_ARCHIVED",
      "CLICK_TEMPLATE_TYPE_LOCKED",
      "CLICK_POLICY_FLAG_INVALID",
      "CLICK_POLICY_FLAG_CONFLICT",
      "CLICK_CONTENT_INVALID",
    ],
    call: async (request, { templates, sign }) => {
      await requireBrand(request, sign);
      const change = { ...template.change(request.body), templateId: request.params.id };
      return templates.updateTemplate(change, onBehalfOf(request));
    },
    respond: (answer) => templateReply(200, answer.template),
  }),
  defineRoute({
    ...base,
    operationId: "removeTemplate",
    method: "DELETE",
    path: "/v1/click/templates/{id}",
    summary: "Delete a template",
    description: "Receipts and evidence stay and keep their own copies.",
    access: admin,
    notFound: { id: "CLICK_TEMPLATE_NOT_FOUND" },
    success: { status: 204, description: "The template was deleted." },
    errors: ["CLICK_TEMPLATE_HAS_ACTIVE_DEPLOYMENTS"],
    call: (request, { templates }) => templates.removeTemplate({ templateId: request.params.id }, onBehalfOf(request)),
    respond: () => noContent,
  }),
];

const templateReply = (status: number, message: Template | undefined, versions = false): Reply =>
  jsonReply(status, templateWithVersions.answer(required(message), { versions }));
