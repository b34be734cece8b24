import type { ReadableReceipt } from "../receipts/receipt.ts";
import type { ConsentEvent, ExplainedEvent } from "./consent.ts";

/** What has happened since a session's acceptance. */
export interface Aftermath {
  /** The consent changes made by the session's acceptances, oldest first. */
  readonly consents: readonly ConsentEvent[];
  /** Later denials and withdrawals of what was granted, oldest first. */
  readonly endings: readonly ExplainedEvent[];
  /** What the same user accepted or declined of the template since, oldest first. */
  readonly later: readonly LaterAcceptance[];
  /** The revision published now; null when none is. */
  readonly currentRevision: number | null;
}

/** The part of an acceptance that is in the log. */
export type LaterAcceptance = Pick<
  ReadableReceipt,
  "receiptId" | "sessionId" | "decision" | "versionId" | "revision" | "versionLabel" | "locale" | "acceptedAt"
>;

/** In the format of the evidence bundle. */
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

/** The decisions of the session's acceptances, for each purpose. */
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
