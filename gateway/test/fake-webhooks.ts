import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  type Delivery,
  DeliverySchema,
  DeliveryStatus,
  DisabledReason,
  type Endpoint,
  EndpointSchema,
  type UpdateEndpointRequest,
  WebhooksService,
} from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { createFakeConnect } from "./fake-webhooks-connect.ts";
import { createOwned, type Owned } from "./owned.ts";
import { at, type FieldsOf } from "./sample-agreement.ts";

type Handlers = Partial<ServiceImpl<typeof WebhooksService>>;

/** What handlers in files of their own need. */
export interface FakeWebhooksCore {
  readonly deliveries: Owned<Delivery>;
  enter(context: HandlerContext, method: string, request: unknown): Caller;
}

/** A webhooks service that keeps everything in memory, and remembers what it was asked. */
export function createFakeWebhooks() {
  const endpoints = createOwned<Endpoint>("WEBHOOK_ENDPOINT_NOT_FOUND");
  const deliveries = createOwned<Delivery>("WEBHOOK_DELIVERY_NOT_FOUND");
  const keys = new Map<string, string>();
  const requests: { method: string; request: unknown }[] = [];
  const fail: { with: unknown } = { with: undefined };
  const core: FakeWebhooksCore = {
    deliveries,
    enter: (context, method, request) => {
      requests.push({ method, request });
      if (fail.with !== undefined) throw fail.with;
      return requireCaller(context);
    },
  };
  const addDelivery = (orgId: string, fields: FieldsOf<typeof DeliverySchema> = {}): Delivery => {
    const delivery = sampleDelivery(fields);
    return deliveries.add(orgId, delivery.id, delivery);
  };
  const handlers: Handlers = {
    createEndpoint: (request, context) => {
      const { orgId } = core.enter(context, "createEndpoint", request);
      const { url, description, eventTypes, enabled, idempotencyKey } = request;
      const known = idempotencyKey === "" ? undefined : keys.get(`${orgId} ${idempotencyKey}`);
      if (known !== undefined) return { endpoint: endpoints.find(orgId, known), secret: secretOf(1), replayed: true };
      const endpoint = sampleEndpoint({ url, description, eventTypes });
      switchTo(endpoint, enabled);
      if (idempotencyKey !== "") keys.set(`${orgId} ${idempotencyKey}`, endpoint.id);
      return { endpoint: endpoints.add(orgId, endpoint.id, endpoint), secret: secretOf(1), replayed: false };
    },
    getEndpoint: (request, context) => ({
      endpoint: endpoints.find(core.enter(context, "getEndpoint", request).orgId, request.id),
    }),
    listEndpoints: (request, context) => {
      const all = endpoints.all(core.enter(context, "listEndpoints", request).orgId).reverse();
      const { page, nextCursor } = pageOf(all, request);
      return { endpoints: page, nextCursor };
    },
    updateEndpoint: (request, context) => {
      const endpoint = endpoints.find(core.enter(context, "updateEndpoint", request).orgId, request.id);
      return { endpoint: changed(endpoint, request) };
    },
    deleteEndpoint: (request, context) => {
      endpoints.remove(core.enter(context, "deleteEndpoint", request).orgId, request.id);
      return {};
    },
    rotateEndpointSecret: (request, context) => {
      const endpoint = endpoints.find(core.enter(context, "rotateEndpointSecret", request).orgId, request.id);
      return { endpoint: Object.assign(endpoint, { previousSecretUntil: at(24) }), secret: secretOf(2) };
    },
    testEndpoint: (request, context) => {
      const { orgId } = core.enter(context, "testEndpoint", request);
      requireEnabled(endpoints.find(orgId, request.id));
      return { delivery: addDelivery(orgId, { endpointId: request.id, eventType: "webhook.test" }) };
    },
    recoverEndpoint: (request, context) => {
      requireEnabled(endpoints.find(core.enter(context, "recoverEndpoint", request).orgId, request.id));
      return { queued: 12 };
    },
    listDeliveries: (request, context) => {
      const { orgId } = core.enter(context, "listDeliveries", request);
      const { endpointId, eventType, eventId, status, connectOnly } = request;
      const all = deliveries
        .all(orgId)
        .filter(
          (one) =>
            (endpointId === "" || one.endpointId === endpointId) &&
            (eventType === "" || one.eventType === eventType) &&
            (eventId === "" || one.eventId === eventId) &&
            (status === DeliveryStatus.UNSPECIFIED || one.status === status) &&
            (!connectOnly || one.connectId !== 0n || one.endpointId === ""),
        );
      const { page, nextCursor } = pageOf(newestFirst(all), request);
      return { deliveries: page, nextCursor };
    },
    getDelivery: (request, context) => ({
      delivery: deliveries.find(core.enter(context, "getDelivery", request).orgId, request.id),
    }),
    resendDelivery: (request, context) => {
      const delivery = deliveries.find(core.enter(context, "resendDelivery", request).orgId, request.id);
      return { delivery: Object.assign(delivery, { status: DeliveryStatus.PENDING, nextAttemptAt: at(9) }) };
    },
    getActivity: (request, context) => {
      core.enter(context, "getActivity", request);
      return { endpoints: 3, failing: 1, disabled: 0, undelivered: 5n };
    },
    listEventTypes: (request, context) => {
      core.enter(context, "listEventTypes", request);
      const exampleJson = '{"agreement":{"id":"1"}}';
      return { eventTypes: [{ type: "agreement.completed", description: "All have signed.", exampleJson }] };
    },
    ...createFakeConnect(core),
  };
  const routes: RpcRoutes = (router) => {
    router.service(WebhooksService, handlers);
  };
  return {
    routes,
    endpoints,
    fail,
    /** What the last call of an RPC brought. */
    lastRequest: <Request>(method: string): Request =>
      requests.findLast((one) => one.method === method)?.request as Request,
    /** Puts an endpoint there, of an organization. */
    addEndpoint: (orgId: string, fields: FieldsOf<typeof EndpointSchema> = {}): Endpoint => {
      const endpoint = sampleEndpoint(fields);
      return endpoints.add(orgId, endpoint.id, endpoint);
    },
    /** Puts a delivery there, of an organization. */
    addDelivery,
  };
}

export type FakeWebhooks = ReturnType<typeof createFakeWebhooks>;

const secretOf = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString("base64")}`;

export const sampleEndpoint = (fields: FieldsOf<typeof EndpointSchema> = {}): Endpoint =>
  create(EndpointSchema, {
    ...{ id: newId(), url: "https://www.example.com/hooks", enabled: true, createdAt: at(0), updatedAt: at(0) },
    ...fields,
  });

export const sampleDelivery = (fields: FieldsOf<typeof DeliverySchema> = {}): Delivery =>
  create(DeliverySchema, {
    ...{ id: newId(), eventId: newId(), eventType: "agreement.completed", endpointId: newId() },
    ...{ status: DeliveryStatus.PENDING, nextAttemptAt: at(1), occurredAt: at(0), createdAt: at(0) },
    ...fields,
  });

function changed(endpoint: Endpoint, { url, description, eventTypes, enabled }: UpdateEndpointRequest): Endpoint {
  if (enabled !== undefined) switchTo(endpoint, enabled);
  return Object.assign(endpoint, {
    ...(url === undefined ? {} : { url }),
    ...(description === undefined ? {} : { description }),
    ...(eventTypes === undefined ? {} : { eventTypes: eventTypes.types }),
  });
}

function switchTo(endpoint: Endpoint, enabled: boolean): void {
  endpoint.enabled = enabled;
  if (enabled) {
    endpoint.disabledReason = DisabledReason.UNSPECIFIED;
    delete endpoint.disabledAt;
  } else Object.assign(endpoint, { disabledReason: DisabledReason.BY_REQUEST, disabledAt: at(3) });
}

function requireEnabled({ enabled }: Endpoint): void {
  if (!enabled) throw new DomainError("WEBHOOK_ENDPOINT_DISABLED");
}

const newestFirst = (deliveries: readonly Delivery[]): Delivery[] =>
  [...deliveries].reverse().sort((a, b) => createdMs(b) - createdMs(a));

const createdMs = ({ createdAt }: Delivery): number => (createdAt === undefined ? 0 : timestampMs(createdAt));

function pageOf<Item>(items: readonly Item[], { limit, cursor }: { limit: number; cursor: string }) {
  const start = cursor === "" ? 0 : Number(cursor);
  const end = start + (limit || 100);
  return { page: items.slice(start, end), nextCursor: end < items.length ? String(end) : "" };
}
