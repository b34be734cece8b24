import { delivery, endpoint, endpointWithSecret, recovered, recovery, rotatedEndpoint } from "#api/webhooks.ts";
import type { Endpoint } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { standardDialect } from "../../http/error-dialect.ts";
import { jsonReply, noContent, type Reply } from "../../http/reply.ts";
import { gatherPages, nextPage, nextPageHeader, type PageQuery, pageLimit } from "../pages.ts";
import {
  changeBody,
  createBody,
  defineRoute,
  onBehalfOf,
  type ProtectedAccess,
  queryOf,
  type Route,
  type RouteRequest,
} from "../route.ts";
import { listOf, replayedHeaderDescription, required, text } from "../schema-parts.ts";

/** What all operations on webhooks share. */
export const webhooksBase = { tag: "Webhooks", dialect: standardDialect } as const;

export const read: ProtectedAccess = { scopes: ["webhooks:read"], limitGroup: "other" };
export const write: ProtectedAccess = { scopes: ["webhooks:write"], limitGroup: "other" };

const ofEndpoint = { id: "WEBHOOK_ENDPOINT_NOT_FOUND" } as const;
export const ofDelivery = { id: "WEBHOOK_DELIVERY_NOT_FOUND" } as const;

/** Which part of a list is wanted. */
export const pageQuery = queryOf<PageQuery>({
  limit: pageLimit,
  cursor: text(1, 200, "X-Next-Cursor of the previous page."),
});

/** Days of events may wait. */
const recoverTimeoutMs = 30_000;

export const endpointRoutes: readonly Route[] = [
  defineRoute({
    ...webhooksBase,
    operationId: "createWebhookEndpoint",
    method: "POST",
    path: "/v1/webhooks/endpoints",
    summary: "Register an endpoint",
    description:
      "From now on, events of the requested types are sent to it by POST, signed with the secret in this response. The same X-Idempotency-Key with the same body returns the same endpoint for 24 hours. An organization can have 50 endpoints.",
    access: write,
    idempotencyKey: "optional",
    body: createBody(endpoint, {
      example: {
        url: "https://www.example.com/hooks/assent",
        description: "The order system",
        eventTypes: ["agreement.completed", "recipient.declined"],
      },
    }),
    success: {
      status: 201,
      description: "The endpoint, with its secret.",
      schema: endpointWithSecret.schemas.answer,
      headers: { Location: "Where it is read: /v1/webhooks/endpoints/{id}.", ...replayedHeaderDescription },
    },
    errors: ["WEBHOOK_ENDPOINT_LIMIT", "IDEMPOTENCY_KEY_REUSED", "WEBHOOK_ENDPOINT_NOT_FOUND"],
    call: (request, { webhooks }) => {
      const { body, idempotencyKey } = request;
      return webhooks.createEndpoint({ ...endpoint.create(body), idempotencyKey }, onBehalfOf(request));
    },
    respond: (answer, { caller }) => {
      const made = endpointWithSecret.answer(answer, { organizationId: caller.orgId });
      const location = { Location: `/v1/webhooks/endpoints/${made.id}` };
      return jsonReply(201, made, { ...location, ...(answer.replayed ? { "Idempotent-Replayed": "true" } : {}) });
    },
  }),
  defineRoute({
    ...webhooksBase,
    operationId: "listWebhookEndpoints",
    method: "GET",
    path: "/v1/webhooks/endpoints",
    summary: "List the endpoints",
    description: "Newest first, without their secrets. Without limit all are returned, up to 1,000.",
    access: read,
    query: pageQuery,
    success: {
      status: 200,
      description: "The endpoints.",
      schema: listOf(endpoint.schemas.answer),
      headers: nextPageHeader,
    },
    errors: [],
    call: (request, { webhooks }) =>
      gatherPages(request.query, async (page) => {
        const { endpoints, nextCursor } = await webhooks.listEndpoints(page, onBehalfOf(request));
        return { items: endpoints, nextCursor };
      }),
    respond: ({ items, nextCursor }, { caller }) =>
      jsonReply(
        200,
        items.map((one) => endpoint.answer(one, { organizationId: caller.orgId })),
        nextPage(nextCursor),
      ),
  }),
  defineRoute({
    ...webhooksBase,
    operationId: "getWebhookEndpoint",
    method: "GET",
    path: "/v1/webhooks/endpoints/{id}",
    summary: "Read an endpoint",
    access: read,
    notFound: ofEndpoint,
    success: { status: 200, description: "The endpoint.", schema: endpoint.schemas.answer },
    errors: [],
    call: (request, { webhooks }) => webhooks.getEndpoint({ id: request.params.id }, onBehalfOf(request)),
    respond: (answer, request) => endpointReply(answer.endpoint, request),
  }),
  defineRoute({
    ...webhooksBase,
    operationId: "updateWebhookEndpoint",
    method: "PATCH",
    path: "/v1/webhooks/endpoints/{id}",
    summary: "Change an endpoint",
    description:
      "Absent members keep their values; null restores the default. Enabling resets the failures; disabling drops waiting deliveries. To send missed events, use recover.",
    access: write,
    notFound: ofEndpoint,
    body: changeBody(endpoint, { example: { enabled: true, eventTypes: [] } }),
    success: { status: 200, description: "The changed endpoint.", schema: endpoint.schemas.answer },
    errors: [],
    call: (request, { webhooks }) =>
      webhooks.updateEndpoint({ ...endpoint.change(request.body), id: request.params.id }, onBehalfOf(request)),
    respond: (answer, request) => endpointReply(answer.endpoint, request),
  }),
  defineRoute({
    ...webhooksBase,
    operationId: "deleteWebhookEndpoint",
    method: "DELETE",
    path: "/v1/webhooks/endpoints/{id}",
    summary: "Delete an endpoint",
    description: "Nothing is sent to it any more, including waiting deliveries.",
    access: { ...write, whileSuspended: true },
    notFound: ofEndpoint,
    success: { status: 204, description: "The endpoint is gone." },
    errors: [],
    call: (request, { webhooks }) => webhooks.deleteEndpoint({ id: request.params.id }, onBehalfOf(request)),
    respond: () => noContent,
  }),
  defineRoute({
    ...webhooksBase,
    operationId: "rotateWebhookSecret",
    method: "POST",
    path: "/v1/webhooks/endpoints/{id}/rotate-secret",
    summary: "Rotate the secret of an endpoint",
    description:
      "For 24 hours, requests have two signatures: with the new secret and with the previous one. If you rotate twice within that time, the last two are used.",
    access: write,
    notFound: ofEndpoint,
    success: {
      status: 200,
      description: "The endpoint, with its new secret.",
      schema: endpointWithSecret.schemas.answer,
    },
    errors: [],
    call: (request, { webhooks }) => webhooks.rotateEndpointSecret({ id: request.params.id }, onBehalfOf(request)),
    respond: (answer, { caller }) => jsonReply(200, rotatedEndpoint.answer(answer, { organizationId: caller.orgId })),
  }),
  defineRoute({
    ...webhooksBase,
    operationId: "testWebhookEndpoint",
    method: "POST",
    path: "/v1/webhooks/endpoints/{id}/test",
    summary: "Send a test event",
    description: "Sends an event of the type `webhook.test` to this endpoint only, whatever types it subscribes to.",
    access: write,
    notFound: ofEndpoint,
    success: {
      status: 202,
      description: "The delivery, which shows the result later.",
      schema: delivery.schemas.answer,
      headers: { Location: "Where it is read: /v1/webhooks/deliveries/{id}." },
    },
    errors: ["WEBHOOK_ENDPOINT_DISABLED"],
    call: (request, { webhooks }) => webhooks.testEndpoint({ id: request.params.id }, onBehalfOf(request)),
    respond: (answer) => {
      const view = delivery.answer(required(answer.delivery));
      return jsonReply(202, view, { Location: `/v1/webhooks/deliveries/${view.id}` });
    },
  }),
  defineRoute({
    ...webhooksBase,
    operationId: "recoverWebhookEndpoint",
    method: "POST",
    path: "/v1/webhooks/endpoints/{id}/recover",
    summary: "Recover missed events",
    description:
      "Sends the events of a time range that this endpoint didn't receive, in the order in which they happened. Delivered events aren't sent again. At most 100,000 at once: call again for more.",
    access: write,
    notFound: ofEndpoint,
    body: createBody(recovery, { example: { since: "2026-11-20T00:00:00.000Z" } }),
    success: {
      status: 202,
      description: "The number of deliveries that were queued again.",
      schema: recovered.schemas.answer,
    },
    errors: ["WEBHOOK_ENDPOINT_DISABLED"],
    call: (request, { webhooks }) =>
      webhooks.recoverEndpoint(
        { ...recovery.create(request.body), id: request.params.id },
        { ...onBehalfOf(request), timeoutMs: recoverTimeoutMs },
      ),
    respond: (answer) => jsonReply(202, recovered.answer(answer)),
  }),
];

const endpointReply = (message: Endpoint | undefined, { caller }: Pick<RouteRequest, "caller">): Reply =>
  jsonReply(200, endpoint.answer(required(message), { organizationId: caller.orgId }));
