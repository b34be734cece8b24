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
