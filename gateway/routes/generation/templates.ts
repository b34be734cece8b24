import { contentToCheck, genTemplate, genValidation, listedGenTemplate } from "#api/generation-templates.ts";
import type { Template } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { jsonReply, noContent, type Reply } from "../../http/reply.ts";
import { nextPageHeader, pageReply } from "../pages.ts";
import { changeBody, createBody, defineRoute, onBehalfOf, queryOf, type Route } from "../route.ts";
import { anyObject, described, example, integer, listOf, required } from "../schema-parts.ts";
import { gatherAfterIds, genBase, pageQuery, read, write } from "./pages.ts";

const genTemplateTag = "Document templates";
const base = { ...genBase, tag: genTemplateTag } as const;
/** A content of 512 KB and sample data of 1 MB, with room for what escapes in JSON cost. */
const templateBodyBytes = 2_500_000;

/** Checking a large template waits for a thread, and takes one for some time. */
const checkTimeoutMs = 20_000;

/** As the service infers it: open, because what describes data may have any keyword. */
const dataSchema = example(described(anyObject, "A JSON Schema (2020-12)."), {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { number: { type: "string" }, total: { type: "number" } },
  required: ["number", "total"],
});

export const genTemplateRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listGenTemplates",
    method: "GET",
    path: "/v1/gen/templates",
    summary: "List document templates",
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
    summary: "Create a document template",
    description:
      "The template is a draft, and renders documents once it is published. Errors in its content are allowed until then.",
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
    summary: "Read a document template",
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
    summary: "Change a document template",
    description:
      "Changes the draft; published versions stay as they are. Absent members keep their values, including parts of page; null removes the sample data.",
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
    summary: "Delete a document template",
    description: "It renders no more documents; existing documents stay.",
    access: write,
    notFound: { id: "GEN_TEMPLATE_NOT_FOUND" },
    success: { status: 204, description: "The template was deleted." },
    errors: [],
    call: (request, { docgen }) => docgen.deleteTemplate({ templateId: request.params.id }, onBehalfOf(request)),
    respond: () => noContent,
  }),
  defineRoute({
    ...base,
    operationId: "publishGenTemplate",
    method: "POST",
    path: "/v1/gen/templates/{id}/publish",
    summary: "Publish a document template",
    description:
      "Turns the draft into an immutable version, which documents name. If the draft is already published, you get that version.",
    access: write,
    notFound: { id: "GEN_TEMPLATE_NOT_FOUND" },
    success: {
      status: 200,
      description: "The template with its published version.",
      schema: genTemplate.schemas.answer,
    },
    errors: ["GEN_TEMPLATE_ERROR", "GEN_ASSET_NOT_FOUND"],
    call: (request, { docgen }) =>
      docgen.publishTemplate({ templateId: request.params.id }, { ...onBehalfOf(request), timeoutMs: checkTimeoutMs }),
    respond: ({ template }) => templateReply(200, template),
  }),
  defineRoute({
    ...base,
    operationId: "getGenTemplateSchema",
    method: "GET",
    path: "/v1/gen/templates/{id}/schema",
    summary: "Read the JSON Schema of a template's data",
    description: "Derived from the requested version, otherwise the published one, otherwise the draft.",
    access: read,
    notFound: { id: "GEN_TEMPLATE_NOT_FOUND" },
    query: queryOf<{ version?: number }>({
      version: described(integer(1, 2_147_483_647), "A published version. Default: the latest."),
    }),
    success: {
      status: 200,
      description: "The schema.",
      schema: dataSchema,
      headers: { "X-Template-Version": "The version that it belongs to; draft when nothing is published." },
    },
    errors: ["GEN_TEMPLATE_ERROR", "GEN_ASSET_NOT_FOUND"],
    call: (request, { docgen }) =>
      docgen.getTemplateSchema(
        { templateId: request.params.id, version: request.query.version ?? 0 },
        { ...onBehalfOf(request), timeoutMs: checkTimeoutMs },
      ),
    respond: ({ schemaJson, version }) => ({
      status: 200,
      body: schemaJson,
      headers: { "X-Template-Version": version === 0 ? "draft" : String(version) },
    }),
  }),
  defineRoute({
    ...base,
    operationId: "validateGenTemplate",
    method: "POST",
    path: "/v1/gen/templates/validate",
    summary: "Validate a template's content",
    description: "Checks content, and data against it if you send any. Stores nothing.",
    access: read,
    body: createBody(contentToCheck, {
      maxBytes: templateBodyBytes,
      example: { content: "<p>{{ total | money: 'EUR' }}</p>", format: "html", data: { total: 120.5 } },
    }),
    success: { status: 200, description: "The findings.", schema: genValidation.schemas.answer },
    errors: ["GEN_ASSET_NOT_FOUND"],
    call: (request, { docgen }) =>
      docgen.validateTemplate(contentToCheck.create(request.body), {
        ...onBehalfOf(request),
        timeoutMs: checkTimeoutMs,
      }),
    respond: (answer) => jsonReply(200, genValidation.answer(answer)),
  }),
];

const templateReply = (status: number, template: Template | undefined): Reply =>
  jsonReply(status, genTemplate.answer(required(template)));
