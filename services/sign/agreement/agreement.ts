import type { Tab } from "./tab.ts";
import type { Workflow } from "./workflow.ts";

/** The status of an agreement. A template always has the status `template`. */
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

/** An agreement or a template as stored. Values are immutable: operations return new ones. */
export interface Agreement {
  readonly id: string;
  readonly status: AgreementStatus;
  /** Incremented by every change; the store only overwrites the version that was read. */
  readonly version: number;
  readonly emailSubject: string;
  readonly emailBlurb: string;
  /** In display order. */
  readonly documents: readonly AgreementDocument[];
  /** In the order of the request. */
  readonly recipients: readonly Recipient[];
  readonly customFields: readonly CustomField[];
  readonly notification: Notification;
  readonly metadata: JsonObject | null;
  readonly transactionId: string;
  /** Where to send the events of this agreement, in the integration's own format. */
  readonly subscription: JsonObject | null;
  /** Templates only; empty for agreements. */
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
  /** Also set when the agreement expired. */
  readonly voidedAt: Date | null;
  readonly voidedReason: string;
  readonly expiresAt: Date | null;
  /** When the next reminder is due. */
  readonly remindAt: Date | null;
  /** 0 when no recipient's turn has come. */
  readonly currentRoutingOrder: number;
  readonly audit: AuditHead;
  /** The sealed certificate of completion; null until the agreement is completed, like sealLevel. */
  readonly certificate: SealedFile | null;
  /** The lowest level that all seals of the agreement reached. */
  readonly sealLevel: SealLevel | null;
  /** UUID of the template that it was made from, the first of several; absent or null without one. */
  readonly templateId?: string | null;
  /** UUID of the brand that it has chosen, which may be gone; absent or null for the default one of the organization. */
  readonly brandId?: string | null;
  /** Absent or null while nobody has asked for its files to be deleted. */
  readonly purge?: Purge | null;
  /** Absent or null when it is sent at once and goes on without a pause. */
  readonly workflow?: Workflow | null;
  /** Absent or null while nobody has locked it; one whose time is over counts as none. */
  readonly editLock?: EditLock | null;
}

/** While a sender prepares a change, nobody signs, and nobody else changes anything. */
export interface EditLock {
  readonly token: string;
  /** ISO 8601. */
  readonly until: string;
  readonly seconds: number;
  /** What the application calls itself. */
  readonly app: string;
  /** The API key, client or user that has made it. */
  readonly by: string;
}

/** Before its time is over, somebody wants the files of an agreement deleted; the times are ISO 8601. */
export interface Purge {
  readonly state:
    | "documents_queued"
    | "documents_and_metadata_queued"
    | "documents_dequeued"
    | "documents_purged"
    | "documents_and_metadata_purged";
  readonly requestedAt: string;
  readonly purgedAt: string | null;
}

/** A file of an agreement. */
export interface StoredFile {
  /** UUID; the owner of the bytes in the blob store. */
  readonly id: string;
  /** Hash of the file in clear. */
  readonly sha256: Buffer;
}

/** A file that carries a seal of this installation. */
export type SealedFile = StoredFile;

/** PAdES B-B, or B-T with a timestamp token. */
export type SealLevel = "B-B" | "B-T";

/** Any JSON object. */
export type JsonObject = { readonly [key: string]: unknown };

/** The last link of the audit chain. */
export interface AuditHead {
  readonly count: number;
  /** 32 zero bytes before the first event. */
  readonly hash: Buffer;
}

/** The sender on whose behalf the agreement is sent. */
export interface Sender {
  /** The API key or client. */
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

export interface AgreementDocument {
  /** UUID; the key of the bytes in the blob store. Replacing the document changes it. */
  readonly id: string;
  /** The integration's id. */
  readonly documentId: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: Buffer;
  /** Hash of the file as it was sent; null for documents stored before this was recorded. */
  readonly sentSha256: Buffer | null;
  readonly pages: readonly PageSize[];
  /** Whether the PDF already carried signatures when it was uploaded. */
  readonly isSigned: boolean;
  readonly warnings: readonly DocumentWarning[];
  /** UUID of the sealed file once it exists; the key of its bytes in the blob store. */
  readonly sealedId: string | null;
  readonly sealedSha256: Buffer | null;
  /**
   * UUID of the file as it was sent, when it was converted to a PDF; the key of its bytes in the blob store. Null for PDFs,
   * and for documents stored before this was kept.
   */
  readonly originalId: string | null;
  /** As in the name of a file: docx. */
  readonly originalFormat: string | null;
}

/** Points (1/72 inch), after the page's rotation. */
export interface PageSize {
  readonly width: number;
  readonly height: number;
}

export interface Recipient {
  /** UUID. */
  readonly id: string;
  /** The integration's id. */
  readonly recipientId: string;
  readonly role: RecipientRole;
  /** Name and e-mail may be empty in drafts and templates. */
  readonly name: string;
  readonly email: string;
  /** Set for embedded recipients; empty for those who sign from the e-mail. */
  readonly clientUserId: string;
  readonly roleName: string;
  readonly routingOrder: number;
  readonly status: RecipientStatus;
  readonly note: string;
  readonly locale: string;
  /** Subject of the mails that ask this person to act; empty for the agreement's subject. */
  readonly emailSubject: string;
  readonly emailBlurb: string;
  readonly hostName: string;
  readonly hostEmail: string;
  readonly tabs: readonly Tab[];
  /** The documentIds of documents that are not shown to this person; absent or null for none. */
  readonly excludedDocuments?: readonly string[] | null;
  readonly sentAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly completedAt: Date | null;
  readonly declinedAt: Date | null;
  readonly declineReason: string;
  /** When a mail to them came back, and why; null and empty again once they have opened the agreement. */
  readonly deliveryFailedAt: Date | null;
  readonly deliveryFailedReason: string;
  /** When the recipient consented to electronic records. */
  readonly consentedAt: Date | null;
  /** The adopted signature and initials; null until adopted. */
  readonly signature: AdoptedSignature | null;
  readonly initials: AdoptedSignature | null;
  /** What they have to prove, each method at most once; absent or null for nothing. */
  readonly verification?: readonly Check[] | null;
}

export type CheckMethod = "access_code" | "email_code";

/** Something that a recipient proves to this installation, and how far that is; times are ISO 8601. */
export interface Check {
  /** UUID. Another one once the check is set anew: what was proved before proves nothing then. */
  readonly id: string;
  readonly method: CheckMethod;
  readonly before: "viewing" | "signing";
  /** Of email_code: where codes go; empty for the address of the recipient. */
  readonly email: string;
  /** Of access_code: as it comes; empty once its hash is stored. */
  readonly code: string;
  /** Of access_code: what is kept of it; null of others, and once it was erased. */
  readonly secret: KeptCode | null;
  /** Wrong answers since it was last passed or unlocked, and in all. */
  readonly failures: number;
  readonly failed: number;
  readonly lockedAt: string | null;
  readonly passedAt: string | null;
  /** Of email_code: the code that can be answered. */
  readonly sent: SentCode | null;
  /** When the last codes were sent. */
  readonly sentAt: readonly string[];
}

/** In Base64. */
export interface KeptCode {
  readonly scheme: string;
  readonly salt: string;
  readonly hash: string;
}

export interface SentCode {
  /** UUID, which the code follows from. */
  readonly challenge: string;
  /** SHA-256 of the link of the session that asked for it, in hex: it can be answered there only. */
  readonly session: string;
  readonly expiresAt: string;
}

/** Typed in a style, or drawn. */
export interface AdoptedSignature {
  readonly typed: string;
  readonly font: string;
  /** Base64 PNG, as it comes; empty when the signature was typed, or once the image is stored. */
  readonly drawnPng: string;
  /** The stored image; the hash in hex. */
  readonly drawn?: { readonly id: string; readonly sha256: string };
}

export const isDrawn = ({ drawnPng, drawn }: AdoptedSignature): boolean => drawnPng !== "" || drawn !== undefined;

export interface CustomField {
  /** Digits only. */
  readonly fieldId: string;
  readonly name: string;
  readonly value: string;
  readonly kind: "text" | "list";
  /** The choices of a list field. */
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

/** A warning about the PDF that matters before anything is placed on it; the values are those of the API. */
export type DocumentWarning =
  /** Certified, permitting form filling and signing (DocMDP, P: 2). */
  | "CERTIFIED_P2"
  /** Certified, permitting annotations too (DocMDP, P: 3). */
  | "CERTIFIED_P3"
  /** Signed before and claims PDF/UA, a claim it loses as soon as something is placed on it. */
  | "PDF_UA_CLAIM_DROPPED";

/** The DocMDP lock of a certified file; nothing can be placed on it. */
export function lockOf(warnings: readonly DocumentWarning[]): string | undefined {
  if (warnings.includes("CERTIFIED_P2")) return "DocMDP, P: 2";
  return warnings.includes("CERTIFIED_P3") ? "DocMDP, P: 3" : undefined;
}
