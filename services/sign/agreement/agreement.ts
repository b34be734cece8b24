import type { Tab } from "./tab.ts";

/** How far an agreement is. Templates stay templates. */
export type AgreementStatus =
  | "created"
  | "sent"
  | "delivered"
  | "completing"
  | "completed"
  | "declined"
  | "voided"
  | "expired"
  | "template";

export type RecipientRole = "signer" | "approver" | "carbon-copy" | "certified-delivery" | "in-person-signer";

export type RecipientStatus = "created" | "sent" | "delivered" | "completed" | "declined";

/** An agreement, or a template of agreements, as the store has it. Values are never changed: operations make new ones. */
export interface Agreement {
  readonly id: string;
  readonly status: AgreementStatus;
  /** Counts the changes; the store writes only over the version that was read. */
  readonly version: number;
  readonly emailSubject: string;
  readonly emailBlurb: string;
  /** In their order. */
  readonly documents: readonly AgreementDocument[];
  /** In the order in which they were given. */
  readonly recipients: readonly Recipient[];
  readonly customFields: readonly CustomField[];
  readonly notification: Notification;
  readonly metadata: JsonObject | null;
  readonly transactionId: string;
  /** Where to send the events of this agreement; of the integration's own shape. */
  readonly subscription: JsonObject | null;
  /** Of templates; empty for agreements. */
  readonly name: string;
  readonly description: string;
  readonly shared: boolean;
  readonly sender: Sender;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
  readonly statusChangedAt: Date;
  readonly sentAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly completedAt: Date | null;
  readonly declinedAt: Date | null;
  /** Also of expired ones. */
  readonly voidedAt: Date | null;
  readonly voidedReason: string;
  readonly expiresAt: Date | null;
  /** When the next reminder is due. */
  readonly remindAt: Date | null;
  /** 0 when it is nobody's turn. */
  readonly currentRoutingOrder: number;
  readonly audit: AuditHead;
  /** The sealed certificate of completion; null until the agreement is completed, like sealLevel. */
  readonly certificate: SealedFile | null;
  /** What all seals of the agreement have at least reached. */
  readonly sealLevel: SealLevel | null;
}

/** A file that we have sealed. */
export interface SealedFile {
  /** UUID; names the bytes in the blob store. */
  readonly id: string;
  readonly sha256: Buffer;
}

/** PAdES B-B, or B-T with the token of a time-stamping authority. */
export type SealLevel = "B-B" | "B-T";

/** A JSON object of free shape. */
export type JsonObject = { readonly [key: string]: unknown };

/** The end of the chain of audit events. */
export interface AuditHead {
  readonly count: number;
  /** 32 zero bytes before the first. */
  readonly hash: Buffer;
}

/** On whose behalf it is sent. */
export interface Sender {
  /** The API key or client. */
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

export interface AgreementDocument {
  /** UUID; names the bytes in the blob store. Another one after a replacement. */
  readonly id: string;
  /** As the integration calls it. */
  readonly documentId: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: Buffer;
  /** Of the file as it was sent; null for those that came before it was kept. */
  readonly sentSha256: Buffer | null;
  readonly pages: readonly PageSize[];
  /** Whether the PDF carries signatures already. */
  readonly isSigned: boolean;
  readonly warnings: readonly DocumentWarning[];
  /** UUID of the sealed file, once there is one; names its bytes in the blob store. */
  readonly sealedId: string | null;
  readonly sealedSha256: Buffer | null;
}

/** Points (1/72 inch), as the page is shown. */
export interface PageSize {
  readonly width: number;
  readonly height: number;
}

export interface Recipient {
  /** UUID. */
  readonly id: string;
  /** As the integration calls it. */
  readonly recipientId: string;
  readonly role: RecipientRole;
  /** Name and e-mail may be empty in drafts and templates. */
  readonly name: string;
  readonly email: string;
  /** Not empty: embedded. */
  readonly clientUserId: string;
  readonly roleName: string;
  readonly routingOrder: number;
  readonly status: RecipientStatus;
  readonly note: string;
  readonly locale: string;
  /** Of mails that ask this person to act; empty: those of the agreement. */
  readonly emailSubject: string;
  readonly emailBlurb: string;
  readonly hostName: string;
  readonly hostEmail: string;
  readonly tabs: readonly Tab[];
  readonly sentAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly completedAt: Date | null;
  readonly declinedAt: Date | null;
  readonly declineReason: string;
  /** When the consent to electronic records was given. */
  readonly consentedAt: Date | null;
  /** How the signature and the initials look; null until they are adopted. */
  readonly signature: AdoptedSignature | null;
  readonly initials: AdoptedSignature | null;
}

/** Typed in a style, or drawn. */
export interface AdoptedSignature {
  readonly typed: string;
  readonly font: string;
  /** Base64 of a PNG; empty when it was typed. */
  readonly drawnPng: string;
}

export interface CustomField {
  /** Digits. */
  readonly fieldId: string;
  readonly name: string;
  readonly value: string;
  readonly kind: "text" | "list";
  /** Of lists. */
  readonly items: readonly string[];
  readonly show: boolean;
  readonly required: boolean;
}

/** Days. */
export interface Notification {
  readonly reminderEnabled: boolean;
  readonly reminderDelay: number;
  readonly reminderFrequency: number;
  readonly expireEnabled: boolean;
  readonly expireAfter: number;
  readonly expireWarn: number;
}

export const defaultNotification: Notification = {
  reminderEnabled: false,
  reminderDelay: 0,
  reminderFrequency: 0,
  expireEnabled: true,
  expireAfter: 120,
  expireWarn: 0,
};

/** What is to be known of a PDF before something is placed on it; as the API calls it. */
export type DocumentWarning =
  /** Certified: it may be filled in and signed (DocMDP, P: 2). */
  | "CERTIFIED_P2"
  /** Certified: it may be annotated, too (DocMDP, P: 3). */
  | "CERTIFIED_P3"
  /** Signed before, and PDF/UA, which it cannot stay when something is placed on it. */
  | "PDF_UA_CLAIM_DROPPED";

/** The lock of a certified file, on which nothing can be placed. */
export function lockOf(warnings: readonly DocumentWarning[]): string | undefined {
  if (warnings.includes("CERTIFIED_P2")) return "DocMDP, P: 2";
  return warnings.includes("CERTIFIED_P3") ? "DocMDP, P: 3" : undefined;
}
