import {
  configuration,
  flagsToChange,
  templateTypeInfo,
  verification,
  verificationSchema,
} from "#api/configuration.ts";
import { contentReport, contentToValidate } from "#api/templates.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { createBody, defineRoute, onBehalfOf, type ProtectedAccess, type Route } from "./route.ts";
import { listOf, required } from "./schema-parts.ts";

const read: ProtectedAccess = { scopes: ["click:read"], limitGroup: "other" };
const base = { tag: "Template configuration", dialect: clickDialect } as const;
const ofTemplate = { id: "CLICK_TEMPLATE_NOT_FOUND" } as const;

export const configurationRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getTemplateTypes",
    method: "GET",
    path: "/v1/click/templates/types",
    summary: "Describe the types of templates",
    description: "For each type: what its typeConfig can contain, and its default policy.",
    access: read,
    success: {
      status: 200,
      description: "STATIC, GENERATED and CONSENT, in this order.",
      schema: listOf(templateTypeInfo.schemas.answer),
    },
    errors: [],
    call: (request, { templates }) => templates.listTemplateTypes({}, onBehalfOf(request)),
    respond: ({ types }) =>
      jsonReply(
        200,
        types.map((type) => templateTypeInfo.answer(type)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "getTemplateConfiguration",
    method: "GET",
    path: "/v1/click/templates/{id}/configuration",
    summary: "Read the configuration of a template",
    description: "The typeConfig, the policy in force, and the verification it requires.",
    access: read,
    besideLimit: true,
    notFound: ofTemplate,
    success: { status: 200, description: "The configuration.", schema: configuration.schemas.answer },
    errors: [],
    call: (request, { templates }) =>
      templates.getTemplateConfiguration({ templateId: request.params.id }, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, configuration.answer(required(answer.configuration))),
  }),
  defineRoute({
    ...base,
    operationId: "applyPolicyFlags",
    method: "POST",
    path: "/v1/click/templates/{id}/policy-flags",
    summary: "Change policy flags of a template",
    description: "Flags you don't name keep their values. Published texts stay published.",
    access: { scopes: ["click:write"], limitGroup: "other" },
    notFound: ofTemplate,
    body: createBody(flagsToChange, {
      example: { policyFlags: { requireScroll: true, minDisplaySeconds: 3, requireRenderToken: true } },
    }),
    success: { status: 200, description: "The configuration after the change.", schema: configuration.schemas.answer },
    errors: ["CLICK_POLICY_FLAG_INVALID", "CLICK_POLICY_FLAG_CONFLICT", "CLICK_TEMPLATE_ARCHIVED"],
    call: (request, { templates }) => {
      const change = { ...flagsToChange.create(request.body), templateId: request.params.id };
      return templates.applyPolicyFlags(change, onBehalfOf(request));
    },
    respond: (answer) => jsonReply(200, configuration.answer(required(answer.configuration))),
  }),
  defineRoute({
    ...base,
    operationId: "getVerificationRequirements",
    method: "GET",
    path: "/v1/click/templates/{id}/verification-requirements",
    summary: "Read the required verification",
    description: "The methods that the template's policy requires, and whether all of them or any one is enough.",
    access: read,
    notFound: ofTemplate,
    success: { status: 200, description: "The requirements.", schema: verificationSchema },
    errors: [],
    call: (request, { templates }) =>
      templates.getTemplateConfiguration({ templateId: request.params.id }, onBehalfOf(request)),
    respond: (answer) => {
      const { templateId, verification: needed } = required(answer.configuration);
      return jsonReply(200, { templateId, ...verification.answer(required(needed)) });
    },
  }),
  defineRoute({
    ...base,
    operationId: "validateContent",
    method: "POST",
    path: "/v1/click/templates/validate-content",
    summary: "Check content without storing it",
    description: "Applies the rules of publication, as far as they depend only on the content and its type.",
    access: read,
    body: createBody(contentToValidate, {
      // Content of 1 MiB may need twice as much when every character is escaped.
      maxBytes: 2 * 1024 * 1024,
      example: { type: "STATIC", content: "<p>You may use the service as follows.</p>" },
    }),
    success: {
      status: 200,
      description: "The findings, also for invalid content.",
      schema: contentReport.schemas.answer,
    },
    errors: [],
    call: (request, { templates }) =>
      templates.validateContent(contentToValidate.create(request.body), onBehalfOf(request)),
    respond: ({ report }) => jsonReply(200, contentReport.answer(required(report))),
  }),
];
