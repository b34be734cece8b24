import { type Attempt, type Delivery, DeliveryStatus } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { enumName, isoTime } from "../scalars.ts";
import { textOrNull } from "../sign/texts.ts";

/** One event on its way to one receiver. */
export const deliveryView = (delivery: Delivery) => ({
  id: delivery.id,
  eventId: delivery.eventId,
  eventType: delivery.eventType,
  endpointId: textOrNull(delivery.endpointId),
  status: enumName(DeliveryStatus, delivery.status),
  attempts: delivery.attempts.map(attemptView),
  attemptCount: delivery.attemptCount,
  nextAttemptAt: isoTime(delivery.nextAttemptAt),
  occurredAt: isoTime(delivery.occurredAt),
  createdAt: isoTime(delivery.createdAt),
  deliveredAt: isoTime(delivery.deliveredAt),
  agreementId: textOrNull(delivery.agreementId),
  connectId: delivery.connectId === 0n ? null : Number(delivery.connectId),
});

const attemptView = ({ at, statusCode, durationMs, error, response, url }: Attempt) => ({
  at: isoTime(at),
  statusCode: statusCode === 0 ? null : statusCode,
  durationMs,
  error: textOrNull(error),
  response: textOrNull(response),
  url,
});
