import type { ActorType, ConsentEvent, ConsentEventType } from "./consent.ts";
import type { ConsentDecision } from "./consent-plan.ts";

/** What the API answers for a change of consent, up to what the log adds; it is sealed when the change is recorded. */
export interface ConsentReceipt {
  readonly receiptId: string;
  readonly status: "RECORDED";
  readonly kind: "CONSENT";
  readonly decision: ConsentDecision;
  readonly organizationId: string;
  readonly userRef: string | null;
  readonly purpose: string;
  readonly consentStatus: ConsentEventType;
  readonly consentRevision: number;
  readonly eventId: string;
  readonly templateId: string | null;
  readonly versionId: string | null;
  readonly revision: number | null;
  readonly locale: string | null;
  readonly contentHash: string | null;
  readonly legalBasis: string | null;
  readonly jurisdiction: string | null;
  readonly recordedAt: string;
  readonly occurredAt: string | null;
  readonly grantedAt: string | null;
  readonly expiresAt: string | null;
  readonly source: string;
  readonly method: string | null;
  readonly actor: { readonly type: ActorType; readonly id: string | null };
  readonly reason: string | null;
  readonly idempotencyKey: string | null;
}

/** What is personal in it. */
export type PersonalMembers = Pick<ConsentReceipt, "userRef" | "actor" | "reason" | "idempotencyKey">;

const decisions: Readonly<Record<ConsentEventType, ConsentDecision>> = {
  GRANTED: "GRANT",
  RENEWED: "RENEW",
  DENIED: "DENY",
  WITHDRAWN: "WITHDRAW",
};

export const consentReceipt = (
  organizationId: string,
  event: ConsentEvent,
  personal: PersonalMembers,
): ConsentReceipt => ({
  receiptId: event.receiptId,
  status: "RECORDED",
  kind: "CONSENT",
  decision: decisions[event.type],
  organizationId,
  userRef: personal.userRef,
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
  actor: personal.actor,
  reason: personal.reason,
  idempotencyKey: personal.idempotencyKey,
});

/** The receipt of a change of which nothing personal may be read: it was erased, or is restricted. */
export const withheldConsentReceipt = (organizationId: string, event: ConsentEvent): ConsentReceipt =>
  consentReceipt(organizationId, event, {
    userRef: null,
    actor: { type: event.actorType, id: null },
    reason: null,
    idempotencyKey: null,
  });
