import { newSignTemplate, signTemplateChanges } from "#api/agreement-bodies.ts";
import { signTemplate } from "#api/agreements.ts";
import { jsonReply, noContent } from "../../http/reply.ts";
import { listing, type PageQuery, pageLimit } from "../pages.ts";
import { defineRoute, documentsBody, onBehalfOf, queryOf, type Route } from "../route.ts";
import { example, required, text } from "../schema-parts.ts";
import { definitionOf, requestHash } from "./agreement-input.ts";
import { admin, read, signBase, templateTarget, withDocuments, write } from "./base.ts";
import { documentEditErrors, exampleAgreement, replacements, replayed, replayedHeader } from "./parts.ts";

const base = { ...signBase, tag: "Agreement templates" } as const;
const notFound = { id: "TEMPLATE_NOT_FOUND" } as const;
const templateErrors = [
  ...documentEditErrors.filter((code) => code !== "ENVELOPE_CANNOT_BE_MODIFIED"),
  "INVALID_EMAIL",
  "DUPLICATE_RECIPIENT",
  "BRAND_NOT_FOUND",
] as const;

interface TemplatesQuery extends PageQuery {
  readonly text?: string;
}

const exampleTemplate = {
  name: "NDA",
  description: "For everyone.",
  emailSubject: exampleAgreement.emailSubject,
  documents: exampleAgreement.documents,
  recipients: {
    signers: [{ recipientId: "1", roleName: "Buyer", tabs: [{ type: "signature", anchor: { text: "/sn1/" } }] }],
  },
} as const;

export const signTemplateRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listSignTemplates",
    method: "GET",
    path: "/v1/sign/templates",
    summary: "List templates",
    description: "Newest first. Without limit, up to 1,000.",
    access: read,
    query: queryOf<TemplatesQuery>({
      limit: pageLimit,
      cursor: text(1, 500, "X-Next-Cursor of the previous page."),
      text: example(text(1, 200, "Searches the name and the subject. Case-insensitive."), "NDA"),
    }),
    ...listing(
      { name: "agreements", items: signTemplate, description: "The templates." },
      ({ sign }, page, options, query: TemplatesQuery) =>
        sign.listAgreements({ ...page, templates: true, text: query.text ?? "", withParts: true }, options),
    ),
  }),
  defineRoute({
    ...base,
    operationId: "createSignTemplate",
    method: "POST",
    path: "/v1/sign/templates",
    summary: "Create a template",
    description: "Its recipients are roles: they have a roleName, and usually no name and address.",
    access: write,
    idempotencyKey: "optional",
    body: documentsBody(newSignTemplate, {
      multipart: true,
      example: exampleTemplate,
    }),
    success: {
      status: 201,
      description: "The template.",
      schema: signTemplate.schemas.answer,
      headers: { Location: "Where it is read: /v1/sign/templates/{id}.", ...replayedHeader },
    },
    errors: [...templateErrors, "IDEMPOTENCY_KEY_REUSED"],
    call: (request, { sign }) => {
      const { body, files, idempotencyKey, observed } = request;
      const hash = idempotencyKey === "" ? {} : { requestHash: requestHash("createSignTemplate", body, files) };
      return sign.createAgreement(
        { definition: definitionOf(body, files), isTemplate: true, idempotencyKey, ...hash, observed },
        withDocuments(request),
      );
    },
    respond: ({ agreement, replayed: isReplayed }) => {
      const template = signTemplate.answer(required(agreement));
      const location = { Location: `/v1/sign/templates/${template.id}` };
      return jsonReply(201, template, { ...location, ...(isReplayed ? replayed : {}) });
    },
  }),
  defineRoute({
    ...base,
    operationId: "getSignTemplate",
    method: "GET",
    path: "/v1/sign/templates/{id}",
    summary: "Read a template",
    access: read,
    notFound,
    success: { status: 200, description: "The template.", schema: signTemplate.schemas.answer },
    errors: [],
    call: (request, { sign }) => sign.getAgreement({ target: templateTarget(request.params.id) }, onBehalfOf(request)),
    respond: ({ agreement }) => jsonReply(200, signTemplate.answer(required(agreement))),
  }),
  defineRoute({
    ...base,
    operationId: "updateSignTemplate",
    method: "PATCH",
    path: "/v1/sign/templates/{id}",
    summary: "Change a template",
    description:
      "Absent members stay as they are; lists replace the existing list. Agreements made from it stay as they are.",
    access: write,
    notFound,
    body: documentsBody(signTemplateChanges, {
      multipart: true,
      example: { name: "NDA, short" },
    }),
    success: { status: 200, description: "The template.", schema: signTemplate.schemas.answer },
    errors: templateErrors,
    call: (request, { sign }) =>
      sign.updateAgreement(
        {
          target: templateTarget(request.params.id),
          changes: definitionOf(request.body, request.files),
          ...replacements(request.body),
          observed: request.observed,
        },
        withDocuments(request),
      ),
    respond: ({ agreement }) => jsonReply(200, signTemplate.answer(required(agreement))),
  }),
  defineRoute({
    ...base,
    operationId: "deleteSignTemplate",
    method: "DELETE",
    path: "/v1/sign/templates/{id}",
    summary: "Delete a template",
    access: admin,
    notFound,
    success: { status: 204, description: "The template was deleted; agreements made from it stay." },
    errors: ["LEGAL_HOLD"],
    call: (request, { sign }) =>
      sign.deleteAgreement(
        { target: templateTarget(request.params.id), observed: request.observed },
        onBehalfOf(request),
      ),
    respond: () => noContent,
  }),
];
