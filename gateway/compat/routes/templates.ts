import { notificationSchema, notificationView, readNotification, usualNotification } from "#api/compat-records.ts";
import { Order } from "#gen/assent/sign/v1/sign_pb.ts";
import { includedIn } from "../../../views/compat/envelope.ts";
import { pageOf, pageUri } from "../../../views/compat/page.ts";
import { templateListItem, templateSummary, templateView } from "../../../views/compat/template.ts";
import { jsonReply } from "../../http/reply.ts";
import { documentBody, jsonBody, onBehalfOf, type Route } from "../../routes/route.ts";
import { required } from "../../routes/schema-parts.ts";
import { readTemplate } from "../read/definition.ts";
import { type Reader, readWith } from "../read/reader.ts";
import { compatQuery, defineCompatRoute } from "../route.ts";
import { templateRoot, templateTarget } from "../target.ts";
import { replacedBy } from "../update-envelope.ts";
import { customFieldRoutes } from "./custom-fields.ts";
import { documentRoutes, uploadTimeoutMs } from "./documents.ts";
import { notificationBody, notificationExample } from "./envelope-schemas.ts";
import { templates } from "./recipients.ts";
import {
  templateBody,
  templateExample,
  templateSchema,
  templateSummarySchema,
  templatesSchema,
  templateUpdateSchema,
} from "./template-schemas.ts";

const { tag } = templateRoot;
const body = documentBody<object>({
  schema: templateBody,
  example: templateExample,
  lineBreaks: true,
  multipart: true,
});

const documentErrors = [
  "INVALID_BASE64",
  "INVALID_DOCUMENT_FORMAT",
  "UPLOAD_NOT_FOUND",
  "DOCUMENT_TOO_LARGE",
  "CORRUPTED_DOCUMENT",
] as const;
const recipientErrors = ["INVALID_EMAIL", "DUPLICATE_RECIPIENT"] as const;

const maxCount = 1_000;
const defaultCount = 50;

export const compatTemplateRoutes: readonly Route[] = [
  defineCompatRoute({
    tag,
    scopes: ["sign:write"],
    operationId: "compatCreateTemplate",
    method: "POST",
    path: "/templates",
    summary: "Create a template",
    description: "Create envelopes from it with templateId and templateRoles, or with compositeTemplates.",
    body,
    success: { status: 201, description: "The template.", schema: templateSummarySchema },
    errors: [...documentErrors, ...recipientErrors, "BRAND_NOT_FOUND"],
    call: (request, { sign, receiverRules }) =>
      sign.createAgreement(
        {
          definition: readWith(request.body, (reader) => readTemplate(reader, { files: request.files, receiverRules })),
          isTemplate: true,
          observed: request.observed,
        },
        { ...onBehalfOf(request), timeoutMs: uploadTimeoutMs },
      ),
    respond: ({ agreement }) => jsonReply(201, templateSummary.write(required(agreement))),
  }),
  defineCompatRoute({
    tag,
    scopes: ["sign:read"],
    operationId: "compatListTemplates",
    method: "GET",
    path: "/templates",
    summary: "List the templates",
    query: compatQuery({
      start_position: "The index of the first one, from 0.",
      count: "1 to 1,000; 50 when absent.",
      search_text:
        "Searches the name and the subject. Case-insensitive. If the organization searches in files, also finds files that contain all of its words.",
      order_by: "`name`, `modified`, or by creation when it is anything else.",
      order: "`asc` or `desc`; `asc` for names when absent, else `desc`.",
      include: "`documents`, `recipients`, `tabs`, `custom_fields`: what is told besides, separated by commas.",
    }),
    success: { status: 200, description: "A page of templates.", schema: templatesSchema },
    errors: [],
    call: async (request, { sign }) => {
      const included = includedIn(request.query.include);
      const wanted = readWith(request.query, readWanted);
      const list = { ...wanted, templates: true, withTotal: true, withParts: included.size > 1 || !included.has("") };
      return { ...(await sign.listAgreements(list, onBehalfOf(request))), wanted, included };
    },
    respond: ({ agreements, total, wanted, included }, { query }) =>
      jsonReply(200, {
        ...pageOf({
          start: wanted.offset,
          size: agreements.length,
          total: Number(total ?? 0n),
          uriFrom: (start) => pageUri("/templates", query, { start, count: wanted.limit }),
        }),
        envelopeTemplates: agreements.map((agreement) => templateListItem(agreement, included)),
      }),
  }),
  defineCompatRoute({
    tag,
    scopes: ["sign:read"],
    operationId: "compatGetTemplate",
    method: "GET",
    path: "/templates/{templateId}",
    summary: "Read a template",
    query: compatQuery({ include: "`tabs` for those of the recipients." }),
    success: { status: 200, description: "The template, without the bytes of its documents.", schema: templateSchema },
    errors: [],
    call: (request, { sign }) =>
      sign.getAgreement({ target: templateRoot.targetOf(request.params) }, onBehalfOf(request)),
    respond: ({ agreement }, { query }) => jsonReply(200, templateView(required(agreement), includedIn(query.include))),
  }),
  defineCompatRoute({
    tag,
    scopes: ["sign:write"],
    operationId: "compatUpdateTemplate",
    method: "PUT",
    path: "/templates/{templateId}",
    summary: "Change a template",
    description:
      "Absent members stay as they are. Documents, recipients and customFields that aren't empty replace all existing ones. Envelopes made from it don't change.",
    body,
    success: { status: 200, description: "The template was changed.", schema: templateUpdateSchema },
    errors: [...documentErrors, ...recipientErrors, "BRAND_NOT_FOUND"],
    call: (request, { sign, receiverRules }) =>
      sign.updateAgreement(
        {
          target: templateRoot.targetOf(request.params),
          ...readWith(request.body, (reader) => {
            const changes = readTemplate(reader, { files: request.files, receiverRules });
            return { changes, ...replacedBy(changes) };
          }),
          observed: request.observed,
        },
        { ...onBehalfOf(request), timeoutMs: uploadTimeoutMs },
      ),
    respond: ({ agreement }) => {
      const { id } = required(agreement);
      return jsonReply(200, { templateId: id, envelopeId: id });
    },
  }),
  ...documentRoutes(templateRoot),
];

const orders: ReadonlyMap<string, Order> = new Map([
  ["name", Order.NAME],
  ["modified", Order.MODIFIED],
  ["last_modified", Order.MODIFIED],
]);

function readWanted(query: Reader) {
  const order = orders.get((query.text("order_by") ?? "").trim().toLowerCase()) ?? Order.CREATED;
  const direction = (query.text("order") ?? "").trim().toLowerCase();
  return {
    offset: query.integer("start_position", { min: 0, max: 1_000_000 }) ?? 0,
    limit: Math.min(query.integer("count", { min: 1 }) ?? defaultCount, maxCount),
    text: (query.text("search_text") ?? "").slice(0, 200),
    order,
    ascending: direction === "asc" || (direction !== "desc" && order === Order.NAME),
  };
}

/** The parts of templates besides documents and recipients. */
export const compatTemplatePartRoutes: readonly Route[] = [
  ...customFieldRoutes(templates),
  defineCompatRoute({
    tag,
    scopes: ["sign:read"],
    operationId: "compatGetTemplateNotification",
    method: "GET",
    path: "/templates/{templateId}/notification",
    summary: "Read the reminders and the expiration of a template",
    success: { status: 200, description: "Days are strings.", schema: notificationSchema },
    errors: [],
    call: (request, { sign }) =>
      sign.getAgreement({ target: templateTarget(request.params.templateId) }, onBehalfOf(request)),
    respond: ({ agreement }) => jsonReply(200, notificationView(required(agreement).notification)),
  }),
  defineCompatRoute({
    tag,
    scopes: ["sign:write"],
    operationId: "compatUpdateTemplateNotification",
    method: "PUT",
    path: "/templates/{templateId}/notification",
    summary: "Change the reminders and the expiration of a template",
    body: jsonBody<object>({ schema: notificationBody, example: notificationExample }),
    success: { status: 200, description: "The settings after the change.", schema: notificationSchema },
    errors: [],
    call: (request, { sign }) => {
      const notification = readWith(request.body, (body) =>
        body.flag("useAccountDefaults") === true ? usualNotification : (readNotification(body) ?? {}),
      );
      const target = templateTarget(request.params.templateId);
      return sign.updateAgreement(
        { target, changes: { notification }, observed: request.observed },
        onBehalfOf(request),
      );
    },
    respond: ({ agreement }) => jsonReply(200, notificationView(required(agreement).notification)),
  }),
];
