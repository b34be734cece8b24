import { type Endpoint, type History, isReliable, type KeptDelivery, type SeenRequest, statusOf } from "./history.ts";

/** At least once to everybody who accepts events in the end, and the database knows of it what the receivers know. */
export function checkDeliveries(history: History): string[] {
  const deliveries = new Map(history.deliveries.map((one) => [keyOf(one.endpointId, one.eventId), one]));
  const requests = Map.groupBy(history.requests, (one) => keyOf(one.endpointId, one.webhookId));
  return [
    ...checkPromise(history, deliveries, requests),
    ...history.deliveries.flatMap((delivery) => {
      const name = `the delivery of ${delivery.eventId} to ${delivery.endpointId}`;
      const seen = requests.get(keyOf(delivery.endpointId, delivery.eventId)) ?? [];
      return checkDelivery(delivery, seen).map((problem) => `${name} ${problem}`);
    }),
    ...[...requests.keys()].filter((key) => !deliveries.has(key)).map((key) => `nobody knows why ${key} was sent`),
  ];
}

const keyOf = (endpointId: string, eventId: string): string => `${eventId} to ${endpointId}`;

function checkPromise(
  { endpoints, published }: History,
  deliveries: ReadonlyMap<string, KeptDelivery>,
  requests: ReadonlyMap<string, readonly SeenRequest[]>,
): string[] {
  return endpoints.filter(isReliable).flatMap((endpoint) =>
    published
      .filter((event) => event.orgId === endpoint.orgId && isAskedFor(endpoint, event.type))
      .flatMap(({ id }) => {
        const key = keyOf(endpoint.id, id);
        const isAccepted = (requests.get(key) ?? []).some(isSuccess);
        const { status } = deliveries.get(key) ?? { status: "missing" };
        return [
          ...(isAccepted ? [] : [`${endpoint.behaviour}: ${key} was never accepted`]),
          ...(status === "delivered" ? [] : [`${endpoint.behaviour}: ${key} is ${status}`]),
        ];
      }),
  );
}

const isAskedFor = ({ eventTypes }: Endpoint, type: string): boolean =>
  eventTypes.length === 0 || eventTypes.includes(type);

const isSuccess = ({ action }: SeenRequest): boolean => statusOf(action) === 200;

function checkDelivery({ status, attempts, statusCodes }: KeptDelivery, seen: readonly SeenRequest[]): string[] {
  // In a round, a delivery belongs to one process until that is killed: what this one did not write down is one request.
  const rounds = new Set(seen.map(({ round }) => round)).size;
  const answered = counts(seen.map(({ action }) => statusOf(action)));
  const invented = [...counts(statusCodes)].filter(([code, n]) => code !== 0 && n > (answered.get(code) ?? 0));
  const wrong: readonly (readonly [boolean, string])[] = [
    [attempts !== statusCodes.length, `has ${attempts} attempts, of which ${statusCodes.length} are kept`],
    [seen.length > attempts + rounds, `has ${attempts} attempts, but was seen ${seen.length} times`],
    [status === "delivered" && !statusCodes.includes(200), "is delivered without a success"],
    [status !== "delivered" && statusCodes.includes(200), `is ${status} after a success`],
    [status === "pending" && attempts > 0, "is pending after an attempt"],
    ...invented.map(([code, n]) => [true, `has ${n} answers ${code} that nobody gave`] as const),
  ];
  return wrong.filter(([isWrong]) => isWrong).map(([, text]) => text);
}

function counts(values: readonly number[]): ReadonlyMap<number, number> {
  return new Map([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]));
}
