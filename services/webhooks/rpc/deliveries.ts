import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type Attempt as AttemptMessage,
  AttemptSchema,
  type Delivery as DeliveryMessage,
  DeliverySchema,
  DeliveryStatus as StatusCode,
  type WebhooksService,
} from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrgSnapshot } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Attempt, Delivery, DeliveryStatus } from "../domain/delivery.ts";
import { latestAttempts } from "../store/attempt-store.ts";
import { findDelivery } from "../store/delivery-store.ts";
import type { WebhooksDeps } from "./deps.ts";
import { parseId } from "./endpoint-input.ts";

/** More than the schedule ever makes; only who resends again and again has more, and a message has an end. */
const shownAttempts = 1_000;

export const getDelivery = (
  deps: Pick<WebhooksDeps, "pool">,
): Pick<ServiceImpl<typeof WebhooksService>, "getDelivery"> => ({
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

export function deliveryMessage(delivery: Delivery, attempts: readonly Attempt[]): DeliveryMessage {
  const { id, eventId, eventType, endpointId = "", agreementId = "", connectId = 0, status } = delivery;
  return create(DeliverySchema, {
    ...{ id, eventId, eventType, endpointId, agreementId, connectId: BigInt(connectId) },
    status: statusCodes[status],
    attempts: attempts.map(attemptMessage),
    attemptCount: delivery.attempts,
    ...(delivery.dueAt === undefined ? {} : { nextAttemptAt: timestampFromDate(delivery.dueAt) }),
    ...(delivery.deliveredAt === undefined ? {} : { deliveredAt: timestampFromDate(delivery.deliveredAt) }),
    occurredAt: timestampFromDate(delivery.occurredAt),
    createdAt: timestampFromDate(delivery.createdAt),
  });
}

/** Undefined for unspecified. */
export const statusFromWire = (code: StatusCode): DeliveryStatus | undefined => statuses.get(code);

const attemptMessage = ({ at, ...rest }: Attempt): AttemptMessage =>
  create(AttemptSchema, { ...rest, at: timestampFromDate(at) });

const statusCodes: Readonly<Record<DeliveryStatus, StatusCode>> = {
  pending: StatusCode.PENDING,
  delivered: StatusCode.DELIVERED,
  failed: StatusCode.FAILED,
  dead: StatusCode.DEAD,
};

const statuses: ReadonlyMap<StatusCode, DeliveryStatus> = new Map(
  (Object.entries(statusCodes) as [DeliveryStatus, StatusCode][]).map(([status, code]) => [code, status]),
);
