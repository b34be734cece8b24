import { contentReport, contentToValidate } from "#api/templates.ts";
import { configurationView, templateTypeView, verificationView } from "../../views/configuration.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import {
  configurationSchema,
  type PolicyFlagsBody,
  policyFlagsSchema,
  templateTypeSchema,
  verificationSchema,
} from "./configuration-schemas.ts";
import { required } from "./required.ts";
import { createBody, defineRoute, jsonBody, onBehalfOf, type ProtectedAccess, type Route } from "./route.ts";
import { listOf } from "./schema-parts.ts";

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
    description: "For each type: what its typeConfig may hold, and the policy it starts with.",
    access: read,
    success: {
      status: 200,
      description: "STATIC, GENERATED and CONSENT, in this order.",
      schema: listOf(templateTypeSchema),
    },
    errors: [],
    call: (request, { templates }) => templates.listTemplateTypes({}, onBehalfOf(request)),
    respond: ({ types }) => jsonReply(200, types.map(templateTypeView)),
  }),
  defineRoute({
    ...base,
    operationId: "getTemplateConfiguration",
    method: "GET",
    path: "/v1/click/templates/{id}/configuration",
    summary: "Read the configuration of a template",
    description: "What the type settles, the policy in force, and the verification that follows from it.",
    access: read,
    notFound: ofTemplate,
    success: { status: 200, description: "The configuration.", schema: configurationSchema },
    errors: [],
    call: (request, { templates }) =>
      templates.getTemplateConfiguration({ templateId: request.params.id }, onBehalfOf(request)),
    respond: ({ configuration }) => jsonReply(200, configurationView(required(configuration))),
  }),
  defineRoute({
    ...base,
    operationId: "applyPolicyFlags",
    method: "POST",
    path: "/v1/click/templates/{id}/policy-flags",
    summary: "Change policy flags of a template",
    description: "Flags that are not named keep their values. What is published stays published.",
    access: { scopes: ["click:write"], limitGroup: "other" },
    notFound: ofTemplate,
    body: jsonBody<PolicyFlagsBody>({
      schema: policyFlagsSchema,
      example: { policyFlags: { requireScroll: true, minDisplaySeconds: 3, requireRenderToken: true } },
    }),
    success: { status: 200, description: "The configuration after the change.", schema: configurationSchema },
    errors: ["CLICK_POLICY_FLAG_INVALID", "CLICK_POLICY_FLAG_CONFLICT", "CLICK_TEMPLATE_ARCHIVED"],
    call: (request, { templates }) => {
      const change = { templateId: request.params.id, policyFlags: flagsOf(request.body) };
      return templates.applyPolicyFlags(change, onBehalfOf(request));
    },
    respond: ({ configuration }) => jsonReply(200, configurationView(required(configuration))),
  }),
  defineRoute({
    ...base,
    operationId: "getVerificationRequirements",
    method: "GET",
    path: "/v1/click/templates/{id}/verification-requirements",
    summary: "Read the verification that an acceptance must carry",
    description: "The methods that the policy of the template asks for, and whether all of them or one is enough.",
    access: read,
    notFound: ofTemplate,
    success: { status: 200, description: "The requirements.", schema: verificationSchema },
    errors: [],
    call: (request, { templates }) =>
      templates.getTemplateConfiguration({ templateId: request.params.id }, onBehalfOf(request)),
    respond: ({ configuration }) => {
      const { templateId, verification } = required(configuration);
      return jsonReply(200, { templateId, ...verificationView(verification) });
    },
  }),
  defineRoute({
    ...base,
    operationId: "validateContent",
    method: "POST",
    path: "/v1/click/templates/validate-content",
    summary: "Check content without storing it",
    description: "By the rules that a publication applies, as far as they depend on the content and its type alone.",
    access: read,
    body: createBody(contentToValidate, {
      // Content of 1 MiB may need twice as much when every character is escaped.
      maxBytes: 2 * 1024 * 1024,
      example: { type: "STATIC", content: "<p>You may use the service as follows.</p>" },
    }),
    success: {
      status: 200,
      description: "What was found; also for content that is not valid.",
      schema: contentReport.schemas.answer,
    },
    errors: [],
    call: (request, { templates }) =>
      templates.validateContent(contentToValidate.create(request.body), onBehalfOf(request)),
    respond: ({ report }) => jsonReply(200, contentReport.answer(required(report))),
  }),
];

/** Beside other fields policyFlags is an unknown flag, which is told rather than that the others are ignored. */
function flagsOf(body: PolicyFlagsBody): PolicyFlagsBody {
  const isWrapped = Object.keys(body).length === 1 && Object.hasOwn(body, "policyFlags");
  return isWrapped ? (body.policyFlags as PolicyFlagsBody) : body;
}
