import { DomainError } from "#platform/errors.ts";
import type { Agreement, Recipient } from "./agreement.ts";
import { invalidStatus, isOpen } from "./transitions.ts";

/** Whether the recipient has to act before the agreement can complete; carbon copies never have to. */
export const hasToAct = ({ role }: Pick<Recipient, "role">): boolean => role !== "carbon-copy";

/** Whether the recipient signs. */
export const signs = ({ role }: Pick<Recipient, "role">): boolean => role === "signer" || role === "in-person-signer";

/** Whether it is the recipient's turn to act. */
export const isActing = (recipient: Recipient): boolean =>
  hasToAct(recipient) && (recipient.status === "sent" || recipient.status === "delivered");

/** The recipient with this UUID. Throws RECIPIENT_NOT_FOUND. */
export function requireRecipient(agreement: Agreement, id: string): Recipient {
  const recipient = agreement.recipients.find((one) => one.id === id);
  if (recipient === undefined) throw new DomainError("RECIPIENT_NOT_FOUND");
  return recipient;
}

/**
 * The recipient with this UUID, whose turn it must be. Throws RECIPIENT_NOT_FOUND, RECIPIENT_ALREADY_SIGNED,
 * INVALID_ENVELOPE_STATUS or RECIPIENT_NOT_IN_SEQUENCE.
 */
export function requireTurn(agreement: Agreement, id: string): Recipient {
  const recipient = requireRecipient(agreement, id);
  if (recipient.status === "completed") throw new DomainError("RECIPIENT_ALREADY_SIGNED");
  if (!isOpen(agreement)) throw invalidStatus(agreement);
  if (!isActing(recipient)) throw new DomainError("RECIPIENT_NOT_IN_SEQUENCE");
  return recipient;
}

/** Replaces the recipient that has the same UUID. */
export const withRecipient = (agreement: Agreement, recipient: Recipient, now: Date): Agreement => ({
  ...agreement,
  modifiedAt: now,
  recipients: agreement.recipients.map((one) => (one.id === recipient.id ? recipient : one)),
});

/** The details that identify a recipient in the audit trail. */
export const auditNames = ({ id, recipientId, name, email, role }: Recipient) => ({
  recipientGuid: id,
  recipientId,
  name,
  email,
  role,
});
