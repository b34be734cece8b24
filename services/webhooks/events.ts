import type { AuditAction } from "#api/audit-actions.ts";
import { auditActor, auditRecord } from "#api/audit-actions.ts";
import type { Caller } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import type { Tenant } from "#platform/db/pool.ts";
import type { NewId, OrgId } from "#platform/ids.ts";
import { insertOutbox, type OutboxRecord, outboxRecord } from "#platform/outbox/outbox.ts";
import { testEventSubject } from "./domain/event-types-others.ts";

export interface EventFacts {
  readonly orgId: OrgId;
  readonly eventId: string;
  readonly endpointId: string;
  readonly now: Date;
}

/** The event for other services when an endpoint is disabled because of its responses. */
export function endpointDisabledRecord(
  facts: EventFacts & { readonly url: string },
  reason: "gone" | "failing",
): OutboxRecord {
  const { orgId, eventId, endpointId, now, url } = facts;
  const caller = { orgId, requestId: "", traceparent: "" };
  return outboxRecord({ caller, eventId, now }, "assent.webhooks.endpoint.disabled", endpointId, {
    endpointDisabled: { endpointId, reason: reason.toUpperCase(), host: new URL(url).host },
  });
}

/** The text of an event that is sent to one endpoint and never travels on the bus. */
export const testEventText = ({ orgId, eventId, endpointId, now }: EventFacts): string =>
  JSON.stringify({
    id: eventId,
    subject: testEventSubject,
    organizationId: orgId,
    occurredAt: now.toISOString(),
    aggregateId: endpointId,
  });

/** Tells those who watch over the organization what the caller has done, in the transaction of that. */
export async function audit(
  { clock, newId }: { readonly clock: Clock; readonly newId: NewId },
  { client }: Tenant,
  caller: Caller,
  { action, targetId, changes }: AuditedChange,
): Promise<void> {
  const context = { caller, eventId: newId(), now: clock.now() };
  await insertOutbox(client, "webhooks", [
    auditRecord(context, { action, actor: auditActor(caller), targetId, changes }),
  ]);
}

interface AuditedChange {
  readonly action: AuditAction;
  readonly targetId: string;
  readonly changes?: Readonly<Record<string, unknown>>;
}
