import type { Mailer } from "./mail.ts";

/** How this process sends mails. */
export interface MailSetup {
  readonly mailer: Mailer;
  /** Where people open links, without a slash at the end. Throws while it is not known yet. */
  publicUrl(): string;
}
