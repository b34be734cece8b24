import type { EventJson } from "#gen/assent/events/v1/events_pb.ts";
import type { OrgId } from "#platform/ids.ts";
import type { OutboxRecord } from "#platform/outbox/outbox.ts";
import { testEventSubject } from "./domain/event-types-webhooks.ts";

export interface EventFacts {
  readonly orgId: OrgId;
  readonly eventId: string;
  readonly endpointId: string;
  readonly now: Date;
}

/** What others are told when nothing is sent to an endpoint any more, because of how it answered. */
export function endpointDisabledRecord(
  facts: EventFacts & { readonly url: string },
  reason: "gone" | "failing",
): OutboxRecord {
  const subject = "assent.webhooks.endpoint.disabled";
  const message: EventJson = {
    ...basics(facts, subject),
    endpointDisabled: { endpointId: facts.endpointId, reason: reason.toUpperCase(), host: new URL(facts.url).host },
  };
  return { eventId: facts.eventId, organizationId: facts.orgId, subject, data: JSON.stringify(message) };
}

/** The text of an event that is sent to one endpoint and never travels on the bus. */
export const testEventText = (facts: EventFacts): string => JSON.stringify(basics(facts, testEventSubject));

const basics = ({ orgId, eventId, endpointId, now }: EventFacts, subject: string) => ({
  id: eventId,
  subject,
  organizationId: orgId,
  occurredAt: now.toISOString(),
  aggregateId: endpointId,
});
