import type { Agreement, Recipient } from "#api/agreements.ts";

export type AgreementStatus = Agreement["status"];
export const agreementStatuses = [
  "created",
  "sent",
  "delivered",
  "completing",
  "completed",
  "declined",
  "voided",
  "expired",
] as const satisfies readonly AgreementStatus[];

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
