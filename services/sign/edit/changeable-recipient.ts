import { DomainError } from "#platform/errors.ts";
import type { Agreement, Recipient } from "../agreement/agreement.ts";
import { requireModifiable } from "../agreement/modifiable.ts";

/** The recipient with this recipientId, else the one with this UUID. */
export function findRecipient({ recipients }: Pick<Agreement, "recipients">, id: string): Recipient | undefined {
  const uuid = id.toLowerCase();
  return (
    recipients.find(({ recipientId }) => recipientId === id) ?? recipients.find((recipient) => recipient.id === uuid)
  );
}

/**
 * The recipients with these recipientIds or UUIDs, which may be changed. Throws RECIPIENT_NOT_FOUND,
 * RECIPIENT_ALREADY_SIGNED and ENVELOPE_CANNOT_BE_MODIFIED, in this order.
 */
export function requireChangeableRecipients(agreement: Agreement, ids: readonly string[]): readonly Recipient[] {
  const recipients = ids.map((id) => {
    const recipient = findRecipient(agreement, id);
    if (recipient === undefined) throw new DomainError("RECIPIENT_NOT_FOUND");
    return recipient;
  });
  requireChangeable(agreement, recipients);
  return recipients;
}

/** Throws RECIPIENT_ALREADY_SIGNED and ENVELOPE_CANNOT_BE_MODIFIED, in this order. */
export function requireChangeable(agreement: Agreement, recipients: readonly Recipient[]): void {
  if (recipients.some(({ status }) => status === "completed")) throw new DomainError("RECIPIENT_ALREADY_SIGNED");
  requireModifiable(agreement);
}
