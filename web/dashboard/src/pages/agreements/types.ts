export const agreementStatuses = [
  "created",
  "sent",
  "delivered",
  "completing",
  "completed",
  "declined",
  "voided",
  "expired",
] as const;
export type AgreementStatus = (typeof agreementStatuses)[number];

export const dateFields = [
  "created",
  "sent",
  "delivered",
  "completed",
  "declined",
  "voided",
  "modified",
  "statusChanged",
] as const;

export interface Recipient {
  readonly recipientId: string;
  readonly recipientIdGuid: string;
  readonly name: string | null;
  readonly email: string | null;
  /** Set for those who sign in an application: nobody mails them. */
  readonly clientUserId: string | null;
  readonly hostName: string | null;
  readonly role: string;
  readonly roleName: string | null;
  readonly routingOrder: number;
  readonly status: "created" | "sent" | "delivered" | "completed" | "declined";
  readonly sentAt: string | null;
  readonly deliveredAt: string | null;
  readonly completedAt: string | null;
  readonly declinedAt: string | null;
  readonly declineReason: string | null;
}

/** By what they are asked to do. */
interface RecipientLists {
  readonly signers: readonly Recipient[];
  readonly carbonCopies: readonly Recipient[];
  readonly certifiedDeliveries: readonly Recipient[];
  readonly inPersonSigners: readonly Recipient[];
}

export interface AgreementDocument {
  readonly documentId: string;
  readonly name: string;
  readonly order: number;
  readonly pages: number;
  readonly bytes: number;
}

export interface Agreement {
  readonly id: string;
  readonly status: AgreementStatus;
  readonly emailSubject: string | null;
  readonly emailBlurb: string | null;
  readonly documents: readonly AgreementDocument[];
  readonly recipients: RecipientLists;
  readonly customFields: readonly { readonly fieldId: string; readonly name: string; readonly value: string }[];
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly sentAt: string | null;
  readonly deliveredAt: string | null;
  readonly completedAt: string | null;
  readonly declinedAt: string | null;
  readonly voidedAt: string | null;
  readonly voidedReason: string | null;
  readonly sealLevel: string | null;
}

export interface Attachment {
  readonly id: string;
  readonly recipientId: string;
  readonly fileName: string;
  readonly bytes: number;
  readonly createdAt: string;
}

export interface AuditEvent {
  readonly sequence: number;
  readonly occurredAt: string;
  readonly action: string;
  readonly source: string;
  readonly actor: { readonly id: string | null; readonly name: string | null; readonly email: string | null };
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly hash: string;
}

/** All of them, in the order in which they act. */
export const recipientsOf = ({ recipients }: Agreement): readonly Recipient[] =>
  [
    ...recipients.signers,
    ...recipients.inPersonSigners,
    ...recipients.certifiedDeliveries,
    ...recipients.carbonCopies,
  ].sort((one, other) => one.routingOrder - other.routingOrder);

/** Whether somebody may still act on it. */
export const isOpen = ({ status }: Agreement): boolean => status === "sent" || status === "delivered";

/** Whether it is the turn of this recipient. */
export const isActing = ({ status }: Recipient): boolean => status === "sent" || status === "delivered";
