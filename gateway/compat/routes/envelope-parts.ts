import { notificationSchema, notificationView, readNotification, usualNotification } from "#api/compat-records.ts";
import type { Agreement, AuditEvent } from "#gen/assent/sign/v1/agreement_pb.ts";
import { auditEventsView } from "../../../views/compat/audit-events.ts";
import { formDataView } from "../../../views/compat/form-data.ts";
import { jsonReply } from "../../http/reply.ts";
import { jsonBody, onBehalfOf, type Route } from "../../routes/route.ts";
import { required } from "../../routes/schema-parts.ts";
import { readWith } from "../read/reader.ts";
import { defineCompatRoute } from "../route.ts";
import { changeOrCorrect, envelopeTarget } from "../target.ts";
import { auditEventsSchema, formDataSchema, notificationBody, notificationExample } from "./envelope-schemas.ts";

const read = { tag: "Compatible envelopes", scopes: ["sign:read"], method: "GET" } as const;

/** More than any envelope has; reading stops at this number. */
const maxAuditEvents = 100_000;

export const compatEnvelopePartRoutes: readonly Route[] = [
  defineCompatRoute({
    ...read,
    operationId: "compatGetNotification",
    path: "/envelopes/{envelopeId}/notification",
    summary: "Read the reminders and the expiration of an envelope",
    success: { status: 200, description: "Days are strings.", schema: notificationSchema },
    errors: [],
    call: (request, { sign }) =>
      sign.getAgreement({ target: envelopeTarget(request.params.envelopeId) }, onBehalfOf(request)),
    respond: ({ agreement }) => jsonReply(200, notificationView(required(agreement).notification)),
  }),
  defineCompatRoute({
    tag: read.tag,
    scopes: ["sign:write"],
    operationId: "compatUpdateNotification",
    method: "PUT",
    path: "/envelopes/{envelopeId}/notification",
    summary: "Change the reminders and the expiration of a draft",
    body: jsonBody<object>({ schema: notificationBody, example: notificationExample }),
    success: { status: 200, description: "The settings after the change.", schema: notificationSchema },
    errors: ["ENVELOPE_CANNOT_BE_MODIFIED"],
    call: (request, { sign }) => {
      const notification = readWith(request.body, (body) =>
        body.flag("useAccountDefaults") === true ? usualNotification : (readNotification(body) ?? {}),
      );
      const { observed, params } = request;
      const options = onBehalfOf(request);
      const target = envelopeTarget(params.envelopeId);
      return changeOrCorrect<{ readonly agreement?: Agreement | undefined }>(
        target,
        () => sign.updateAgreement({ target, changes: { notification }, observed }, options),
        (asked) => sign.correctAgreement({ ...asked, notification, observed }, options),
      );
    },
    respond: ({ agreement }) => jsonReply(200, notificationView(required(agreement).notification)),
  }),
  defineCompatRoute({
    ...read,
    operationId: "compatGetFormData",
    path: "/envelopes/{envelopeId}/form_data",
    summary: "Read the values people filled in",
    description: "Values by tabLabel. A checked box is X, an unchecked one is empty.",
    success: { status: 200, description: "The values, all together and by recipient.", schema: formDataSchema },
    errors: [],
    call: (request, { sign }) =>
      sign.getAgreement({ target: envelopeTarget(request.params.envelopeId) }, onBehalfOf(request)),
    respond: ({ agreement }) => jsonReply(200, formDataView(required(agreement))),
  }),
  defineCompatRoute({
    ...read,
    operationId: "compatListAuditEvents",
    path: "/envelopes/{envelopeId}/audit_events",
    summary: "List the audit events of an envelope",
    description: "Oldest first. The fields Sequence and Hash belong to the hash chain that makes changes evident.",
    success: { status: 200, description: "The events, each as names and values.", schema: auditEventsSchema },
    errors: [],
    call: async (request, { sign }) => {
      const events: AuditEvent[] = [];
      for (let hasMore = true; hasMore && events.length < maxAuditEvents; ) {
        const position = { agreementId: request.params.envelopeId, afterSequence: events.at(-1)?.sequence ?? 0 };
        const page = await sign.listAuditEvents(position, onBehalfOf(request));
        events.push(...page.events);
        hasMore = page.hasMore && page.events.length > 0;
      }
      return events;
    },
    respond: (events) => jsonReply(200, auditEventsView(events)),
  }),
];
