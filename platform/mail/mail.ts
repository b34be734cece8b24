import { extensions } from "../db/address-pattern.ts";

/** A message to one person. */
export interface Mail {
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Stays the same when the same mail is sent again, so that mail servers may see that it is (RFC 5322 §3.6.4). */
  readonly messageId: string;
  readonly attachments?: readonly MailAttachment[];
  /** Shown in place of the name in MAIL_FROM; empty or absent for that. The address stays. */
  readonly fromName?: string | undefined;
  /** In place of the address in MAIL_FROM, which stays that of the envelope: reports on the mail come back there. */
  readonly sender?: MailSender | undefined;
  /** Where answers go; to MAIL_FROM when absent. */
  readonly replyTo?: Mail["to"] | undefined;
  /** Ends mails of this kind for the reader, by one POST (RFC 8058). None for mails that ask somebody to act. */
  readonly unsubscribeUrl?: string | undefined;
  /** By which a report on the mail says which one it was; absent for mails that nobody takes reports on. */
  readonly reportToken?: string | undefined;
}

/** An address of a domain that lets us send for it, with what its mails are signed with (DKIM, RFC 6376). */
export interface MailSender {
  readonly address: string;
  readonly domain: string;
  readonly selector: string;
  /** PEM. */
  readonly privateKey: string;
}

export interface MailAttachment {
  /** Without anything that ends a header. */
  readonly fileName: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
  /** By which the HTML shows it, `cid:…`; absent for files. */
  readonly contentId?: string | undefined;
}

/** The server will not take a mail for this person, now or later. */
export class MailRefusedError extends Error {
  /** What the server answered, such as `550 5.1.1`. */
  readonly codes: string;

  constructor(message: string, codes = "") {
    super(message);
    this.name = "MailRefusedError";
    this.codes = codes;
  }
}

/** The server certainly has not taken the mail: nobody has got it. It may be tried again. */
export class MailNotTakenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MailNotTakenError";
  }
}

export interface Mailer {
  /**
   * Resolves when a server has taken the mail over. Rejects with MailRefusedError when trying again is of no use, with
   * MailNotTakenError when nobody can have got it, and otherwise when that is not known.
   */
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}

/** Characters in all; what the columns and the proxy's clients are made for. */
const maxEmailLength = 100;
// RFC 5321 §4.5.3.1.1 and RFC 1035 §2.3.4.
const maxLocalLength = 64;
const maxLabelLength = 63;

/** Letters, digits and marks of every script, and the other characters of an atom (RFC 5322 §3.2.3, RFC 6531 §3.3). */
const atom = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+$/u;
const label = /^[\p{L}\p{M}\p{N}-]+$/u;
const digits = /^[0-9]+$/;

/**
 * Whether mail can be sent to an address: a local part of atoms with dots between them, and a domain of at least two
 * labels. Quoted local parts, comments and addresses of machines are refused: nobody is called that. Takes time that
 * grows with the length of the text only.
 */
export function isEmailAddress(text: string): boolean {
  if (text.length > maxEmailLength) return false;
  const at = text.indexOf("@");
  return at > 0 && isLocalPart(text.slice(0, at)) && isDomain(text.slice(at + 1));
}

const isLocalPart = (text: string): boolean =>
  text.length <= maxLocalLength && text.split(".").every((part) => atom.test(part));

function isDomain(text: string): boolean {
  const labels = text.split(".");
  const last = labels.at(-1) ?? "";
  return labels.length >= 2 && labels.every(isLabel) && !digits.test(last);
}

const isLabel = (text: string): boolean =>
  text.length <= maxLabelLength && label.test(text) && !text.startsWith("-") && !text.endsWith("-");

const fileEnding = new RegExp(`[.]${extensions}$`, "iu");

/** Whatever looks like an e-mail address in a text, which may be JSON or have parts of URLs. Rather too many than too few. */
export function addressesIn(text: string): string[] {
  const found = new Set<string>();
  for (const { 0: match, index } of text.matchAll(/[^\s"'`<>()[\]{},;:\\/=&?|]+@[^\s"'`<>()[\]{},;:\\/=&?|@]+/gu)) {
    const address = match.replace(/[.!_-]+$/u, "");
    found.add(address);
    found.add(address.replace(fileEnding, ""));
    // What escapes a character in JSON or a URL is no part of it.
    const prefix = text[index - 1] === "\\" ? /^(?:u[0-9a-f]{4}|[bfnrt])/iu : /^.*%[0-9a-f]{2}/iu;
    found.add(address.replace(prefix, "").replace(fileEnding, ""));
    found.add(address.replace(prefix, ""));
  }
  return [...found].filter((one) => /^[^@]+@/u.test(one));
}
