import { defaultTab } from "../../create/tab-formats.ts";
import type { TabValues } from "../../signing/tab-values.ts";
import { type Agreement, type AgreementDocument, defaultNotification, type Recipient } from "../agreement.ts";
import type { Change, DecisionContext } from "../change.ts";
import type { RadioButton, Tab, TabType } from "../tab.ts";

/** When everything happens in these tests. */
export const sampleTime = new Date("2026-11-02T10:00:00.000Z");

let made = 0;
/** An id that no other sample has. */
export const sampleId = (): string => {
  made += 1;
  return `00000000-0000-7000-8000-${String(made).padStart(12, "0")}`;
};

export const sampleContext = (now: Date = sampleTime): DecisionContext => ({
  now,
  newId: sampleId,
  actor: { source: "api", id: "client", name: "Client", email: "", ip: "192.0.2.1", userAgent: "test" },
});

export const sampleDocument = (documentId = "1"): AgreementDocument => ({
  id: sampleId(),
  documentId,
  name: `Document ${documentId}.pdf`,
  bytes: 1_000,
  sha256: Buffer.alloc(32, 1),
  pages: [
    { width: 612, height: 792 },
    { width: 612, height: 792 },
  ],
  sentSha256: Buffer.alloc(32, 9),
  isSigned: false,
  warnings: [],
  sealedId: null,
  sealedSha256: null,
  originalId: null,
  originalFormat: null,
});

export function sampleRecipient(recipientId: string, given: Partial<Recipient> = {}): Recipient {
  return {
    id: sampleId(),
    recipientId,
    role: "signer",
    name: `Person ${recipientId}`,
    email: `person${recipientId}@example.com`,
    clientUserId: "",
    roleName: "",
    routingOrder: 1,
    status: "created",
    note: "",
    locale: "",
    emailSubject: "",
    emailBlurb: "",
    hostName: "",
    hostEmail: "",
    tabs: [],
    sentAt: null,
    deliveredAt: null,
    completedAt: null,
    declinedAt: null,
    declineReason: "",
    deliveryFailedAt: null,
    deliveryFailedReason: "",
    consentedAt: null,
    signature: null,
    initials: null,
    excludedDocuments: null,
    ...given,
  };
}

/** A tab in the corner of the first page of document 1. */
export const sampleTab = (type: TabType, given: Partial<Tab> = {}): Tab => ({
  ...defaultTab(type, sampleId()),
  documentId: "1",
  ...given,
});

export const sampleButton = (value: string, given: Partial<RadioButton> = {}): RadioButton => ({
  tabId: sampleId(),
  value,
  page: 1,
  x: 0,
  y: 0,
  anchor: null,
  selected: false,
  ...given,
});

/** A draft that can be sent. */
export const sampleDraft = (recipients: readonly Recipient[], given: Partial<Agreement> = {}): Agreement => ({
  id: sampleId(),
  status: "created",
  version: 1,
  emailSubject: "Please sign",
  emailBlurb: "",
  documents: [sampleDocument()],
  recipients,
  customFields: [],
  notification: defaultNotification,
  metadata: null,
  transactionId: "",
  subscription: null,
  name: "",
  description: "",
  shared: false,
  sender: { id: "client", name: "Client", email: "" },
  createdAt: sampleTime,
  modifiedAt: sampleTime,
  statusChangedAt: sampleTime,
  sentAt: null,
  deliveredAt: null,
  completedAt: null,
  declinedAt: null,
  voidedAt: null,
  voidedReason: "",
  certificate: null,
  sealLevel: null,
  ...{ purge: null, editLock: null, workflow: null },
  templateId: null,
  brandId: null,
  expiresAt: null,
  remindAt: null,
  currentRoutingOrder: 0,
  audit: { count: 0, hash: Buffer.alloc(32) },
  ...given,
});

/** What a person finishes with who has typed their name. */
export const signedWith = (values: TabValues = new Map()) => ({
  values,
  signature: { typed: "Ann Example", font: "cursive", drawnPng: "" },
  initials: { typed: "AE", font: "cursive", drawnPng: "" },
});

/** The recipient who is called so. */
export function recipientOf({ recipients }: Agreement, recipientId: string): Recipient {
  const recipient = recipients.find((one) => one.recipientId === recipientId);
  if (recipient === undefined) throw new Error(`there is no recipient ${recipientId}`);
  return recipient;
}

export const actionsOf = ({ audit }: Change): string[] => audit.map(({ action }) => action);
export const eventsOf = ({ events }: Change): string[] => events.map(({ kind }) => kind);
/** Apart from the mails. */
export const jobsOf = ({ jobs }: Change): string[] => jobs.map(({ kind }) => kind).filter((kind) => kind !== "mail");

/** The code and the details of the error that is thrown. */
export function refusalOf(act: () => unknown): { readonly code: string; readonly fields: string[] } {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && "details" in error)) throw error;
    const details = error.details as readonly { readonly field: string; readonly code: string }[];
    return { code: String(error.code), fields: details.map(({ field, code }) => `${field} ${code}`) };
  }
  throw new Error("nothing was refused");
}
