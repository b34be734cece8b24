import { type Delivery, DeliveryStatus } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { defined } from "#platform/json-object.ts";
import { compatTime, filled, numberText, type Written } from "./scalars.ts";

/** Whether a delivery is one of the compatible interface: of a configuration, or to a receiver that an agreement names. */
export const isOfConnect = ({ connectId, endpointId }: Delivery): boolean => connectId !== 0n || endpointId === "";

/** Whether the last attempt failed. */
export const isFailure = ({ status }: Delivery): boolean =>
  status === DeliveryStatus.FAILED || status === DeliveryStatus.DEAD;

/** An entry of the log of deliveries. */
export function connectLogView(delivery: Delivery, accountId: string): Readonly<Record<string, Written>> {
  const [latest] = delivery.attempts;
  const { id } = delivery;
  const failure = { failureId: id, failureUri: logUri(id), retryUri: retryUri(delivery) };
  return defined({
    accountId,
    connectId: connectIdText(delivery),
    envelopeId: filled(delivery.agreementId),
    status: statusText(delivery.eventType),
    created: compatTime(delivery.createdAt),
    lastTry: compatTime(latest?.at),
    configUrl: filled(latest?.url),
    retryCount: numberText(Math.max(0, delivery.attemptCount - 1)),
    error: filled(latest?.error),
    logId: id,
    logUri: logUri(id),
    ...(isFailure(delivery) ? failure : {}),
  });
}

/** The same entry with each attempt. */
export const connectLogDetails = (delivery: Delivery, accountId: string): Readonly<Record<string, Written>> => ({
  ...connectLogView(delivery, accountId),
  connectDebugLog: delivery.attempts.map(({ at, statusCode, error, response }) =>
    defined({
      connectConfig: connectIdText(delivery),
      eventDateTime: compatTime(at),
      eventDescription: statusCode === 0 ? "No answer" : `${statusCode} ${response}`.trim(),
      errorDetails: error === "" ? undefined : defined({ errorCode: "CONNECT_FAILED", message: error }),
    }),
  ),
});

/** What waits to be sent again. */
export const retryView = (delivery: Delivery): Readonly<Record<string, Written>> =>
  defined({
    envelopeId: filled(delivery.agreementId),
    configId: connectIdText(delivery),
    configUrl: filled(delivery.attempts[0]?.url),
    status: "queued",
    statusMessage: "It is sent again.",
  });

const logUri = (id: string): string => `/connect/logs/${id}`;

const retryUri = ({ agreementId }: Delivery): string | undefined =>
  agreementId === "" ? undefined : `/connect/envelopes/${agreementId}/retry_queue`;

const connectIdText = ({ connectId }: Delivery): string | undefined =>
  connectId === 0n ? undefined : numberText(connectId);

/** What became of the envelope: its events are called `agreement.completed` or `envelope-completed`. */
function statusText(eventType: string): string {
  const verb = eventType.slice(eventType.search(/[.-]/) + 1);
  // What has expired is void there.
  return verb === "expired" ? "Voided" : verb.charAt(0).toUpperCase() + verb.slice(1);
}
