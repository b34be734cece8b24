import { type EventContext, type OutboxRecord, outboxRecord } from "#platform/outbox/outbox.ts";
import type { Decision } from "./accept/accept-body.ts";
import { askedOf, type Campaign } from "./campaigns/campaign.ts";
import type { ConsentEventType } from "./consent/consent.ts";
import type { SessionOutcome } from "./sessions/session.ts";

interface TextName {
  readonly templateId: string;
  readonly versionId: string;
  readonly revision: number;
}

export const sessionCreated = (
  context: EventContext,
  sessionId: string,
  text: TextName,
  deploymentId: string | null,
): OutboxRecord =>
  outboxRecord(context, "assent.click.session.created", sessionId, {
    sessionCreated: { sessionId, ...textName(text), ...(deploymentId === null ? {} : { deploymentId }) },
  });

/** The event of a session whose text was rendered to its user for the first time. */
export const sessionPresented = (context: EventContext, sessionId: string, text: TextName): OutboxRecord =>
  outboxRecord(context, "assent.click.session.presented", sessionId, {
    sessionPresented: { sessionId, ...textName(text) },
  });

/** The event of a session that was closed, however it ended. */
export const sessionCompleted = (
  context: EventContext,
  sessionId: string,
  outcome: SessionOutcome,
  text: TextName,
): OutboxRecord =>
  outboxRecord(context, "assent.click.session.completed", sessionId, {
    sessionCompleted: { sessionId, outcome, ...textName(text) },
  });

export const sessionDeclined = (context: EventContext, sessionId: string, text: TextName): OutboxRecord =>
  outboxRecord(context, "assent.click.session.declined", sessionId, {
    sessionDeclined: { sessionId, ...textName(text) },
  });

export interface RecordedEvent extends TextName {
  readonly receiptId: string;
  readonly sessionId: string;
  readonly decision: Decision;
  readonly acceptedAt: Date;
  /** Without a session. */
  readonly direct: boolean;
  readonly sessionReusable: boolean;
  /** The same for all of a user's events. */
  readonly userKey: Buffer;
  /** The earliest time the text may have been on display, if the service has evidence of it. */
  readonly displayedSince: Date | undefined;
  readonly deploymentId: string | undefined;
}

export const acceptanceRecorded = (context: EventContext, recorded: RecordedEvent): OutboxRecord => {
  const { receiptId, sessionId, decision, acceptedAt, displayedSince, deploymentId } = recorded;
  const acceptanceRecorded = {
    receiptId,
    sessionId,
    ...textName(recorded),
    decision,
    acceptedAt: acceptedAt.toISOString(),
    // Protobuf's JSON form omits false values.
    ...(recorded.direct ? { direct: true } : {}),
    ...(recorded.sessionReusable ? { sessionReusable: true } : {}),
    userKey: recorded.userKey.toString("base64"),
    ...(displayedSince === undefined ? {} : { displayedSince: displayedSince.toISOString() }),
    ...(deploymentId === undefined ? {} : { deploymentId }),
  };
  return outboxRecord(context, "assent.click.acceptance.recorded", receiptId, { acceptanceRecorded });
};

/** The event of a session that was ended without a decision. */
export const sessionCancelled = (context: EventContext, sessionId: string, text: TextName): OutboxRecord =>
  outboxRecord(context, "assent.click.session.cancelled", sessionId, {
    sessionCancelled: { sessionId, templateId: text.templateId, versionId: text.versionId, revision: text.revision },
  });

export const sessionExpired = (
  context: EventContext,
  sessionId: string,
  { templateId, versionId, revision, expiresAt }: TextName & { readonly expiresAt: Date },
): OutboxRecord =>
  outboxRecord(context, "assent.click.session.expired", sessionId, {
    sessionExpired: { sessionId, templateId, versionId, revision, expiresAt: expiresAt.toISOString() },
  });

/** A single consent change. */
export interface ChangedConsent {
  readonly eventId: string;
  /** The same for all of a user's events. */
  readonly userKey: Buffer;
  readonly purpose: string;
  readonly type: ConsentEventType;
  /** The text it refers to, if known. */
  readonly text: TextName | null;
  readonly receiptId: string;
  readonly expiresAt: Date | null;
}

export function consentChanged(context: EventContext, change: ChangedConsent): OutboxRecord {
  const { eventId: consentEventId, purpose, receiptId, expiresAt } = change;
  const userKey = change.userKey.toString("base64");
  const about = { consentEventId, userKey, purpose, receiptId, ...textName(change.text) };
  switch (change.type) {
    case "GRANTED":
    case "RENEWED": {
      const ends = expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() };
      const consentGranted = { ...about, ...ends, renewed: change.type === "RENEWED" };
      return outboxRecord(context, "assent.click.consent.granted", consentEventId, { consentGranted });
    }
    case "DENIED":
      return outboxRecord(context, "assent.click.consent.denied", consentEventId, { consentDenied: about });
    case "WITHDRAWN":
      return outboxRecord(context, "assent.click.consent.withdrawn", consentEventId, { consentWithdrawn: about });
  }
}

/** Exactly the members of a text's name. */
const textName = (text: TextName | null): Partial<TextName> =>
  text === null ? {} : { templateId: text.templateId, versionId: text.versionId, revision: text.revision };

export const consentExpired = (
  context: EventContext,
  expired: Pick<ChangedConsent, "userKey" | "purpose" | "receiptId"> &
    TextName & { readonly expiryId: string; readonly expiresAt: Date },
): OutboxRecord => {
  const { expiryId: consentEventId, userKey, purpose, templateId, versionId, revision, expiresAt, receiptId } = expired;
  return outboxRecord(context, "assent.click.consent.expired", consentEventId, {
    consentExpired: {
      consentEventId,
      userKey: userKey.toString("base64"),
      purpose,
      templateId,
      versionId,
      revision,
      expiresAt: expiresAt.toISOString(),
      receiptId,
    },
  });
};

export const reacceptanceRequired = (
  context: EventContext,
  { templateId, versionId, revision, locale, label }: TextName & { readonly locale: string; readonly label: string },
): OutboxRecord =>
  outboxRecord(context, "assent.click.reacceptance.required", templateId, {
    reacceptanceRequired: { templateId, versionId, locale, revision, label },
  });

/** The event of a checkpoint included in the anchor log; its organization is that of the checkpointed log. */
export const anchorPublished = (
  context: EventContext,
  anchored: { readonly checkpoint: string; readonly anchorIndex: number; readonly anchorCheckpoint: string },
): OutboxRecord => {
  const { checkpoint, anchorIndex, anchorCheckpoint } = anchored;
  return outboxRecord(context, "assent.click.anchor.published", context.caller.orgId, {
    anchorPublished: { checkpoint, anchorIndex: String(anchorIndex), anchorCheckpoint },
  });
};

/** The event of an erasure or restriction: names records, but not whose they were. */
export const userErased = (
  context: EventContext,
  erasureId: string,
  names: {
    readonly receipts: readonly string[];
    readonly sessions: readonly string[];
    readonly restricted: readonly string[];
  },
): OutboxRecord =>
  outboxRecord(context, "assent.click.user.erased", erasureId, {
    userErased: {
      erasureId,
      receiptIds: [...names.receipts],
      restrictedReceiptIds: [...names.restricted],
      sessionIds: [...names.sessions],
    },
  });

/** The events of a campaign: how far it has come, but nobody's name. */
export function campaignTold(
  context: EventContext,
  what: "started" | "reminder" | "ended" | "cancelled",
  campaign: Campaign,
): OutboxRecord {
  const { id, templateId, dueAt, remindersSent, people, unchecked, accepted, declined, withdrawn } = campaign;
  const report = {
    ...{ campaignId: id, templateId, dueAt: dueAt.toISOString(), reminders: remindersSent },
    ...{ people, unchecked, asked: askedOf(campaign), accepted, declined, withdrawn },
  };
  const payloads = {
    started: { campaignStarted: report },
    reminder: { campaignReminder: report },
    ended: { campaignEnded: report },
    cancelled: { campaignCancelled: report },
  } as const;
  return outboxRecord(context, `assent.click.campaign.${what}`, id, payloads[what]);
}
