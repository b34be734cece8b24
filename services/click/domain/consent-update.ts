import type { NewId } from "#platform/ids.ts";
import type { ActorType, ConsentEvent } from "./consent.ts";
import type { PlannedChange } from "./consent-plan.ts";

/** What holds for all changes of one request. */
export interface UpdateFacts {
  readonly organizationId: string;
  readonly userRef: string;
  readonly updateId: string;
  readonly source: string;
  readonly method: string | null;
  readonly actor: { readonly type: ActorType; readonly id: string | null };
  readonly reason: string | null;
  readonly occurredAt: Date | null;
  readonly idempotencyKey: string | null;
  /** JSON of what is kept besides the receipts. */
  readonly evidence: string;
}

/** A change of consent that is ready to be written. */
export interface UpdatedConsent extends ConsentEvent {
  readonly actorId: string | null;
  /** JSON, exactly as it is answered. */
  readonly receipt: string;
}

/** Numbers the changes after this revision and gives each its receipt. */
export function recordChanges(
  changes: readonly PlannedChange[],
  facts: UpdateFacts,
  head: { readonly revision: number; readonly clock: Date },
  newId: NewId,
): UpdatedConsent[] {
  return changes.map(({ decision, ...change }, index) => {
    const event: ConsentEvent = {
      ...change,
      revision: head.revision + index + 1,
      eventId: newId(),
      recordedAt: head.clock,
      occurredAt: facts.occurredAt,
      source: facts.source,
      method: facts.method,
      actorType: facts.actor.type,
      reason: facts.reason,
      receiptId: newId(),
    };
    const receipt = JSON.stringify(consentReceipt(event, decision, facts));
    return { ...event, actorId: facts.actor.id, receipt };
  });
}

/** What the API answers for a change of consent; stored as text when it is recorded and never built again. */
const consentReceipt = (event: ConsentEvent, decision: string, facts: UpdateFacts): object => ({
  receiptId: event.receiptId,
  status: "RECORDED",
  kind: "CONSENT",
  decision,
  organizationId: facts.organizationId,
  userRef: facts.userRef,
  purpose: event.purpose,
  consentStatus: event.type,
  consentRevision: event.revision,
  eventId: event.eventId,
  templateId: event.text?.templateId ?? null,
  versionId: event.text?.versionId ?? null,
  revision: event.text?.revision ?? null,
  locale: event.text?.locale ?? null,
  contentHash: event.text?.contentHash ?? null,
  legalBasis: event.legalBasis,
  jurisdiction: event.jurisdiction,
  recordedAt: event.recordedAt.toISOString(),
  occurredAt: event.occurredAt?.toISOString() ?? null,
  grantedAt: event.grantedAt?.toISOString() ?? null,
  expiresAt: event.expiresAt?.toISOString() ?? null,
  source: event.source,
  method: event.method,
  actor: facts.actor,
  reason: event.reason,
  idempotencyKey: facts.idempotencyKey,
  log: null,
  signature: null,
});
