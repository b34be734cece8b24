import type { EventJson } from "#gen/assent/events/v1/events_pb.ts";
import type { Caller } from "#platform/caller.ts";
import type { OutboxRecord } from "#platform/outbox/outbox.ts";
import type { Decision } from "./domain/accept-body.ts";
import type { SessionOutcome } from "./domain/session.ts";

/** Who and when, for an event of one request. */
export interface EventContext {
  readonly caller: Caller;
  readonly eventId: string;
  readonly now: Date;
}

interface TextName {
  readonly templateId: string;
  readonly versionId: string;
  readonly revision: number;
}

export const sessionCreated = (context: EventContext, sessionId: string, text: TextName): OutboxRecord =>
  outboxRecord(context, "assent.click.session.created", sessionId, {
    sessionCreated: { sessionId, templateId: text.templateId, versionId: text.versionId, revision: text.revision },
  });

/** The event of a session that was closed, however it ended. */
export const sessionCompleted = (context: EventContext, sessionId: string, outcome: SessionOutcome): OutboxRecord =>
  outboxRecord(context, "assent.click.session.completed", sessionId, { sessionCompleted: { sessionId, outcome } });

export const sessionDeclined = (context: EventContext, sessionId: string, reason: string | null): OutboxRecord =>
  outboxRecord(context, "assent.click.session.declined", sessionId, {
    sessionDeclined: reason === null ? { sessionId } : { sessionId, reason },
  });

export interface RecordedEvent extends TextName {
  readonly receiptId: string;
  readonly sessionId: string;
  readonly decision: Decision;
  readonly acceptedAt: string;
}

export const acceptanceRecorded = (context: EventContext, recorded: RecordedEvent): OutboxRecord => {
  const { receiptId, sessionId, templateId, versionId, revision, decision, acceptedAt } = recorded;
  return outboxRecord(context, "assent.click.acceptance.recorded", receiptId, {
    acceptanceRecorded: { receiptId, sessionId, templateId, versionId, revision, decision, acceptedAt },
  });
};

type Payload = Pick<EventJson, "sessionCreated" | "sessionCompleted" | "sessionDeclined" | "acceptanceRecorded">;

function outboxRecord(context: EventContext, subject: string, aggregateId: string, payload: Payload): OutboxRecord {
  const { caller, eventId, now } = context;
  const event: EventJson = {
    id: eventId,
    subject,
    organizationId: caller.orgId,
    occurredAt: now.toISOString(),
    aggregateId,
    requestId: caller.requestId,
    traceparent: caller.traceparent,
    ...payload,
  };
  return { eventId, organizationId: caller.orgId, subject, data: JSON.stringify(event) };
}
