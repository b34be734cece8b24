import { genTemplate, listedGenTemplate } from "#api/generation-templates.ts";
import type { Template } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { jsonReply, noContent, type Reply } from "../../http/reply.ts";
import { nextPageHeader, pageReply } from "../pages.ts";
import { required } from "../required.ts";
import { changeBody, createBody, defineRoute, onBehalfOf, type Route } from "../route.ts";
import { listOf } from "../schema-parts.ts";
import { genBase, read, write } from "./base.ts";
import { gatherAfterIds, pageQuery } from "./pages.ts";

export const genTemplateTag = "Document templates";
const base = { ...genBase, tag: genTemplateTag } as const;
/** A content of 512 KB and sample data of 1 MB, with room for what escapes in JSON cost. */
const templateBodyBytes = 2_500_000;

export const genTemplateRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listGenTemplates",
    method: "GET",
    path: "/v1/gen/templates",
    summary: "List templates of documents",
    description: "Newest first, without their contents. Without limit all are returned, up to 1,000.",
    access: read,
    query: pageQuery,
    success: {
      status: 200,
      description: "The templates.",
      schema: listOf(listedGenTemplate.schemas.answer),
      headers: nextPageHeader,
    },
    errors: [],
    call: (request, { docgen }) =>
      gatherAfterIds(request.query, async (page) => {
        const { templates, hasMore } = await docgen.listTemplates(page, onBehalfOf(request));
        return { items: templates, hasMore };
      }),
    respond: (page) => pageReply(listedGenTemplate, page),
  }),
  defineRoute({
    ...base,
    operationId: "createGenTemplate",
    method: "POST",
    path: "/v1/gen/templates",
    summary: "Create a template of documents",
    description:
      "A draft: it renders documents once it is published. Errors in its content are no obstacle until then.",
    access: write,
    body: createBody(genTemplate, {
      maxBytes: templateBodyBytes,
      example: { name: "Offer", format: "html", content: "<h1>Offer {{ number }}</h1>", page: { size: "a4" } },
    }),
    success: { status: 201, description: "The created template.", schema: genTemplate.schemas.answer },
    errors: ["GEN_TEMPLATE_SLUG_EXISTS"],
    call: (request, { docgen }) => docgen.createTemplate(genTemplate.create(request.body), onBehalfOf(request)),
    respond: ({ template }) => templateReply(201, template),
  }),
  defineRoute({
    ...base,
    operationId: "getGenTemplate",
    method: "GET",
    path: "/v1/gen/templates/{id}",
    summary: "Read a template of documents",
    access: read,
    notFound: { id: "GEN_TEMPLATE_NOT_FOUND" },
    success: { status: 200, description: "The template with its draft.", schema: genTemplate.schemas.answer },
    errors: [],
    call: (request, { docgen }) => docgen.getTemplate({ templateId: request.params.id }, onBehalfOf(request)),
    respond: ({ template }) => templateReply(200, template),
  }),
  defineRoute({
    ...base,
    operationId: "updateGenTemplate",
    method: "PATCH",
    path: "/v1/gen/templates/{id}",
    summary: "Change a template of documents",
    description:
      "Changes the draft; published versions stay as they are. What is absent keeps its value, parts of page included; null removes the sample data.",
    access: write,
    notFound: { id: "GEN_TEMPLATE_NOT_FOUND" },
    body: changeBody(genTemplate, {
      maxBytes: templateBodyBytes,
      example: { content: "<h1>Offer {{ number }} of {{ day | date }}</h1>" },
    }),
    success: { status: 200, description: "The changed template.", schema: genTemplate.schemas.answer },
    errors: ["GEN_TEMPLATE_SLUG_EXISTS"],
    call: (request, { docgen }) =>
      docgen.updateTemplate(
        { ...genTemplate.change(request.body), templateId: request.params.id },
        onBehalfOf(request),
      ),
    respond: ({ template }) => templateReply(200, template),
  }),
  defineRoute({
    ...base,
    operationId: "deleteGenTemplate",
    method: "DELETE",
    path: "/v1/gen/templates/{id}",
    summary: "Delete a template of documents",
    description: "It renders no more; documents that were made from it stay.",
    access: write,
    notFound: { id: "GEN_TEMPLATE_NOT_FOUND" },
    success: { status: 204, description: "The template is gone." },
    errors: [],
    call: (request, { docgen }) => docgen.deleteTemplate({ templateId: request.params.id }, onBehalfOf(request)),
    respond: () => noContent,
  }),
];

export const templateReply = (status: number, template: Template | undefined): Reply =>
  jsonReply(status, genTemplate.answer(required(template)));
