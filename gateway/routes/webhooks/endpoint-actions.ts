import { delivery, endpointWithSecret, recovered, recovery, rotatedEndpoint } from "#api/webhooks.ts";
import { jsonReply } from "../../http/reply.ts";
import { required } from "../required.ts";
import { createBody, defineRoute, onBehalfOf, type Route } from "../route.ts";
import { ofEndpoint, webhooksBase, write } from "./base.ts";

/** Days of events may wait. */
const recoverTimeoutMs = 30_000;

/** What is done with an endpoint, besides changing it. */
export const endpointActionRoutes: readonly Route[] = [
  defineRoute({
    ...webhooksBase,
    operationId: "rotateWebhookSecret",
    method: "POST",
    path: "/v1/webhooks/endpoints/{id}/rotate-secret",
    summary: "Give an endpoint a new secret",
    description:
      "For 24 hours requests have two signatures: with the new secret and with the one before. Whoever rotates twice within that time keeps the last two.",
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
    summary: "Send an event to try an endpoint out",
    description: "An event of the type `webhook.test`, to this endpoint alone, whatever types it asks for.",
    access: write,
    notFound: ofEndpoint,
    success: {
      status: 202,
      description: "The delivery, which tells later what became of it.",
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
    summary: "Send again what could not be delivered",
    description:
      "Everything of a time that this endpoint has not received, in the order in which it happened. What has been delivered is not sent again. At most 100,000 at once: ask again for more.",
    access: write,
    notFound: ofEndpoint,
    body: createBody(recovery, { example: { since: "2026-11-20T00:00:00.000Z" } }),
    success: { status: 202, description: "How many deliveries wait again.", schema: recovered.schemas.answer },
    errors: ["WEBHOOK_ENDPOINT_DISABLED"],
    call: (request, { webhooks }) =>
      webhooks.recoverEndpoint(
        { ...recovery.create(request.body), id: request.params.id },
        { ...onBehalfOf(request), timeoutMs: recoverTimeoutMs },
      ),
    respond: (answer) => jsonReply(202, recovered.answer(answer)),
  }),
];
