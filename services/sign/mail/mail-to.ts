import type { Mail, MailAttachment } from "#platform/mail/mail.ts";
import { formMail, inLanguages, type MailLook, plainLook, type WrittenMail } from "#platform/mail/mail-layout.ts";
import type { Agreement, Recipient, RecipientRole } from "../agreement/agreement.ts";
import { shownTo } from "../agreement/visibility.ts";
import { type Branded, type BrandText, textOf } from "../brands/brand.ts";
import { isShownLater } from "../identity/checks.ts";
import { asksToAct, type ChangedPart, type MailKind } from "../send/mails.ts";
import { en, type MailTexts } from "./texts/mail-texts.ts";
import { ar, he, it, nl, pl, ptPt, zh } from "./texts/more-translations.ts";
import { de, es, fr, ja, ptBr } from "./texts/translations.ts";

/**
 * The mail of this kind to a recipient, from the agreement's current state. The link is empty when there is
 * nothing to open.
 */
export function mailTo(
  recipient: Recipient,
  agreement: Agreement,
  { kind, link, messageId, branded, files, reportUrl, changes, code }: MailOccasion,
): Mail {
  const to = code === undefined ? addressee(recipient, kind) : { name: recipient.name, address: code.address };
  const isAttached = files === undefined ? undefined : files.length > 0;
  const content = contentOf(recipient, agreement, { kind, link, to, branded, reportUrl, changes });
  const written = writeMail({ ...content, isAttached, ...(code === undefined ? {} : { code: code.digits }) });
  return { to, messageId, ...written, attachments: [...(written.attachments ?? []), ...(files ?? [])] };
}

interface MailOccasion {
  readonly kind: MailKind;
  readonly link: string;
  readonly messageId: string;
  /** Absent for the look of the product. */
  readonly branded?: Branded | undefined;
  /** The sealed files, if the sender wants them to come with the mail; none where they are too large. */
  readonly files?: readonly MailAttachment[] | undefined;
  /** Absent for no link. */
  readonly reportUrl?: string | undefined;
  /** What a correction has changed for the reader; absent where nobody says. */
  readonly changes?: readonly ChangedPart[] | undefined;
  /** Of a mail that brings one, and where it goes. */
  readonly code?: { readonly digits: string; readonly address: string } | undefined;
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
  { kind, link, to, branded, reportUrl, changes }: Omit<MailOccasion, "messageId"> & { readonly to: Mail["to"] },
): MailContent {
  const declined = agreement.recipients.find(({ status }) => status === "declined");
  return {
    kind,
    task: tasks[recipient.role],
    locale: recipient.locale,
    recipientName: to.name,
    address: to.address,
    senderName: agreement.sender.name,
    // Nothing of the documents is known to anybody who has not proved yet who they are.
    documents: isShownLater(recipient) ? [] : shownTo(agreement, recipient).map(({ name }) => name),
    look: lookOf(agreement.sender.name, branded),
    words: branded && textOf(branded.brand, kind, recipient.locale),
    subject: (asksToAct(kind) && recipient.emailSubject) || agreement.emailSubject,
    blurb: [recipient.emailBlurb || agreement.emailBlurb, recipient.note]
      .filter((text) => text.trim() !== "")
      .join("\n\n"),
    link,
    ...{ reportUrl, changes },
    expiresAt: agreement.expiresAt,
    signerName: recipient.name,
    actorName: declined?.name ?? "",
    declinedToApprove: declined?.role === "approver",
    reason: kind === "declined" ? (declined?.declineReason ?? "") : kind === "voided" ? agreement.voidedReason : "",
  };
}

/** What a mail of a brand looks like: to nobody, about nothing, with its logo in the HTML and links that lead nowhere. */
export function sampleMail(
  branded: Branded,
  { kind, locale, senderName, reportUrl, now }: SampleOptions,
): Omit<WrittenMail, "attachments"> {
  const {
    attachments = [],
    html,
    ...written
  } = writeMail({
    ...{ kind, locale, task: "sign", senderName, recipientName: "Alex Example", address: "alex@example.com" },
    ...{ documents: ["Lease.pdf"], subject: "Lease agreement", blurb: "", signerName: "Alex Example" },
    look: lookOf(senderName, branded),
    words: textOf(branded.brand, kind, locale),
    ...{ link: hasLink(kind) ? "https://example.com/" : "", reportUrl },
    expiresAt: new Date(now.getTime() + 14 * 86_400_000),
    ...{ actorName: "Sam Sample", declinedToApprove: false },
    reason: kind === "declined" || kind === "voided" ? "Wrong price" : "",
  });
  const [logo] = attachments;
  const data = logo && `data:${logo.mediaType};base64,${Buffer.from(logo.content).toString("base64")}`;
  return { ...written, html: data === undefined ? html : html.replace(`cid:${logo?.contentId}`, data) };
}

interface SampleOptions extends Pick<MailContent, "kind" | "locale" | "senderName" | "reportUrl"> {
  readonly now: Date;
}

/** The head of a mail has room for this much. */
const logoRoom = { width: 220, height: 64 };

/** Who asks and what for stands in the mail itself: a brand changes neither. */
function lookOf(senderName: string, branded: Branded | undefined): MailLook {
  const plain = plainLook(senderName);
  if (branded === undefined) return plain;
  const { colors, footerText, senderName: fromName, replyTo, logo: image } = branded.brand;
  const name = fromName || senderName;
  const look: MailLook = {
    ...{ name, fromName, footer: footerText },
    accent: colors.button || plain.accent,
    onAccent: colors.buttonText || plain.onAccent,
    ...(replyTo === "" ? {} : { replyTo: { name, address: replyTo } }),
  };
  if (image === null || branded.logo === undefined) return look;
  const { contentType: mediaType, width, height } = image;
  const scale = Math.min(1, logoRoom.width / width, logoRoom.height / height);
  const shown = (pixels: number): number => Math.max(1, Math.round(pixels * scale));
  return { ...look, logo: { mediaType, content: branded.logo, width: shown(width), height: shown(height) } };
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
  /** Where the mail goes. */
  readonly address: string;
  readonly senderName: string;
  /** Their names. */
  readonly documents: readonly string[];
  readonly look: MailLook;
  /** What the brand says in a mail of this kind and language; absent for nothing. */
  readonly words?: Pick<BrandText, "subject" | "intro"> | undefined;
  readonly subject: string;
  /** The sender's own message; empty when there is none. */
  readonly blurb: string;
  /** Where the recipient acts or reads; empty when there is nothing left to see. */
  readonly link: string;
  /** Where the reader reports abuse, whatever the brand is; absent or empty for nowhere. */
  readonly reportUrl?: string | undefined;
  readonly expiresAt: Date | null;
  /** The person who signs with the host. */
  readonly signerName: string;
  /** Who declined, and why the agreement ended. */
  readonly actorName: string;
  /** Whether the person who declined was an approver. */
  readonly declinedToApprove: boolean;
  /** Whether the sealed files come with the mail; absent where nobody has asked for that. */
  readonly isAttached?: boolean | undefined;
  /** What a correction has changed for the reader; absent where nobody says. */
  readonly changes?: readonly ChangedPart[] | undefined;
  readonly reason: string;
  /** Of a mail that brings one. */
  readonly code?: string | undefined;
}

export const mailLanguages = {
  ...{ en, de, fr, es, it, "pt-BR": ptBr, "pt-PT": ptPt },
  ...{ nl, pl, ja, "zh-Hans": zh, ar, he },
};
const mailLanguage = inLanguages<MailTexts>(mailLanguages);

/** Composes a mail as text and as HTML without scripts or remote content. */
export function writeMail(content: MailContent): WrittenMail {
  const { tag, texts } = mailLanguage(content.locale);
  return formMail({ tag, link: content.link, look: content.look, ...draft(content, texts, tag) });
}

function draft(content: MailContent, texts: MailTexts, tag: string) {
  const { kind, task, expiresAt, reason } = content;
  const values = {
    name: kind === "declined" ? content.actorName : content.recipientName,
    reader: content.recipientName,
    address: content.address,
    sender: content.senderName,
    signer: content.signerName,
    subject: unasked(content.subject),
    blurb: content.blurb,
    documents: listed(content.documents),
    changes: (content.changes ?? []).map((part) => texts[changeTexts[part]]).join("\n"),
    reason,
    code: content.code ?? "",
    date: expiresAt === null ? "" : new Intl.DateTimeFormat(tag, dateFormat).format(expiresAt),
  };
  const isAsking = asksToAct(kind);
  const words = { subject: "", intro: "", ...content.words };
  const greeting = texts.greeting.replace("{name}", "{reader}");
  const said = [
    words.intro === "" ? greeting : `${greeting}\n\n${ofReader(words.intro)}`,
    newsOf(content, texts),
    reason === "" || isAsking ? "" : texts.reason,
  ];
  return {
    values,
    subject: ofReader(words.subject) || subjectOf(content, texts, values.subject),
    paragraphs: said.filter((paragraph) => paragraph !== ""),
    quote: isAsking && content.blurb !== "" ? { label: texts.messageFrom, text: "{blurb}" } : undefined,
    facts: factsOf(content, texts),
    action: isAsking ? texts[linkTexts[task].action] : texts.download,
    report: content.reportUrl ? { text: texts.reportAbuse, url: content.reportUrl } : undefined,
    notes: [isAsking && content.link !== "" ? texts[linkTexts[task].warning] : "", texts.why].filter(
      (note) => note !== "",
    ),
  };
}

/** A brand calls the reader by `{name}`, which in ours may be somebody else. */
const ofReader = (text: string): string => text.replaceAll("{name}", "{reader}");

function factsOf(content: MailContent, texts: MailTexts): [label: string, text: string][] {
  const { kind, documents, expiresAt, changes = [] } = content;
  if (kind === "code") return [[texts.code, "{code}"]];
  const changed: [string, string][] = changes.length === 0 ? [] : [[texts.whatChanged, "{changes}"]];
  if (!asksToAct(kind)) return changed;
  return [
    ...changed,
    [texts.from, "{sender}"],
    [texts.agreement, "{subject}"],
    ...(documents.length === 0 ? [] : ([[texts.documents, "{documents}"]] as [string, string][])),
    ...(expiresAt === null ? [] : ([[texts.until, "{date}"]] as [string, string][])),
  ];
}

const changeTexts = {
  ...{ subject: "changeOfSubject", message: "changeOfMessage", until: "changeOfEnd", people: "changeOfPeople" },
  ...{ order: "changeOfOrder", fields: "changeOfFields", language: "changeOfLanguage" },
} as const satisfies { readonly [part in ChangedPart]: keyof MailTexts };

const maxListed = 5;

const listed = (names: readonly string[]): string =>
  [...names.slice(0, maxListed), ...(names.length > maxListed ? [`+ ${names.length - maxListed}`] : [])].join("\n");

/** What comes before the colon. */
const askOf = (text: string): string | undefined => /^(.*?)\s*[:：]\s*\{subject\}$/.exec(text)?.[1];

/** That of the subjects of requests, in all languages. */
const asks = Object.values<MailTexts>(mailLanguages).flatMap((texts) =>
  [texts.invitationSubject, texts.approveSubject, texts.receiveSubject, texts.readSubject].flatMap(
    (text) => askOf(text) ?? [],
  ),
);
const asksWithColon = new RegExp(`^(?:(?:${asks.join("|")})\\s*[:：]\\s*)+(?=\\S)`, "iu");

/** Senders often put the request into the subject; the mail says it in its own words, once. */
export const unasked = (subject: string): string => subject.replace(asksWithColon, "");

/** A subject that asks in a sentence, such as “Please sign the lease”, stays as it is. */
function subjectOf({ kind, task }: MailContent, texts: MailTexts, subject: string): string {
  const ask = askOf(texts[`${topics[task].first}Subject`]);
  const isAsked = ask !== undefined && subject.toLowerCase().startsWith(ask.toLowerCase());
  if (isAsked && kind === "invitation") return "{subject}";
  if (isAsked && kind === "reminder") return texts.remindedSubject;
  if (kind === "code") return texts.codeSubject;
  if (kind === "corrected" || kind === "changed") return texts.correctedSubject;
  return texts[`${kind === "expiring" || kind === "removed" ? kind : topicOf(kind, task)}Subject`];
}

function newsOf({ kind, task, declinedToApprove, isAttached }: MailContent, texts: MailTexts): string {
  if (kind === "declined" && declinedToApprove) return texts.declinedToApproveText;
  if (kind === "changed" || kind === "removed" || kind === "code") return texts[`${kind}Text`];
  const text = texts[`${topicOf(kind, task)}Text`];
  if (isAttached !== undefined) return `${text}\n${isAttached ? texts.attachedText : texts.notAttachedText}`;
  if (kind === "corrected") return `${texts.correctedText}\n${text}`;
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

/** An expiry warning uses the reminder's text, and so does what asks to look again. */
function topicOf(kind: Exclude<MailKind, "changed" | "removed" | "code">, task: MailContent["task"]) {
  if (kind === "invitation") return topics[task].first;
  return kind === "reminder" || kind === "expiring" || kind === "corrected" ? topics[task].again : kind;
}

const linkTexts = {
  sign: { action: "open", warning: "personal" },
  approve: { action: "openToApprove", warning: "personalToApprove" },
  receive: { action: "download", warning: "private" },
  read: { action: "download", warning: "private" },
  host: { action: "open", warning: "private" },
} as const;
