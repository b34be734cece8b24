import { notificationSchema, notificationView, readNotification, usualNotification } from "#api/compat-records.ts";
import { jsonReply } from "../../http/reply.ts";
import { required } from "../../routes/required.ts";
import { jsonBody, onBehalfOf, type Route } from "../../routes/route.ts";
import { readWith } from "../read/reader.ts";
import { defineCompatRoute } from "../route.ts";
import { templateRoot, templateTarget } from "../target.ts";
import { customFieldRoutes } from "./custom-fields.ts";
import { notificationBody, notificationExample } from "./envelope-schemas.ts";
import { templates } from "./recipients.ts";

const { tag } = templateRoot;

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
    success: { status: 200, description: "Days as texts.", schema: notificationSchema },
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
    success: { status: 200, description: "As they are after that.", schema: notificationSchema },
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
