import type { IncomingMessage, ServerResponse } from "node:http";
import { type Environment, readSettings } from "#platform/config.ts";
import { mailServerOf, mailSettings } from "#platform/mail/mail-settings.ts";
import type { MailSetup } from "#platform/mail/mail-setup.ts";
import { createSmtpMailer } from "#platform/mail/smtp-mailer.ts";
import { createMailbox } from "./mailbox.ts";

/** How a copy on one machine sends mails: through the server of SMTP_URL, or into a mailbox that it shows. */
export interface LocalMail {
  readonly setup: MailSetup;
  readonly hasMailbox: boolean;
  /** False when the request is not for the mailbox. */
  handlePage(req: IncomingMessage, res: ServerResponse): boolean;
  /** From now on it is known where links lead; mails wait until then. */
  open(baseUrl: string): void;
}

/** Throws a ConfigError when only a part of the settings is there. */
export function openLocalMail(env: Environment): LocalMail {
  const values = readSettings(mailSettings, env);
  let publicUrl = values.PUBLIC_URL;
  // Links of a copy without a public address lead to itself.
  const server = mailServerOf({ ...values, PUBLIC_URL: publicUrl || "http://127.0.0.1" });
  const mailbox = createMailbox();
  return {
    setup: {
      mailer: server === undefined ? mailbox.mailer : createSmtpMailer(server),
      publicUrl: () => {
        if (publicUrl === "") throw new Error("the address of this copy is not known yet");
        return publicUrl;
      },
    },
    hasMailbox: server === undefined,
    handlePage: (req, res) => server === undefined && mailbox.handle(req, res),
    open: (baseUrl) => {
      publicUrl ||= baseUrl;
    },
  };
}
