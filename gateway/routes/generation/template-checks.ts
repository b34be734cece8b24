import { contentToCheck, genTemplate, genValidation } from "#api/generation-templates.ts";
import { jsonReply } from "../../http/reply.ts";
import { createBody, defineRoute, onBehalfOf, queryOf, type Route } from "../route.ts";
import { anyObject, described, example, integer } from "../schema-parts.ts";
import { genBase, read, write } from "./base.ts";
import { genTemplateTag, templateReply } from "./templates.ts";

const base = { ...genBase, tag: genTemplateTag } as const;
/** As large as a template and its data may be. */
const checkBodyBytes = 2_500_000;
/** Checking a large template waits for a thread, and takes one for some time. */
const checkTimeoutMs = 20_000;

/** As the service infers it: open, because what describes data may have any keyword. */
const dataSchema = example(described(anyObject, "A JSON Schema (2020-12)."), {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { number: { type: "string" }, total: { type: "number" } },
  required: ["number", "total"],
});

export const genTemplateCheckRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "publishGenTemplate",
    method: "POST",
    path: "/v1/gen/templates/{id}/publish",
    summary: "Publish a template of documents",
    description:
      "Makes the draft an immutable version, which documents name. Publishing what is published already answers that version.",
    access: write,
    notFound: { id: "GEN_TEMPLATE_NOT_FOUND" },
    success: {
      status: 200,
      description: "The template with its published version.",
      schema: genTemplate.schemas.answer,
    },
    errors: ["GEN_TEMPLATE_ERROR"],
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
    description:
      "Inferred from the template: of the version that is asked for, else of the published one, else of the draft.",
    access: read,
    notFound: { id: "GEN_TEMPLATE_NOT_FOUND" },
    query: queryOf<{ version?: number }>({
      version: described(integer(1, 2_147_483_647), "A published version; the latest one when absent."),
    }),
    success: {
      status: 200,
      description: "The schema.",
      schema: dataSchema,
      headers: { "X-Template-Version": "The version that it belongs to; draft when nothing is published." },
    },
    errors: ["GEN_TEMPLATE_ERROR"],
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
    description: "Checks a content, and data against it when there is any. Stores nothing.",
    access: read,
    body: createBody(contentToCheck, {
      maxBytes: checkBodyBytes,
      example: { content: "<p>{{ total | money: 'EUR' }}</p>", format: "html", data: { total: 120.5 } },
    }),
    success: { status: 200, description: "What was found.", schema: genValidation.schemas.answer },
    errors: [],
    call: (request, { docgen }) =>
      docgen.validateTemplate(contentToCheck.create(request.body), {
        ...onBehalfOf(request),
        timeoutMs: checkTimeoutMs,
      }),
    respond: (answer) => jsonReply(200, genValidation.answer(answer)),
  }),
];
