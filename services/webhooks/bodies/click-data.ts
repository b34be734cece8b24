import { type Session, SessionOrigin, SessionOutcome, SessionStatus } from "#gen/assent/click/v1/click_pb.ts";
import type { AcceptanceRecorded } from "#gen/assent/events/v1/events_pb.ts";
import { enumName, isoTime } from "../../../views/scalars.ts";
import type { DataMakers, Lookups } from "./lookups.ts";

type ClickCase =
  | `session${"Created" | "Presented" | "Completed" | "Declined" | "Expired" | "Cancelled"}`
  | "acceptanceRecorded"
  | `consent${"Granted" | "Denied" | "Withdrawn" | "Expired"}`
  | "reacceptanceRequired"
  | "userErased"
  | "anchorPublished";

export const clickData: DataMakers<ClickCase> = {
  sessionCreated: (payload, lookups) => sessionData(payload, lookups),
  sessionPresented: (payload, lookups) => sessionData(payload, lookups),
  sessionCompleted: (payload, lookups) => sessionData(payload, lookups, { outcome: payload.outcome }),
  sessionDeclined: (payload, lookups) => sessionData(payload, lookups, { outcome: "DECLINED" }),
  sessionExpired: (payload, lookups) => sessionData(payload, lookups),
  sessionCancelled: (payload, lookups) => sessionData(payload, lookups),
  acceptanceRecorded: async (payload, lookups) => ({
    receipt: (await lookups.receipt(payload.receiptId)) ?? toldOfReceipt(payload),
  }),
  consentGranted: async (payload, lookups) => ({
    consent: { ...(await changeOf(payload, lookups)), expiresAt: isoTime(payload.expiresAt), renewed: payload.renewed },
  }),
  consentDenied: async (payload, lookups) => ({ consent: await changeOf(payload, lookups) }),
  consentWithdrawn: async (payload, lookups) => ({ consent: await changeOf(payload, lookups) }),
  consentExpired: async (payload, lookups) => ({
    consent: { ...(await changeOf(payload, lookups)), expiresAt: isoTime(payload.expiresAt) },
  }),
  reacceptanceRequired: ({ versionId, templateId, locale, revision, label }) => ({
    version: { id: versionId, templateId, locale, revision, label },
  }),
  userErased: ({ erasureId, receiptIds, restrictedReceiptIds, sessionIds }) => ({
    erasure: { id: erasureId, receiptIds, restrictedReceiptIds, sessionIds },
  }),
  anchorPublished: ({ checkpoint, anchorIndex, anchorCheckpoint }) => ({
    anchor: { checkpoint, anchorIndex: Number(anchorIndex), anchorCheckpoint },
  }),
};

interface ToldSession {
  readonly sessionId: string;
  readonly templateId: string;
  readonly versionId: string;
  readonly revision: number;
  readonly deploymentId?: string | undefined;
}

/** The outcome comes from the event; the session itself is shown in its current state. */
async function sessionData(
  { sessionId: id, templateId, versionId, revision, deploymentId }: ToldSession,
  lookups: Lookups,
  ended: { readonly outcome?: string } = {},
): Promise<object> {
  const session = await lookups.session(id);
  const told = { id, templateId, versionId, revision, ...(deploymentId === undefined ? {} : { deploymentId }) };
  return { session: { ...(session === undefined ? told : sessionView(session)), ...ended } };
}

/** Without what would let its reader act as the person. */
const sessionView = (session: Session) => ({
  id: session.id,
  templateId: session.templateId,
  templateSlug: session.templateSlug,
  versionId: session.versionId,
  revision: session.revision,
  label: session.label,
  locale: session.locale,
  userRef: session.userRef ?? null,
  status: enumName(SessionStatus, session.status),
  outcome: enumName(SessionOutcome, session.outcome),
  origin: enumName(SessionOrigin, session.origin),
  deploymentId: session.deploymentId ?? null,
  receiptIds: session.receiptIds,
  metadata: session.metadata,
  createdAt: isoTime(session.createdAt),
  presentedAt: isoTime(session.presentedAt),
  completedAt: isoTime(session.completedAt),
  expiresAt: isoTime(session.expiresAt),
  erased: session.erased,
  restricted: session.restricted,
});

const toldOfReceipt = ({ receiptId, decision, sessionId, acceptedAt, ...text }: AcceptanceRecorded) => ({
  receiptId,
  decision,
  sessionId,
  templateId: text.templateId,
  versionId: text.versionId,
  revision: text.revision,
  deploymentId: text.deploymentId ?? null,
  acceptedAt: isoTime(acceptedAt),
});

interface ToldChange {
  readonly consentEventId: string;
  readonly purpose: string;
  readonly templateId?: string | undefined;
  readonly versionId?: string | undefined;
  readonly revision?: number | undefined;
  readonly receiptId: string;
}

/** The event does not name the person; the receipt does, until they are erased or restricted. */
async function changeOf(told: ToldChange, lookups: Lookups): Promise<object> {
  const { consentEventId, purpose, templateId, versionId, revision, receiptId } = told;
  const receipt = receiptId === "" ? undefined : await lookups.receipt(receiptId);
  return {
    consentEventId,
    userRef: receipt?.userRef ?? null,
    purpose,
    templateId: templateId ?? null,
    versionId: versionId ?? null,
    revision: revision ?? null,
    receiptId: receiptId === "" ? null : receiptId,
  };
}
