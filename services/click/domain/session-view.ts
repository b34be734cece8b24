import type { JsonObject } from "@bufbuild/protobuf";
import type { BoundText } from "./agreement.ts";
import type { Policy, TemplateType } from "./policy.ts";
import type { Receipt } from "./receipt.ts";
import { outcomeAt, type SessionOutcome, type SessionState, type SessionStatus, statusAt } from "./session.ts";
import type { Terms } from "./terms.ts";

/** A session as its readers see it at some moment. */
export interface SessionView extends BoundText {
  readonly id: string;
  readonly organizationId: string;
  readonly templateSlug: string;
  readonly templateType: TemplateType;
  readonly userRef: string | null;
  readonly status: SessionStatus;
  readonly outcome: SessionOutcome | null;
  readonly origin: "API" | "DIRECT";
  readonly policy: Policy & JsonObject;
  readonly receiptIds: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly returnUrl: string | null;
  readonly createdAt: Date;
  readonly presentedAt: Date | null;
  readonly acceptedAt: Date | null;
  readonly completedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly updatedAt: Date;
}

/** What a session row tells, with its terms and the ids of its receipts. */
export interface SessionRecord extends BoundText, SessionState {
  readonly id: string;
  readonly userRef: string | null;
  /** JSON. */
  readonly metadata: string;
  readonly returnUrl: string | null;
  readonly createdAt: Date;
  readonly presentedAt: Date | null;
  readonly acceptedAt: Date | null;
  readonly completedAt: Date | null;
  readonly updatedAt: Date;
  /** JSON. */
  readonly terms: string;
  readonly receiptIds: readonly string[];
}

export function viewSession(organizationId: string, session: SessionRecord, now: Date): SessionView {
  const terms = JSON.parse(session.terms) as Terms;
  return {
    id: session.id,
    organizationId,
    templateId: session.templateId,
    templateSlug: terms.slug,
    templateType: terms.type,
    versionId: session.versionId,
    revision: session.revision,
    label: session.label,
    locale: session.locale,
    contentHash: session.contentHash,
    userRef: session.userRef,
    status: statusAt(session, now),
    outcome: outcomeAt(session, now),
    origin: "API",
    policy: terms.policy,
    receiptIds: session.receiptIds,
    metadata: JSON.parse(session.metadata) as Record<string, string>,
    returnUrl: session.returnUrl,
    createdAt: session.createdAt,
    presentedAt: session.presentedAt,
    acceptedAt: session.acceptedAt,
    completedAt: session.completedAt,
    expiresAt: session.expiresAt,
    updatedAt: session.updatedAt,
  };
}

/** The session that an acceptance without one is by itself: completed in the moment it was recorded. */
export function viewDirect(receipt: Receipt, terms: Terms, metadata: Readonly<Record<string, string>>): SessionView {
  const recordedAt = new Date(receipt.acceptedAt);
  const isAccepted = receipt.decision === "ACCEPT";
  return {
    id: receipt.receiptId,
    organizationId: receipt.organizationId,
    templateId: receipt.templateId,
    templateSlug: receipt.templateSlug,
    templateType: terms.type,
    versionId: receipt.versionId,
    revision: receipt.revision,
    label: receipt.versionLabel,
    locale: receipt.locale,
    contentHash: receipt.contentHash,
    userRef: receipt.userRef,
    status: "COMPLETED",
    outcome: isAccepted ? "ACCEPTED" : "DECLINED",
    origin: "DIRECT",
    policy: terms.policy,
    receiptIds: [receipt.receiptId],
    metadata,
    returnUrl: null,
    createdAt: recordedAt,
    presentedAt: null,
    acceptedAt: isAccepted ? recordedAt : null,
    completedAt: recordedAt,
    expiresAt: null,
    updatedAt: recordedAt,
  };
}
