import type { Endpoint, History, SeenRequest } from "./history.ts";

/** Who answers 410 is left alone, and the organization's other endpoints are told. */
export function checkDisabled(history: History): string[] {
  const { endpoints, requests, kept } = history;
  const keptOf = new Map(kept.map((one) => [one.id, one]));
  const told = Map.groupBy(requests.filter(isNotice), disabledEndpoint);
  return endpoints.flatMap((endpoint) => {
    const { isEnabled = true, disabledReason = null } = keptOf.get(endpoint.id) ?? {};
    const name = `${endpoint.behaviour} ${endpoint.id}`;
    const isGone = requests.some(({ endpointId, action }) => endpointId === endpoint.id && action === "answers 410");
    const notices = told.get(endpoint.id) ?? [];
    if (!isGone) {
      return [
        ...(isEnabled ? [] : [`${name} is disabled, but never answered 410`]),
        ...notices.map(() => `others were told that ${name} is disabled`),
      ];
    }
    return [
      ...(!isEnabled && disabledReason === "gone" ? [] : [`${name} answered 410 and is not disabled`]),
      ...new Set(checkNotices(history, endpoint, notices)),
      ...checkSilence(history, endpoint),
    ];
  });
}

const isNotice = ({ body }: SeenRequest): boolean => JSON.parse(body).type === "endpoint.disabled";

const disabledEndpoint = ({ body }: SeenRequest): string => JSON.parse(body).data.endpoint.id;

/** One event, which the other endpoints of the organization have accepted that want all events and answer in the end. */
function checkNotices({ endpoints, deliveries }: History, gone: Endpoint, notices: readonly SeenRequest[]): string[] {
  const ids = new Set(notices.map(({ webhookId }) => webhookId));
  if (ids.size !== 1) return [`${ids.size} events tell that ${gone.id} is disabled`];
  const others = endpoints.filter(
    ({ orgId, eventTypes, behaviour }) =>
      orgId === gone.orgId && eventTypes.length === 0 && (behaviour === "steady" || behaviour === "faulty"),
  );
  const isDelivered = (endpointId: string): boolean =>
    deliveries.some((one) => one.endpointId === endpointId && ids.has(one.eventId) && one.status === "delivered");
  return others.filter(({ id }) => !isDelivered(id)).map(({ id }) => `${id} was not told that ${gone.id} is disabled`);
}

/** From the round after, when all processes were started anew, nothing comes; what waited is given up. */
function checkSilence({ requests, published, deliveries, disabledIn }: History, { id }: Endpoint): string[] {
  const since = disabledIn.get(id) ?? Number.POSITIVE_INFINITY;
  const later = new Set(published.filter(({ round }) => round > since).map((event) => event.id));
  const mine = deliveries.filter(({ endpointId }) => endpointId === id);
  return [
    ...requests
      .filter(({ endpointId, round }) => endpointId === id && round > since)
      .map(({ webhookId }) => `${id} got ${webhookId} after it was disabled`),
    ...mine
      .filter(({ eventId }) => later.has(eventId))
      .map(({ eventId }) => `${eventId} was noted for ${id}, which was disabled before`),
    ...mine
      .filter(({ status }) => status !== "delivered" && status !== "dead")
      .map(({ eventId, status }) => `${eventId} is ${status} for ${id}, which is disabled`),
  ];
}
