import type { CreateOf } from "#api/members.ts";
import { delivery, deliveryFilter, eventType } from "#api/webhooks.ts";
import { jsonReply } from "../../http/reply.ts";
import { listing, type PageQuery } from "../pages.ts";
import { defineRoute, filterQuery, onBehalfOf, type Route } from "../route.ts";
import { listOf, required } from "../schema-parts.ts";
import { endpointRoutes, ofDelivery, pageQuery, read, webhooksBase, write } from "./endpoints.ts";

/** Each may have five attempts with what was answered to them. */
const maxPage = 200;

const deliveryRoutes: readonly Route[] = [
  defineRoute({
    ...webhooksBase,
    operationId: "listWebhookDeliveries",
    method: "GET",
    path: "/v1/webhooks/deliveries",
    summary: "List deliveries",
    description:
      "Newest first, each with its latest five attempts, including those of the compatible interface. They are kept for 30 days. Without limit, up to 1,000.",
    access: read,
    query: filterQuery(deliveryFilter, pageQuery),
    ...listing(
      { name: "deliveries", items: delivery, description: "The deliveries.", maxPage },
      ({ webhooks }, page, options, query: PageQuery & CreateOf<typeof deliveryFilter.table>) =>
        webhooks.listDeliveries({ ...deliveryFilter.create(query), ...page }, options),
    ),
  }),
  defineRoute({
    ...webhooksBase,
    operationId: "getWebhookDelivery",
    method: "GET",
    path: "/v1/webhooks/deliveries/{id}",
    summary: "Read a delivery",
    description: "Includes all attempts that are kept.",
    access: read,
    notFound: ofDelivery,
    success: { status: 200, description: "The delivery.", schema: delivery.schemas.answer },
    errors: [],
    call: (request, { webhooks }) => webhooks.getDelivery({ id: request.params.id }, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, delivery.answer(required(answer.delivery))),
  }),
  defineRoute({
    ...webhooksBase,
    operationId: "resendWebhookDelivery",
    method: "POST",
    path: "/v1/webhooks/deliveries/{id}/resend",
    summary: "Resend a delivery",
    description:
      "Sends it immediately, whatever happened before, with the same webhook-id: a receiver may have handled it already.",
    access: write,
    notFound: ofDelivery,
    success: { status: 202, description: "The delivery, which is queued again.", schema: delivery.schemas.answer },
    errors: ["WEBHOOK_ENDPOINT_DISABLED"],
    call: (request, { webhooks }) => webhooks.resendDelivery({ id: request.params.id }, onBehalfOf(request)),
    respond: (answer) => jsonReply(202, delivery.answer(required(answer.delivery))),
  }),
  defineRoute({
    ...webhooksBase,
    operationId: "listWebhookEventTypes",
    method: "GET",
    path: "/v1/webhooks/event-types",
    summary: "List the types of events",
    description: "Includes what each type means, and an example of its data. New types may be added.",
    access: read,
    success: { status: 200, description: "The types.", schema: listOf(eventType.schemas.answer) },
    errors: [],
    call: (request, { webhooks }) => webhooks.listEventTypes({}, onBehalfOf(request)),
    respond: ({ eventTypes }) =>
      jsonReply(
        200,
        eventTypes.map((one) => eventType.answer(one)),
      ),
  }),
];

/** Where events are sent, and what became of each. */
export const webhookRoutes: readonly Route[] = [...endpointRoutes, ...deliveryRoutes];
