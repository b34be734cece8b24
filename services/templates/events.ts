import type { EventJson } from "#gen/assent/events/v1/events_pb.ts";
import type { Caller } from "#platform/caller.ts";
import type { OutboxRecord } from "#platform/outbox/outbox.ts";
import type { Revision, Version } from "./domain/version.ts";

/** Who and when, for every event of one request. */
export interface EventContext {
  readonly caller: Caller;
  readonly eventId: string;
  readonly now: Date;
}

/** The event of a version that was published: with a new revision, or again with its last one. */
export function versionPublished(
  context: EventContext,
  revision: Pick<Revision, "versionId" | "templateId" | "locale" | "revision" | "label" | "contentHash"> &
    Pick<Revision, "requiresReacceptance">,
): OutboxRecord {
  return outboxRecord(context, "assent.templates.version.published", revision.versionId, {
    versionPublished: {
      templateId: revision.templateId,
      versionId: revision.versionId,
      locale: revision.locale,
      revision: revision.revision,
      label: revision.label,
      contentHash: revision.contentHash,
      requiresReacceptance: revision.requiresReacceptance,
    },
  });
}

/** The event of a version that is no longer published. */
export function versionUnpublished(
  context: EventContext,
  version: Pick<Version, "id" | "templateId" | "locale">,
): OutboxRecord {
  return outboxRecord(context, "assent.templates.version.unpublished", version.id, {
    versionUnpublished: { templateId: version.templateId, versionId: version.id, locale: version.locale },
  });
}

function outboxRecord(
  context: EventContext,
  subject: string,
  aggregateId: string,
  payload: Pick<EventJson, "versionPublished" | "versionUnpublished">,
): OutboxRecord {
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
