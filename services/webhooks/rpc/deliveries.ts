import type { MessageInitShape } from "@bufbuild/protobuf";
import { nameReader, recordsOf } from "#api/records.ts";
import {
  AttemptSchema,
  DeliverySchema,
  type ListDeliveriesRequest,
  DeliveryStatus as StatusCode,
} from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { cursorOf, readCursor } from "#platform/cursor.ts";
import { withOrgSnapshot } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import type { Attempt, Delivery, DeliveryStatus } from "../domain/delivery.ts";
import { type DeliveryQuery, findDelivery, latestAttempts, pageOfDeliveries } from "../store/delivery-store.ts";
import type { WebhooksDeps, WebhooksRpcs } from "./deps.ts";
import { parseId } from "./endpoint-input.ts";

/** More than the schedule ever makes; only who resends again and again has more, and a message has an end. */
const shownAttempts = 1_000;

export const getDelivery = (deps: Pick<WebhooksDeps, "pool">): WebhooksRpcs<"getDelivery"> => ({
  async getDelivery(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseId(request.id, "WEBHOOK_DELIVERY_NOT_FOUND");
    return withOrgSnapshot(deps.pool, orgId, async (tenant) => {
      const delivery = await findDelivery(tenant, id);
      if (delivery === undefined) throw new DomainError("WEBHOOK_DELIVERY_NOT_FOUND");
      const attempts = await latestAttempts(tenant, { deliveryIds: [id], limit: shownAttempts });
      return { delivery: deliveryMessage(delivery, attempts.get(id) ?? []) };
    });
  },
});

const statuses = {
  pending: StatusCode.PENDING,
  delivered: StatusCode.DELIVERED,
  failed: StatusCode.FAILED,
  dead: StatusCode.DEAD,
} as const satisfies Record<DeliveryStatus, StatusCode>;

/** Undefined for unspecified. */
const statusOf = nameReader(statuses);
const deliveries = recordsOf(DeliverySchema, { status: statuses });
const attemptRecords = recordsOf(AttemptSchema);

export const deliveryMessage = (
  delivery: Delivery,
  attempts: readonly Attempt[],
): MessageInitShape<typeof DeliverySchema> =>
  deliveries.write({
    ...{ ...delivery, attemptCount: delivery.attempts, nextAttemptAt: delivery.dueAt },
    attempts: attempts.map(attemptRecords.write),
  });

const defaultLimit = 100;
const listedAttempts = 5;

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
      const attempts = await latestAttempts(tenant, { deliveryIds, limit: listedAttempts });
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
    status: statusOf(request.status),
    ...{ connectOnly, after, limit: request.limit || defaultLimit },
  };
}
