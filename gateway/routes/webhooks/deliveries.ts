import { DeliveryStatus } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { enumValue } from "../../../views/scalars.ts";
import { deliveryView } from "../../../views/webhooks/delivery.ts";
import { eventTypeView } from "../../../views/webhooks/event-type.ts";
import { jsonReply } from "../../http/reply.ts";
import { gatherPages, nextPage, nextPageHeader, pageLimit } from "../pages.ts";
import { required } from "../required.ts";
import { defineRoute, onBehalfOf, queryOf, type Route } from "../route.ts";
import { described, example, listOf, text, uuid } from "../schema-parts.ts";
import { ofDelivery, type PageQuery, read, webhooksBase, write } from "./base.ts";
import { deliverySchema, deliveryStatus, eventTypeSchema } from "./delivery-schemas.ts";

interface DeliveriesQuery extends PageQuery {
  readonly endpointId?: string;
  readonly status?: string;
  readonly eventType?: string;
  readonly eventId?: string;
}

/** Each may have five attempts with what was answered to them. */
const maxPage = 200;

export const deliveryRoutes: readonly Route[] = [
  defineRoute({
    ...webhooksBase,
    operationId: "listWebhookDeliveries",
    method: "GET",
    path: "/v1/webhooks/deliveries",
    summary: "List deliveries",
    description:
      "Newest first, each with its latest five attempts; those of the compatible interface too. They are kept for 30 days. Without limit all are returned, up to 1,000.",
    access: read,
    query: queryOf<DeliveriesQuery>({
      limit: pageLimit,
      cursor: text(1, 200, "X-Next-Cursor of the previous page."),
      endpointId: described(uuid, "Those to this endpoint only."),
      status: example(described(deliveryStatus, "Those in this status only."), "FAILED"),
      eventType: example(text(1, 100, "Those of events of this type only."), "agreement.completed"),
      eventId: described(uuid, "Those of this event only."),
    }),
    success: { status: 200, description: "The deliveries.", schema: listOf(deliverySchema), headers: nextPageHeader },
    errors: [],
    call: ({ query, ...request }, { webhooks }) => {
      const { endpointId = "", status, eventType = "", eventId = "" } = query;
      const wanted = {
        endpointId: endpointId.toLowerCase(),
        eventType,
        eventId: eventId.toLowerCase(),
        status: status === undefined ? DeliveryStatus.UNSPECIFIED : enumValue(DeliveryStatus, status),
      };
      return gatherPages(query, async ({ limit, cursor }) => {
        const page = { limit: Math.min(limit, maxPage), cursor };
        const { deliveries, nextCursor } = await webhooks.listDeliveries({ ...wanted, ...page }, onBehalfOf(request));
        return { items: deliveries, nextCursor };
      });
    },
    respond: ({ items, nextCursor }) => jsonReply(200, items.map(deliveryView), nextPage(nextCursor)),
  }),
  defineRoute({
    ...webhooksBase,
    operationId: "getWebhookDelivery",
    method: "GET",
    path: "/v1/webhooks/deliveries/{id}",
    summary: "Read a delivery",
    description: "With all of its attempts that are kept.",
    access: read,
    notFound: ofDelivery,
    success: { status: 200, description: "The delivery.", schema: deliverySchema },
    errors: [],
    call: (request, { webhooks }) => webhooks.getDelivery({ id: request.params.id }, onBehalfOf(request)),
    respond: ({ delivery }) => jsonReply(200, deliveryView(required(delivery))),
  }),
  defineRoute({
    ...webhooksBase,
    operationId: "resendWebhookDelivery",
    method: "POST",
    path: "/v1/webhooks/deliveries/{id}/resend",
    summary: "Send an event again",
    description:
      "At once, whatever became of it before, with the same webhook-id: a receiver may have handled it already.",
    access: write,
    notFound: ofDelivery,
    success: { status: 202, description: "The delivery, which waits again.", schema: deliverySchema },
    errors: ["WEBHOOK_ENDPOINT_DISABLED"],
    call: (request, { webhooks }) => webhooks.resendDelivery({ id: request.params.id }, onBehalfOf(request)),
    respond: ({ delivery }) => jsonReply(202, deliveryView(required(delivery))),
  }),
  defineRoute({
    ...webhooksBase,
    operationId: "listWebhookEventTypes",
    method: "GET",
    path: "/v1/webhooks/event-types",
    summary: "List the types of events",
    description: "With what each means, and the data of one as an example. New types may be added.",
    access: read,
    success: { status: 200, description: "The types.", schema: listOf(eventTypeSchema) },
    errors: [],
    call: (request, { webhooks }) => webhooks.listEventTypes({}, onBehalfOf(request)),
    respond: ({ eventTypes }) => jsonReply(200, eventTypes.map(eventTypeView)),
  }),
];
