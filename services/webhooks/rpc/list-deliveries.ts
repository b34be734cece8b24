import type { ListDeliveriesRequest } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { cursorOf, readCursor } from "#platform/cursor.ts";
import { withOrgSnapshot } from "#platform/db/pool.ts";
import { isUuid } from "#platform/ids.ts";
import { latestAttempts } from "../store/attempt-store.ts";
import { type DeliveryQuery, pageOfDeliveries } from "../store/delivery-store.ts";
import { deliveryMessage, statusFromWire } from "./deliveries.ts";
import type { WebhooksDeps, WebhooksRpcs } from "./deps.ts";

const defaultLimit = 100;
const shownAttempts = 5;

export const listDeliveries = (deps: Pick<WebhooksDeps, "pool">): WebhooksRpcs<"listDeliveries"> => ({
  async listDeliveries(request, context) {
    const { orgId } = requireCaller(context);
    const query = parseQuery(request);
    // What is no id names nothing.
    if (query === undefined) return { deliveries: [], nextCursor: "" };
    return withOrgSnapshot(deps.pool, orgId, async (tenant) => {
      // One more than wanted tells whether there is another page.
      const found = await pageOfDeliveries(tenant, { ...query, limit: query.limit + 1 });
      const page = found.slice(0, query.limit);
      const deliveryIds = page.map(({ id }) => id);
      const attempts = await latestAttempts(tenant, { deliveryIds, limit: shownAttempts });
      const last = found.length > page.length ? page.at(-1) : undefined;
      return {
        deliveries: page.map((delivery) => deliveryMessage(delivery, attempts.get(delivery.id) ?? [])),
        nextCursor: last === undefined ? "" : cursorOf({ at: last.createdAt, id: last.id }),
      };
    });
  },
});

/** Undefined when nothing can match. */
function parseQuery(request: ListDeliveriesRequest): DeliveryQuery | undefined {
  const { endpointId, eventId, eventType, connectOnly } = request;
  const after = readCursor(request.cursor, "VALIDATION_FAILED");
  if ([endpointId, eventId].some((id) => id !== "" && !isUuid(id))) return undefined;
  // The database knows no such text.
  if (eventType.includes("\0") || !eventType.isWellFormed()) return undefined;
  return {
    endpointId: endpointId.toLowerCase() || undefined,
    eventId: eventId.toLowerCase() || undefined,
    eventType: eventType || undefined,
    status: statusFromWire(request.status),
    ...{ connectOnly, after, limit: request.limit || defaultLimit },
  };
}
