import type { Mail } from "#platform/mail/mail.ts";
import type { Agreement, Recipient, RecipientRole } from "../domain/agreement.ts";
import { asksToAct, type MailKind } from "../domain/mails.ts";
import { type MailContent, writeMail } from "./write-mail.ts";

/** The mail of this kind to a recipient, as things are now. The link is empty when there is nothing to open. */
export function mailTo(
  recipient: Recipient,
  agreement: Agreement,
  { kind, link, messageId }: { readonly kind: MailKind; readonly link: string; readonly messageId: string },
): Mail {
  const to = addressee(recipient, kind);
  const written = writeMail(contentOf(recipient, agreement, { kind, link, name: to.name }));
  return { to, messageId, ...written };
}

/** Whether the mail leads to the agreement. */
export const hasLink = (kind: MailKind): boolean => asksToAct(kind) || kind === "completed";

/** Who signs in person is asked through the host, and hears of the end under an address of their own when they have one. */
function addressee({ role, name, email, hostName, hostEmail }: Recipient, kind: MailKind): Mail["to"] {
  const isForHost = role === "in-person-signer" && (asksToAct(kind) || email === "");
  return isForHost ? { name: hostName || name, address: hostEmail } : { name, address: email };
}

function contentOf(
  recipient: Recipient,
  agreement: Agreement,
  { kind, link, name }: { readonly kind: MailKind; readonly link: string; readonly name: string },
): MailContent {
  const declined = agreement.recipients.find(({ status }) => status === "declined");
  return {
    kind,
    task: tasks[recipient.role],
    locale: recipient.locale,
    recipientName: name,
    senderName: agreement.sender.name,
    subject: (asksToAct(kind) && recipient.emailSubject) || agreement.emailSubject,
    blurb: [recipient.emailBlurb || agreement.emailBlurb, recipient.note]
      .filter((text) => text.trim() !== "")
      .join("\n\n"),
    link,
    expiresAt: agreement.expiresAt,
    signerName: recipient.name,
    actorName: declined?.name ?? "",
    declinedToApprove: declined?.role === "approver",
    reason: kind === "declined" ? (declined?.declineReason ?? "") : kind === "voided" ? agreement.voidedReason : "",
  };
}

const tasks: Readonly<Record<RecipientRole, MailContent["task"]>> = {
  signer: "sign",
  approver: "approve",
  "certified-delivery": "receive",
  "carbon-copy": "read",
  "in-person-signer": "host",
};
