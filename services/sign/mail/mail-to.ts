import type { Agreement, Recipient } from "../domain/agreement.ts";
import type { MailKind } from "../domain/mails.ts";
import { hasToAct } from "../domain/recipients.ts";
import type { Mail } from "./mail.ts";
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
export const hasLink = (kind: MailKind): boolean =>
  kind === "invitation" || kind === "reminder" || kind === "completed";

/** Who signs in person is asked through the host, and hears of the end under an address of their own when they have one. */
function addressee({ role, name, email, hostName, hostEmail }: Recipient, kind: MailKind): Mail["to"] {
  const isAsking = kind === "invitation" || kind === "reminder";
  if (role === "in-person-signer" && (isAsking || email === "")) return { name: hostName || name, address: hostEmail };
  return { name, address: email };
}

function contentOf(
  recipient: Recipient,
  agreement: Agreement,
  { kind, link, name }: { readonly kind: MailKind; readonly link: string; readonly name: string },
): MailContent {
  const declined = agreement.recipients.find(({ status }) => status === "declined");
  return {
    kind,
    task: taskOf(recipient),
    locale: recipient.locale,
    recipientName: name,
    senderName: agreement.sender.name,
    subject: agreement.emailSubject,
    blurb: [agreement.emailBlurb, recipient.note].filter((text) => text.trim() !== "").join("\n\n"),
    link,
    expiresAt: agreement.expiresAt,
    signerName: recipient.name,
    actorName: declined?.name ?? "",
    reason: kind === "declined" ? (declined?.declineReason ?? "") : kind === "voided" ? agreement.voidedReason : "",
  };
}

function taskOf(recipient: Recipient): MailContent["task"] {
  if (!hasToAct(recipient) || recipient.role === "certified-delivery") return "read";
  return recipient.role === "in-person-signer" ? "host" : "sign";
}
