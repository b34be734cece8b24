import type { Socket } from "node:net";
import { createTransport } from "nodemailer";
import {
  ConfigError,
  type Environment,
  type FreshText,
  freshText,
  type Setting,
  type SettingValues,
  stringSetting,
  textNow,
  urlSetting,
} from "../config.ts";
import { type Egress, egressOf, egressSettings } from "../net/egress-proxy.ts";
import { OutboundFailure } from "../net/outbound-failure.ts";
import { visibleText } from "../visible-text.ts";
import { type Mail, type Mailer, MailNotTakenError, MailRefusedError, type MailSender } from "./mail.ts";

/** The server that mails go through. */
export interface MailServer {
  readonly url: FreshText;
  /** The sender of all mails: `Name <address>` or an address. */
  readonly from: string;
  /** Where people open links, without a slash at the end. */
  readonly publicUrl: string;
  /** The proxy of the operator's network; absent: directly. */
  readonly egress?: Egress | undefined;
}

const smtpSetting: Setting<string> = {
  ...urlSetting(
    "The mail server: smtp://user:password@host:587, or smtps:// for TLS from the first byte on. Empty sends no mails; embedded signing goes on as ever. A file (SMTP_URL_FILE) is read again with each mail.",
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

export const mailSettings = {
  SMTP_URL: smtpSetting,
  MAIL_FROM: fromSetting,
  PUBLIC_URL: publicUrlSetting,
  ...egressSettings,
};

/** Undefined when no mails are sent. Throws a ConfigError when only a part is set. */
export function mailServerOf(
  values: SettingValues<typeof mailSettings>,
  env: Environment = {},
): MailServer | undefined {
  const { SMTP_URL: url, MAIL_FROM: from, PUBLIC_URL: publicUrl } = values;
  if (url === "") return undefined;
  const missing = [...(from === "" ? ["MAIL_FROM"] : []), ...(publicUrl === "" ? ["PUBLIC_URL"] : [])];
  if (missing.length > 0) throw new ConfigError(missing.map((name) => `${name} is required when SMTP_URL is set`));
  const fresh = freshText("SMTP_URL", env, { parse: smtpSetting.parse, first: url });
  return { url: fresh, from, publicUrl, egress: egressOf(values, env) };
}

/** How this process sends mails. */
export interface MailSetup {
  readonly mailer: Mailer;
  /** Where people open links, without a slash at the end. Throws while it is not known yet. */
  publicUrl(): string;
}

/** How long a server may be silent before the mail is put off. */
const silenceMs = 20_000;
/** How long a mail may take in all, with its wait for others; less than the leases of those who send. */
const deadlineMs = 90_000;

/** Hands mails over to a server: `smtp://user:password@host:587`, or `smtps://…` for TLS from the first byte on. */
export function createSmtpMailer(options: Pick<MailServer, "url" | "from" | "egress">): Mailer {
  let url = textNow(options.url);
  let transport = connectTo(url, options.egress);
  const transportNow = (): typeof transport => {
    const next = textNow(options.url);
    if (next === url) return transport;
    // What is being sent comes to its end.
    transport.close();
    url = next;
    transport = connectTo(url, options.egress);
    return transport;
  };
  return {
    send: async (mail) => {
      await transportNow()
        .sendMail({ ...messageOf(options.from, mail), signal: AbortSignal.timeout(deadlineMs) })
        .catch((error: unknown) => {
          const reason = reasonOf(error);
          if (isRefusal(error)) throw new MailRefusedError(reason, /\b[45]\d\d(?: [245]\.[\d.]+)?$/.exec(reason)?.[0]);
          if (isNotTaken(error)) throw new MailNotTakenError(`the server has not taken the mail: ${reason}`);
          throw new Error(`it is not known whether the server has taken the mail: ${reason}`);
        });
    },
    close: async () => transport.close(),
  };
}

const connectTo = (url: string, egress: Egress | undefined) =>
  createTransport({
    url,
    ...(egress === undefined ? {} : { getSocket: socketThrough(egress) }),
    pool: true,
    maxConnections: 2,
    connectionTimeout: silenceMs,
    greetingTimeout: silenceMs,
    socketTimeout: silenceMs,
    // Texts and addresses come from callers: a mail is never made of files or of what stands at an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });

/** For nodemailer: a connection that the proxy has made, or none, so that it makes one itself. */
export const socketThrough =
  (egress: Egress) =>
  (
    {
      host = "",
      port,
      secure = false,
    }: {
      readonly host?: string | undefined;
      readonly port?: number | string | undefined;
      readonly secure?: boolean | undefined;
    },
    done: (error: Error | null, socket: { readonly connection: Socket } | false) => void,
  ): void => {
    const to = { host, port: Number(port) || (secure ? 465 : 587) };
    const connected = egress.isDirect(to)
      ? Promise.resolve(false as const)
      : egress.connect(to, { timeoutMs: silenceMs });
    connected.then(
      (connection) => done(null, connection && { connection }),
      (error: Error) => done(error, false),
    );
  };

const messageOf = (from: string, mail: Mail) => ({
  ...(mail.sender === undefined ? { from: senderOf(from, mail.fromName ?? "") } : signedFrom(from, mail, mail.sender)),
  to: mailboxOf(mail.to),
  ...(mail.replyTo === undefined ? {} : { replyTo: mailboxOf(mail.replyTo) }),
  subject: oneLine(mail.subject),
  text: mail.text,
  html: mail.html,
  messageId: mail.messageId,
  attachments: (mail.attachments ?? []).map(({ fileName, mediaType, content, contentId }) => ({
    filename: fileName,
    contentType: mediaType,
    content: Buffer.from(content),
    ...(contentId === undefined ? {} : { cid: contentId, contentDisposition: "inline" as const }),
  })),
  headers: {
    // RFC 3834: nobody's absence note is an answer to this.
    "Auto-Submitted": "auto-generated",
    ...(mail.unsubscribeUrl === undefined ? {} : unsubscribing(mail.unsubscribeUrl)),
    ...(mail.reportToken === undefined ? {} : reporting(mail.reportToken)),
  },
});

const mailboxOf = ({ name, address }: Mail["to"]) => ({ name: oneLine(visibleText(name)), address: oneLine(address) });

const senderOf = (from: string, name: string) =>
  name === "" ? from : { name: oneLine(visibleText(name)), address: addressIn(from) };

const addressIn = (from: string): string => /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from;

/** A mail of another domain: the signature is what its receivers find it by (DMARC, RFC 7489). */
const signedFrom = (
  from: string,
  { fromName = "", to }: Mail,
  { address, domain, selector, privateKey }: MailSender,
) => ({
  from: { name: oneLine(visibleText(fromName)), address },
  envelope: { from: addressIn(from), to: oneLine(to.address) },
  dkim: { domainName: domain, keySelector: selector, privateKey },
});

/** RFC 2369 and, for one click, RFC 8058. */
const unsubscribing = (url: string) => ({
  "List-Unsubscribe": `<${url}>`,
  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
});

/** In what mail servers return of a mail, and in the metadata of Postmark. */
const reporting = (token: string) => ({ "X-Assent-Report": token, "X-PM-Metadata-assent": token });

/**
 * Nothing that a caller gave may begin another header, or read as another text than was given: what looks like the
 * beginning of an encoded word (RFC 2047) is parted by a character that takes no room, and so encoded itself.
 */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").replaceAll("=?", "=\u2060?");

/** What a log may have of an error: a server's answer often has the address, so only its codes (RFC 3463) are told. */
function reasonOf(error: unknown): string {
  const { code, command, responseCode, response, message } = Object(error) as Readonly<Record<string, unknown>>;
  if (response === undefined && typeof message === "string" && !message.includes("@")) return message;
  const [, enhanced] = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(String(response)) ?? [];
  const step = /^[A-Z ]+$/.exec(String(command))?.[0];
  return [code, step, responseCode, enhanced].filter((part) => part !== undefined).join(" ");
}

/**
 * The server will not have this mail, to that mailbox or as it is (RFC 5321 §4.2.1). What it says to our login or about
 * our address may change, as our settings do.
 */
function isRefusal(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { command, responseCode } = error as Error & { readonly command?: unknown; readonly responseCode?: unknown };
  const isAboutMail = command === "RCPT TO" || command === "DATA";
  return isAboutMail && typeof responseCode === "number" && responseCode >= 500;
}

/** The server has said no, or was never reached. A connection that breaks may have done so after the mail was taken. */
function isNotTaken(error: unknown): boolean {
  const { syscall, responseCode } = Object(error) as { readonly syscall?: unknown; readonly responseCode?: unknown };
  if (error instanceof OutboundFailure) return true;
  return typeof responseCode === "number" || syscall === "connect" || syscall === "getaddrinfo";
}
