import type { ReadableReceipt } from "../receipts/receipt.ts";
import type { ConsentEvent, ExplainedEvent } from "./consent.ts";

/** What has become of a session's acceptance since. */
export interface Aftermath {
  /** The changes of consent that came with the acceptances of the session, oldest first. */
  readonly consents: readonly ConsentEvent[];
  /** Refusals and withdrawals since of what was granted, oldest first. */
  readonly endings: readonly ExplainedEvent[];
  /** What the same user has accepted or declined of the template since, oldest first. */
  readonly later: readonly LaterAcceptance[];
  /** The revision of the version that is published now; null when none is. */
  readonly currentRevision: number | null;
}

/** As far as the log tells of it. */
export type LaterAcceptance = Pick<
  ReadableReceipt,
  "receiptId" | "sessionId" | "decision" | "versionId" | "revision" | "versionLabel" | "locale" | "acceptedAt"
>;

/** In the words of the evidence bundle. */
export const aftermathObject = ({ endings, later, currentRevision }: Aftermath): object => ({
  withdrawals: endings.map((event) => ({
    eventId: event.eventId,
    type: event.type,
    purpose: event.purpose,
    at: event.recordedAt.toISOString(),
    occurredAt: event.occurredAt?.toISOString() ?? null,
    source: event.source,
    actor: event.actorType,
    reason: event.reason,
    receiptId: event.receiptId,
  })),
  laterAcceptances: later,
  currentRevision,
});

/** What the acceptances of a session decided, purpose by purpose. */
export const consentObject = (event: ConsentEvent): object => ({
  eventId: event.eventId,
  purpose: event.purpose,
  status: event.type,
  at: event.recordedAt.toISOString(),
  legalBasis: event.legalBasis,
  jurisdiction: event.jurisdiction,
  method: event.method,
  expiresAt: event.expiresAt?.toISOString() ?? null,
  receiptId: event.receiptId,
});
