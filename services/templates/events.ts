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

/** The event of a version that was archived. */
export function versionArchived(
  context: EventContext,
  version: Pick<Version, "id" | "templateId" | "locale">,
): OutboxRecord {
  return outboxRecord(context, "assent.templates.version.archived", version.id, {
    versionArchived: { templateId: version.templateId, versionId: version.id, locale: version.locale },
  });
}

/** The event of a template that was archived. */
export const templateArchived = (context: EventContext, templateId: string): OutboxRecord =>
  outboxRecord(context, "assent.templates.template.archived", templateId, { templateArchived: { templateId } });

/** The event of a template that came back from the archive. */
export const templateRestored = (context: EventContext, templateId: string): OutboxRecord =>
  outboxRecord(context, "assent.templates.template.restored", templateId, { templateRestored: { templateId } });

/** The event of a template that was deleted. */
export const templateRemoved = (context: EventContext, templateId: string): OutboxRecord =>
  outboxRecord(context, "assent.templates.template.removed", templateId, { templateRemoved: { templateId } });

type Payload = Omit<
  EventJson,
  "id" | "subject" | "organizationId" | "occurredAt" | "aggregateId" | "requestId" | "traceparent"
>;

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
