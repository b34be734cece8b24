import { fillText, formMail, plainLook, type WrittenMail } from "#platform/mail/mail-layout.ts";
import type { Agreement, Recipient } from "../agreement/agreement.ts";
import { isActing } from "../agreement/recipients.ts";
import { unasked } from "../mail/mail-to.ts";
import { type NoticeTexts, noticeLanguage } from "./notice-texts.ts";
import type { Notice } from "./notices.ts";
import type { NoticeReader } from "./readers.ts";

export interface News {
  readonly notice: Notice;
  /** As it is now. */
  readonly agreement: Agreement;
}

export interface NoticeContext {
  readonly reader: Pick<NoticeReader, "name" | "locale" | "timeZone">;
  readonly organizationName: string;
  /** Where people open links, without a slash at the end. */
  readonly baseUrl: string;
  readonly stopUrl: string;
}

/** A mail with one piece of news, in the reader's language and time zone. */
export function writeNotice(news: News, context: NoticeContext): WrittenMail {
  const { tag, texts } = noticeLanguage(context.reader.locale);
  const { notice, agreement } = news;
  const values = { ...valuesOf(news, context, tag), name: context.reader.name };
  const isUnreached = notice.notice === "undelivered";
  const paragraphs = [
    texts.greeting,
    texts.news[notice.notice],
    values.reason === "" ? "" : texts.reason,
    notice.notice === "expiring" && values.people !== "" ? texts.stillOpen : "",
    isUnreached ? texts.anotherAddress : "",
    notice.notice === "locked" ? texts.unlock : "",
  ];
  return formMail({
    ...{ tag, values, subject: `${texts.titles[notice.notice]}: {subject}`, action: texts.open },
    ...endOf(texts, context),
    paragraphs: paragraphs.filter((text) => text !== ""),
    link: `${context.baseUrl}/dashboard/agreements/${agreement.id}`,
  });
}

/** One mail with all that has happened, in its order. */
export function writeDigest(news: readonly News[], context: NoticeContext): WrittenMail {
  const { tag, texts } = noticeLanguage(context.reader.locale);
  const time = timesOf(tag, context.reader.timeZone, "short");
  const lines = news.map((one) => {
    const values = valuesOf(one, context, tag);
    const said = [texts.news[one.notice.notice], values.reason === "" ? "" : texts.reason].filter(
      (text) => text !== "",
    );
    return [time.format(new Date(one.notice.at)), said.map((text) => fillText(text, values)).join(" ")] as const;
  });
  const texted = lines.map(([at, line], index) => ({ [`at${index}`]: at, [`line${index}`]: line }));
  return formMail({
    ...{ tag, subject: texts.digestSubject, action: texts.digestOpen },
    ...endOf(texts, context),
    values: Object.assign(
      { name: context.reader.name, organization: context.organizationName, count: String(news.length) },
      ...texted,
    ),
    paragraphs: [texts.greeting, texts.digestText],
    facts: lines.map((_, index) => [`{at${index}}`, `{line${index}}`]),
    link: `${context.baseUrl}/dashboard/agreements`,
  });
}

const endOf = (texts: NoticeTexts, { organizationName, stopUrl }: NoticeContext) => ({
  look: plainLook(organizationName),
  notes: [texts.why],
  stop: { text: texts.stop, url: stopUrl },
});

function valuesOf({ notice, agreement }: News, { reader, organizationName }: NoticeContext, tag: string) {
  const recipient = agreement.recipients.find(({ id }) => id === notice.recipientId) ?? declinedIn(notice, agreement);
  const { expiresAt } = agreement;
  return {
    subject: unasked(agreement.emailSubject),
    organization: organizationName,
    person: recipient === undefined ? "–" : nameOf(recipient),
    people: agreement.recipients.filter(isActing).map(nameOf).join(", "),
    date: expiresAt === null ? "" : timesOf(tag, reader.timeZone, "long").format(expiresAt),
    reason: reasonOf(notice, recipient),
  };
}

const declinedIn = ({ notice }: Notice, { recipients }: Agreement): Recipient | undefined =>
  notice === "declined" ? recipients.find(({ status }) => status === "declined") : undefined;

const nameOf = ({ name, email, hostName }: Recipient): string => name || hostName || email || "–";

function reasonOf({ notice }: Notice, recipient: Recipient | undefined): string {
  if (notice === "declined") return recipient?.declineReason ?? "";
  return notice === "undelivered" ? (recipient?.deliveryFailedReason ?? "") : "";
}

const timesOf = (tag: string, timeZone: string, dateStyle: "long" | "short"): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(tag, { dateStyle, timeStyle: dateStyle, timeZone: timeZone || "UTC" });
