import { createTransport } from "nodemailer";
import { ConfigError, type Setting, type SettingValues, stringSetting, urlSetting } from "../config.ts";
import { visibleText } from "../visible-text.ts";
import { type Mail, type Mailer, MailNotTakenError, MailRefusedError } from "./mail.ts";

/** The server that mails go through. */
export interface MailServer {
  readonly url: string;
  /** The sender of all mails: `Name <address>` or an address. */
  readonly from: string;
  /** Where people open links, without a slash at the end. */
  readonly publicUrl: string;
}

const smtpSetting: Setting<string> = {
  ...urlSetting(
    "The mail server: smtp://user:password@host:587, or smtps:// for TLS from the first byte on. Empty sends no mails; embedded signing goes on as ever.",
    "",
    { secret: true },
  ),
  parse: (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === "") {
      throw new Error("must be an smtp or smtps URL");
    }
    return text;
  },
};

const fromSetting: Setting<string> = {
  ...stringSetting("The sender of all mails, as Assent <sign@example.com>. Required with SMTP_URL.", ""),
  parse: (text) => {
    if (!text.includes("@") || /\p{Cc}/u.test(text)) throw new Error("must be an address, or a name and an <address>");
    return text;
  },
};

const publicUrlSetting: Setting<string> = {
  ...urlSetting(
    "Where people open the links in mails: https://sign.example.com, the same as the gateway's. Required with SMTP_URL.",
    "",
  ),
  parse: (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) throw new Error("must be an http or https URL");
    return text.replace(/\/+$/, "");
  },
};

export const mailSettings = { SMTP_URL: smtpSetting, MAIL_FROM: fromSetting, PUBLIC_URL: publicUrlSetting };

/** Undefined when no mails are sent. Throws a ConfigError when only a part is set. */
export function mailServerOf(values: SettingValues<typeof mailSettings>): MailServer | undefined {
  const { SMTP_URL: url, MAIL_FROM: from, PUBLIC_URL: publicUrl } = values;
  if (url === "") return undefined;
  const missing = [...(from === "" ? ["MAIL_FROM"] : []), ...(publicUrl === "" ? ["PUBLIC_URL"] : [])];
  if (missing.length > 0) throw new ConfigError(missing.map((name) => `${name} is required when SMTP_URL is set`));
  return { url, from, publicUrl };
}

/** How this process sends mails. */
export interface MailSetup {
  readonly mailer: Mailer;
  /** Where people open links, without a slash at the end. Throws while it is not known yet. */
  publicUrl(): string;
}

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
