import { DomainError } from "#platform/errors.ts";
import type { Agreement, Recipient } from "./agreement.ts";
import { invalidStatus, isOpen } from "./transitions.ts";

/** How an integration names the person whom a link is for. */
export interface ViewPerson {
  /** The recipientId or the UUID; empty: found by the other members. */
  readonly recipientId: string;
  readonly email: string;
  readonly userName: string;
  readonly clientUserId: string;
}

/**
 * The recipient whom a link is for. Throws RECIPIENT_NOT_FOUND, RECIPIENT_NOT_EMBEDDED, INVALID_ENVELOPE_STATUS and
 * RECIPIENT_NOT_IN_SEQUENCE, in this order. Those who have finished may look.
 */
export function requireViewRecipient(agreement: Agreement, person: ViewPerson): Recipient {
  const recipient = findPerson(agreement, person);
  if (!canBeViewed(agreement)) throw invalidStatus(agreement, "view");
  if (isOpen(agreement) && recipient.status === "created") throw new DomainError("RECIPIENT_NOT_IN_SEQUENCE");
  return recipient;
}

/** Whether a recipient may see it: it has been sent, and has not ended without being completed. */
export const canBeViewed = (agreement: Pick<Agreement, "status">): boolean =>
  isOpen(agreement) || agreement.status === "completing" || agreement.status === "completed";

function findPerson({ recipients }: Agreement, person: ViewPerson): Recipient {
  const named = recipients.filter((recipient) => isNamed(recipient, person));
  const { recipientId, clientUserId } = person;
  const embedded = named.filter((one) => one.clientUserId !== "" && isSaid(one, recipientId, clientUserId));
  // Of the entries of one person, that which waits for the person.
  const found = embedded.find(({ status }) => status === "sent" || status === "delivered") ?? embedded[0];
  if (found !== undefined) return found;
  if (named.some((one) => one.clientUserId === "")) throw new DomainError("RECIPIENT_NOT_EMBEDDED");
  throw new DomainError("RECIPIENT_NOT_FOUND");
}

/** With the recipient's own id the clientUserId may be left out; a wrong one is refused in any case. */
const isSaid = (recipient: Recipient, recipientId: string, clientUserId: string): boolean =>
  recipient.clientUserId === clientUserId || (recipientId !== "" && clientUserId === "");

function isNamed(recipient: Recipient, { recipientId, email, userName }: ViewPerson): boolean {
  if (recipientId !== "") return recipient.recipientId === recipientId || recipient.id === recipientId.toLowerCase();
  const isCalled = (itsName: string, itsEmail: string): boolean =>
    itsEmail !== "" && itsEmail.toLowerCase() === email.trim().toLowerCase() && itsName === userName.trim();
  if (isCalled(recipient.name, recipient.email)) return true;
  // Whoever asks for an in-person signer's link may name the host, on whose device it is opened.
  return recipient.role === "in-person-signer" && isCalled(recipient.hostName, recipient.hostEmail);
}
