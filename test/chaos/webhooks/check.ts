import { createHmac } from "node:crypto";
import {
  type Endpoint,
  type History,
  isReliable,
  type KeptDelivery,
  type PublishedEvent,
  retryAfterSeconds,
  type SeenRequest,
  statusOf,
} from "./history.ts";
import { mostRequestsAtOnce, shortestRetryMs } from "./limits.ts";

/** Who answers 410 is left alone, and the organization's other endpoints are told. */
function checkDisabled(history: History): string[] {
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

/** A connection that the other side has ended is seen a little later, when the next request may be there already. */
const noticeMs = 100;

/** Nobody is asked too often: not at once, and not too soon after a failure. */
const checkPace = ({ requests }: History): string[] => [
  ...[...Map.groupBy(requests, ({ endpointId }) => endpointId)].flatMap(([id, some]) => checkAtOnce(id, some)),
  ...[...Map.groupBy(requests, ({ endpointId, webhookId }) => `${webhookId} to ${endpointId}`)].flatMap(checkRetries),
];

function checkAtOnce(endpointId: string, requests: readonly SeenRequest[]): string[] {
  const most = Math.max(
    ...requests.map(
      ({ startedAt }) => requests.filter((one) => one.startedAt <= startedAt && startedAt < overAt(one)).length,
    ),
  );
  return most > mostRequestsAtOnce ? [`${endpointId} had ${most} requests at once`] : [];
}

/** At least a moment after it began. */
const overAt = ({ action, startedAt, endedAt }: SeenRequest): number =>
  Math.max(startedAt + 1, isEndedByUs(action) ? endedAt : endedAt - noticeMs);

const isEndedByUs = (action: SeenRequest["action"]): boolean => statusOf(action) !== 0;

function checkRetries([name, requests]: [string, readonly SeenRequest[]]): string[] {
  const inOrder = requests.toSorted((a, b) => a.startedAt - b.startedAt);
  return inOrder.flatMap((request, n) => {
    const next = inOrder[n + 1];
    if (next === undefined || statusOf(request.action) === 200) return [];
    const after = next.startedAt - request.endedAt;
    const least = request.action === "answers 429" ? retryAfterSeconds * 1_000 : shortestRetryMs;
    return after + noticeMs < least ? [`${name} was repeated ${after} ms after '${request.action}'`] : [];
  });
}

/** At least once to everybody who accepts events in the end, and the database knows of it what the receivers know. */
function checkDeliveries(history: History): string[] {
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

const longestAgeMs = 10_000;

/** What each receiver saw: nothing that is not for it, and all of it signed. */
function checkRequests({ endpoints, published, requests, strays }: History): string[] {
  const endpointOf = new Map(endpoints.map((one) => [one.id, one]));
  const eventOf = new Map(published.map((one) => [one.id, one]));
  return [
    ...strays.map((path) => `a redirect was followed to ${path}`),
    ...requests.flatMap((request) => {
      const endpoint = endpointOf.get(request.endpointId);
      if (endpoint === undefined) return [`a request came to ${request.endpointId}, which is no endpoint`];
      const problems = checkRequest(request, endpoint, eventOf.get(request.webhookId));
      return problems.map((problem) => `${endpoint.behaviour} ${endpoint.id}, event ${request.webhookId}: ${problem}`);
    }),
  ];
}

interface Body {
  readonly id: string;
  readonly type: string;
  readonly organizationId: string;
}

function checkRequest(request: SeenRequest, endpoint: Endpoint, event: PublishedEvent | undefined): string[] {
  const { id, type, organizationId } = JSON.parse(request.body) as Body;
  const isOfAnother = event !== undefined && event.orgId !== endpoint.orgId;
  const wrong: readonly (readonly [boolean, string])[] = [
    [id !== request.webhookId, `the body is of ${id}`],
    [organizationId !== endpoint.orgId || isOfAnother, "the event is of another organization"],
    [endpoint.eventTypes.length > 0 && !endpoint.eventTypes.includes(type), `${type} was not asked for`],
    // What the service tells of by itself is not published by anybody else.
    [event === undefined ? type !== "endpoint.disabled" : event.type !== type, `the type is ${type}`],
    [!isSigned(request, endpoint), "the signature is wrong"],
    [isOld(request), `the time of the attempt is ${request.timestamp}`],
  ];
  return wrong.filter(([isWrong]) => isWrong).map(([, text]) => text);
}

/** By the words of the standard, without the product's own code. */
function isSigned({ webhookId, timestamp, signature, body }: SeenRequest, { secret }: Endpoint): boolean {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  return signature === `v1,${createHmac("sha256", key).update(`${webhookId}.${timestamp}.${body}`).digest("base64")}`;
}

const isOld = ({ timestamp, startedAt }: SeenRequest): boolean =>
  !(Math.abs(startedAt - Number(timestamp) * 1_000) <= longestAgeMs);

/** What is wrong; nothing, when the promises to receivers were kept. */
export const checkHistory = (history: History): string[] => [
  ...checkRequests(history),
  ...checkDeliveries(history),
  ...checkPace(history),
  ...checkDisabled(history),
];
