import { fillText, formMail, type WrittenMail } from "#platform/mail/form-mail.ts";
import type { User } from "../domain/user.ts";
import type { MailKind } from "../store/mail-job-store.ts";
import { type AccountMailTexts, accountMailLanguage } from "./texts.ts";

export interface AccountMailContent {
  readonly kind: MailKind;
  readonly user: Pick<User, "name" | "locale" | "timeZone">;
  readonly organizationName: string;
  /** Empty for a mail without one. */
  readonly link: string;
  readonly expiresAt: Date;
}

/** Writes a mail in the user's language, or in English. */
export function writeAccountMail(content: AccountMailContent): WrittenMail {
  const { tag, texts } = accountMailLanguage(content.user.locale);
  const date = new Intl.DateTimeFormat(tag, {
    ...{ dateStyle: "long", timeStyle: "short", timeZone: content.user.timeZone || "UTC" },
  }).format(content.expiresAt);
  const values = { name: content.user.name, organization: content.organizationName, date };
  const { subject, paragraphs, action } = draft(content.kind, texts);
  return formMail({
    ...{ tag, action, link: content.link, subject: fillText(subject, values) },
    paragraphs: [texts.greeting, ...paragraphs].map((text) => fillText(text, values)),
  });
}

function draft(kind: MailKind, texts: AccountMailTexts) {
  const { expires, private: personal } = texts;
  if (kind === "lockout") {
    return { subject: texts.lockoutSubject, paragraphs: [texts.lockoutText, texts.lockoutUnasked], action: "" };
  }
  if (kind === "invitation") {
    const paragraphs = [texts.invitationText, expires, personal];
    return { subject: texts.invitationSubject, paragraphs, action: texts.invitationAction };
  }
  const paragraphs = [texts.resetText, expires, texts.resetUnasked, personal];
  return { subject: texts.resetSubject, paragraphs, action: texts.resetAction };
}
