import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Attempt as AttemptMessage,
  AttemptSchema,
  type Delivery as DeliveryMessage,
  DeliverySchema,
  DeliveryStatus as StatusCode,
} from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { Attempt, Delivery, DeliveryStatus } from "../domain/delivery.ts";

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
