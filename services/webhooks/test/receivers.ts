import { randomUUID } from "node:crypto";
import type { EventJson } from "#gen/assent/events/v1/events_pb.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { newId } from "#platform/ids.ts";
import type { OutboundPoster, OutboundRequest, OutboundResult } from "#platform/net/outbound-post.ts";

/** A request that a receiver got. */
export interface Received extends OutboundRequest {
  readonly eventId: string;
}

export interface FakeReceivers {
  readonly poster: OutboundPoster;
  readonly requests: Received[];
  /** How the receivers answer from now on; they answer 200 at first. */
  answer(how: (request: Received) => OutboundResult | Promise<OutboundResult>): void;
  /** To this URL. */
  to(url: string): Received[];
}

/** Receivers without a network. Closing the poster ends nothing: those that never answer are told by the signal. */
export function createFakeReceivers(): FakeReceivers {
  const requests: Received[] = [];
  let how: (request: Received) => OutboundResult | Promise<OutboundResult> = () => answered(200);
  return {
    requests,
    answer: (given) => {
      how = given;
    },
    to: (url) => requests.filter((request) => request.url === url),
    poster: {
      post: async (request) => {
        const received = { ...request, eventId: eventIdOf(request) };
        requests.push(received);
        const { promise: cut, resolve } = Promise.withResolvers<OutboundResult>();
        const onAbort = () => resolve(failed("connection"));
        request.signal?.addEventListener("abort", onAbort);
        if (request.signal?.aborted === true) onAbort();
        return Promise.race([how(received), cut]);
      },
      close: async () => {},
    },
  };
}

/** Only the body of the compatible interface has no id. */
const eventIdOf = ({ headers }: OutboundRequest): string => headers["webhook-id"] ?? "";

export const answered = (status: number, retryAfter?: string): OutboundResult => ({
  ...{ kind: "answered", status, excerpt: `said ${status}`, durationMs: 1 },
  ...(retryAfter === undefined ? {} : { retryAfter }),
});

export const failed = (reason: "timeout" | "connection"): OutboundResult => ({
  ...{ kind: "failed", reason, message: "The connection failed.", durationMs: 1 },
});

type Payload = Pick<EventJson, "documentCompleted" | "agreementSent">;

/** Tells the bus that documents of the organization were completed; answers the ids of the events. */
export function publishDocuments(bus: EventBus, orgId: string, count = 1, at = new Date()): Promise<string[]> {
  return publish(bus, orgId, count, {
    subject: "assent.docgen.document.completed",
    at,
    payload: () => ({ documentCompleted: { documentId: randomUUID(), pages: 1 } }),
  });
}

/** Likewise that agreements were sent, each naming so many receivers. */
export function publishAgreements(
  bus: EventBus,
  orgId: string,
  { count = 1, agreementId = randomUUID(), receivers = 0 } = {},
): Promise<string[]> {
  return publish(bus, orgId, count, {
    subject: "assent.sign.agreement.sent",
    at: new Date(),
    payload: () => ({ agreementSent: { agreementId, receivers } }),
  });
}

async function publish(
  bus: EventBus,
  orgId: string,
  count: number,
  { subject, at, payload }: { readonly subject: string; readonly at: Date; payload(): Payload },
): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  const events = ids.map((id) => {
    const event = { id, subject, organizationId: orgId, occurredAt: at.toISOString(), aggregateId: randomUUID() };
    return { id, subject, data: JSON.stringify({ ...event, ...payload() }) };
  });
  await bus.publish(events);
  return ids;
}
