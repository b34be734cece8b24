import { type History, retryAfterSeconds, type SeenRequest, statusOf } from "./history.ts";
import { mostRequestsAtOnce, shortestRetryMs } from "./limits.ts";

/** A connection that the other side has ended is seen a little later, when the next request may be there already. */
const noticeMs = 100;

/** Nobody is asked too often: not at once, and not too soon after a failure. */
export const checkPace = ({ requests }: History): string[] => [
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
