import { createTransport } from "nodemailer";
import { visibleText } from "../visible-text.ts";
import { type Mail, type Mailer, MailNotTakenError, MailRefusedError } from "./mail.ts";

/** How long a server may be silent before the mail is put off. */
const silenceMs = 20_000;

/** Hands mails over to a server: `smtp://user:password@host:587`, or `smtps://…` for TLS from the first byte on. */
export function createSmtpMailer(options: { readonly url: string; readonly from: string }): Mailer {
  const transport = createTransport({
    url: options.url,
    pool: true,
    maxConnections: 2,
    connectionTimeout: silenceMs,
    greetingTimeout: silenceMs,
    socketTimeout: silenceMs,
    // Texts and addresses come from callers: a mail is never made of files or of what stands at an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (mail) => {
      await transport.sendMail(messageOf(options.from, mail)).catch((error: unknown) => {
        if (isRefusal(error)) throw new MailRefusedError(error.message, { cause: error });
        if (isNotTaken(error)) throw new MailNotTakenError("the server has not taken the mail", { cause: error });
        throw error;
      });
    },
    close: async () => transport.close(),
  };
}

const messageOf = (from: string, { to, subject, text, html, messageId }: Mail) => ({
  from,
  to: { name: oneLine(visibleText(to.name)), address: oneLine(to.address) },
  subject: oneLine(subject),
  text,
  html,
  messageId,
  // RFC 3834: nobody's absence note is an answer to this.
  headers: { "Auto-Submitted": "auto-generated" },
});

/**
 * Nothing that a caller gave may begin another header, or read as another text than was given: what looks like the
 * beginning of an encoded word (RFC 2047) is parted by a character that takes no room, and so encoded itself.
 */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").replaceAll("=?", "=\u2060?");

/** The server knows no such mailbox. What it says to our login or to the content may change, and so may our settings. */
function isRefusal(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { command, responseCode } = error as Error & { readonly command?: unknown; readonly responseCode?: unknown };
  return command === "RCPT TO" && typeof responseCode === "number" && responseCode >= 500;
}

/** The server has said no, or was never reached. A connection that breaks may have done so after the mail was taken. */
function isNotTaken(error: unknown): boolean {
  const { syscall, responseCode } = Object(error) as { readonly syscall?: unknown; readonly responseCode?: unknown };
  return typeof responseCode === "number" || syscall === "connect" || syscall === "getaddrinfo";
}
