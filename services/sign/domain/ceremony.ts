import type { Agreement, Recipient } from "./agreement.ts";

/**
 * What a recipient sees of an agreement: the own tabs and those that are shared; of the others who they are and how far
 * they are. What the integration keeps for itself is left out.
 */
export function seenByRecipient(agreement: Agreement, recipientId: string): Agreement {
  return {
    ...withoutPrivate(agreement),
    sender: { ...agreement.sender, id: "" },
    customFields: agreement.customFields.filter(({ show }) => show),
    recipients: agreement.recipients.map((recipient) =>
      recipient.id === recipientId ? { ...recipient, clientUserId: "" } : seenByOthers(recipient),
    ),
  };
}

/** What a person sees who sends it for the organization. */
export const seenBySender = (agreement: Agreement): Agreement => withoutPrivate(agreement);

const withoutPrivate = (agreement: Agreement): Agreement => ({
  ...agreement,
  metadata: null,
  subscription: null,
  transactionId: "",
});

const seenByOthers = (recipient: Recipient): Recipient => ({
  ...recipient,
  email: "",
  clientUserId: "",
  note: "",
  hostName: "",
  hostEmail: "",
  declineReason: "",
  tabs: recipient.tabs.filter(({ shared }) => shared),
});
