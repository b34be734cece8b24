import { fillText, formMail, type WrittenMail } from "#platform/mail/form-mail.ts";
import type { MailKind } from "../domain/mail.ts";
import type { User } from "../domain/user.ts";
import type { MailDetails } from "../store/mail-job-store.ts";
import { type AccountMailTexts, accountMailLanguage } from "./texts.ts";

export interface AccountMailContent {
  readonly kind: MailKind;
  readonly user: Pick<User, "name" | "locale" | "timeZone">;
  readonly organizationName: string;
  /** Empty for a mail without one. */
  readonly link: string;
  readonly details: MailDetails;
  /** When what it tells of happened. */
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Writes a mail in the user's language, or in English. */
export function writeAccountMail(content: AccountMailContent): WrittenMail {
  const { kind, user, details, link } = content;
  const { tag, texts } = accountMailLanguage(user.locale);
  const format = new Intl.DateTimeFormat(tag, {
    ...{ dateStyle: "long", timeStyle: "short", timeZone: user.timeZone || "UTC" },
  });
  const date = format.format(kind === "endpoint-disabled" ? content.createdAt : content.expiresAt);
  const endpoint = details.host || details.endpointId || "";
  const values = { name: user.name, organization: content.organizationName, date, endpoint };
  const { subject, paragraphs, action } = draft(kind, texts, details);
  return formMail({
    ...{ tag, action, link, subject: fillText(subject, values) },
    paragraphs: [texts.greeting, ...paragraphs].map((text) => fillText(text, values)),
  });
}

function draft(kind: MailKind, texts: AccountMailTexts, { reason }: MailDetails) {
  const { expires, private: personal } = texts;
  if (kind === "lockout") {
    return { subject: texts.lockoutSubject, paragraphs: [texts.lockoutText, texts.lockoutUnasked], action: "" };
  }
  if (kind === "endpoint-disabled") {
    const text = reason === "GONE" ? texts.endpointGoneText : texts.endpointFailingText;
    const paragraphs = [text, texts.endpointAdvice, texts.endpointWhy];
    return { subject: texts.endpointSubject, paragraphs, action: texts.endpointAction };
  }
  if (kind === "invitation") {
    const paragraphs = [texts.invitationText, expires, personal];
    return { subject: texts.invitationSubject, paragraphs, action: texts.invitationAction };
  }
  const paragraphs = [texts.resetText, expires, texts.resetUnasked, personal];
  return { subject: texts.resetSubject, paragraphs, action: texts.resetAction };
}
