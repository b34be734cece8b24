import { DisabledReason, type Endpoint } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { enumName, isoTime } from "../scalars.ts";
import { textOrNull } from "../sign/texts.ts";

export const endpointStatuses = ["ACTIVE", "FAILING", "DISABLED"] as const;

/** Where events are sent; its secret is no part of it. */
export const endpointView = (endpoint: Endpoint, organizationId: string) => ({
  id: endpoint.id,
  organizationId,
  url: endpoint.url,
  description: textOrNull(endpoint.description),
  eventTypes: endpoint.eventTypes,
  enabled: endpoint.enabled,
  status: statusOf(endpoint),
  disabledReason: enumName(DisabledReason, endpoint.disabledReason),
  disabledAt: isoTime(endpoint.disabledAt),
  failingSince: isoTime(endpoint.failingSince),
  previousSecretUntil: isoTime(endpoint.previousSecretUntil),
  createdAt: isoTime(endpoint.createdAt),
  updatedAt: isoTime(endpoint.updatedAt),
});

function statusOf({ enabled, failingSince }: Endpoint): (typeof endpointStatuses)[number] {
  if (!enabled) return "DISABLED";
  return failingSince === undefined ? "ACTIVE" : "FAILING";
}
