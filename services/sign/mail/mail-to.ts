import { fillText as fill, formMail, inLanguages, type Mail, type WrittenMail } from "#platform/mail/mail.ts";
import type { Agreement, Recipient, RecipientRole } from "../agreement/agreement.ts";
import { asksToAct, type MailKind } from "../send/mails.ts";
import { en, type MailTexts } from "./texts/mail-texts.ts";
import { de, es, fr, ja, ptBr } from "./texts/translations.ts";

/**
 * The mail of this kind to a recipient, from the agreement's current state. The link is empty when there is
 * nothing to open.
 */
export function mailTo(
  recipient: Recipient,
  agreement: Agreement,
  { kind, link, messageId }: { readonly kind: MailKind; readonly link: string; readonly messageId: string },
): Mail {
  const to = addressee(recipient, kind);
  const written = writeMail(contentOf(recipient, agreement, { kind, link, name: to.name }));
  return { to, messageId, ...written };
}

/** Whether the mail contains a link to the agreement. */
export const hasLink = (kind: MailKind): boolean => asksToAct(kind) || kind === "completed";

/** An in-person signer is asked through the host, and is told of the end directly if an address is known. */
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

/** The content of a mail. */
export interface MailContent {
  readonly kind: MailKind;
  /** What the reader is asked to do; a host lets the signer sign. */
  readonly task: "sign" | "approve" | "receive" | "read" | "host";
  /** BCP 47; empty for the default. */
  readonly locale: string;
  readonly recipientName: string;
  readonly senderName: string;
  readonly subject: string;
  /** The sender's own message; empty when there is none. */
  readonly blurb: string;
  /** Where the recipient acts or reads; empty when there is nothing left to see. */
  readonly link: string;
  readonly expiresAt: Date | null;
  /** The person who signs with the host. */
  readonly signerName: string;
  /** Who declined, and why the agreement ended. */
  readonly actorName: string;
  /** Whether the person who declined was an approver. */
  readonly declinedToApprove: boolean;
  readonly reason: string;
}

const mailLanguage = inLanguages<MailTexts>({ en, de, fr, es, "pt-BR": ptBr, ja });

/** Composes a mail as text and as HTML without images, scripts or remote content. */
export function writeMail(content: MailContent): WrittenMail {
  const { tag, texts } = mailLanguage(content.locale);
  return formMail({ tag, link: content.link, ...draft(content, texts, tag) });
}

function draft(content: MailContent, texts: MailTexts, tag: string) {
  const { kind, task, link, expiresAt, reason } = content;
  const values = {
    name: kind === "declined" ? content.actorName : content.recipientName,
    sender: content.senderName,
    signer: content.signerName,
    subject: content.subject,
    reason,
    date: expiresAt === null ? "" : new Intl.DateTimeFormat(tag, dateFormat).format(expiresAt),
  };
  const isAsking = asksToAct(kind);
  const topic = topicOf(kind, task);
  const news = newsOf(content, texts);
  const said = [
    fill(texts.greeting, { ...values, name: content.recipientName }),
    fill(news, values),
    reason === "" || isAsking ? "" : fill(texts.reason, values),
    isAsking && content.blurb !== "" ? `${fill(texts.messageFrom, values)}\n${content.blurb}` : "",
    isAsking && kind !== "expiring" && expiresAt !== null ? fill(texts.expires, values) : "",
    isAsking && link !== "" ? texts[linkTexts[task].warning] : "",
  ];
  return {
    subject: subjectOf(texts[`${kind === "expiring" ? kind : topic}Subject`], values),
    paragraphs: said.filter((paragraph) => paragraph !== ""),
    action: isAsking ? texts[linkTexts[task].action] : texts.download,
  };
}

/** Senders often put the request into the subject; it is not repeated then. */
function subjectOf(text: string, values: Readonly<Record<string, string>> & { readonly subject: string }): string {
  const asked = /^(.*?)\s*[:：]\s*\{subject\}$/.exec(text)?.[1];
  const isAsked = asked !== undefined && values.subject.toLowerCase().startsWith(asked.toLowerCase());
  return isAsked ? values.subject : fill(text, values);
}

function newsOf({ kind, task, declinedToApprove }: MailContent, texts: MailTexts): string {
  if (kind === "declined" && declinedToApprove) return texts.declinedToApproveText;
  const text = texts[`${topicOf(kind, task)}Text`];
  return kind === "expiring" ? `${text}\n${texts.expiringText}` : text;
}

/** To the minute and with the time zone, because for the reader it may be the day before. */
const dateFormat: Intl.DateTimeFormatOptions = {
  ...{ year: "numeric", month: "long", day: "numeric", hour: "numeric", minute: "2-digit" },
  ...{ timeZone: "UTC", timeZoneName: "short" },
};

const topics = {
  sign: { first: "invitation", again: "reminder" },
  approve: { first: "approve", again: "approveReminder" },
  receive: { first: "receive", again: "receiveReminder" },
  // Carbon copies, which nobody waits for.
  read: { first: "read", again: "read" },
  host: { first: "host", again: "hostReminder" },
} as const;

/** An expiry warning uses the reminder's text. */
function topicOf(kind: MailKind, task: MailContent["task"]) {
  if (kind === "invitation") return topics[task].first;
  return kind === "reminder" || kind === "expiring" ? topics[task].again : kind;
}

const linkTexts = {
  sign: { action: "open", warning: "personal" },
  approve: { action: "openToApprove", warning: "personalToApprove" },
  receive: { action: "download", warning: "private" },
  read: { action: "download", warning: "private" },
  host: { action: "open", warning: "private" },
} as const;
