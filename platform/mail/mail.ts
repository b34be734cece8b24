import { extensions } from "../db/address-pattern.ts";
import { escapeHtml } from "../escape-html.ts";
import { visibleText } from "../visible-text.ts";

/** A message to one person. */
export interface Mail {
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Stays the same when the same mail is sent again, so that mail servers may see that it is (RFC 5322 §3.6.4). */
  readonly messageId: string;
  readonly attachments?: readonly MailAttachment[];
}

export interface MailAttachment {
  /** Ours, never a caller's. */
  readonly fileName: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** The server will not take a mail for this person, now or later. */
export class MailRefusedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MailRefusedError";
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

export interface WrittenMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface InLanguage<Texts> {
  /** BCP 47. */
  readonly tag: string;
  readonly texts: Texts;
}

/** Finds the texts for a language tag; English ones when there are none for its language. */
export function inLanguages<Texts>(
  all: { readonly en: Texts } & Readonly<Record<string, Texts>>,
): (tag: string) => InLanguage<Texts> {
  const languageOf = (tag: string) => tag.toLowerCase().split("-")[0] ?? "";
  const known = new Map(Object.entries<Texts>(all).map(([tag, texts]) => [languageOf(tag), { tag, texts }]));
  return (tag) => known.get(languageOf(tag)) ?? { tag: "en", texts: all.en };
}

/** Gives a mail its form twice: as text, and as HTML without pictures, scripts or anything that is loaded. */
export function formMail(mail: {
  /** The language of the texts, BCP 47. */
  readonly tag: string;
  readonly subject: string;
  /** The greeting, what it is about, and after the link the rest. */
  readonly paragraphs: readonly string[];
  /** What the link is called. */
  readonly action: string;
  /** Empty when there is nothing to open. */
  readonly link: string;
}): WrittenMail {
  const { tag, action } = mail;
  const paragraphs = mail.paragraphs.map(visibleText);
  const link = mail.link === "" ? [] : [`${action}:\n${mail.link}`];
  return {
    subject: oneLine(visibleText(mail.subject)),
    text: `${[...paragraphs.slice(0, 2), ...link, ...paragraphs.slice(2)].join("\n\n")}\n`,
    html: htmlOf(tag, paragraphs, action, mail.link),
  };
}

/** One pass, so that braces in a value stay what they are. */
export const fillText = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

/** Nothing that a caller gave may begin another header. */
const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, " ").slice(0, 250);

function htmlOf(tag: string, paragraphs: readonly string[], action: string, link: string): string {
  const said = paragraphs.map((text) => `<p style="margin:0 0 16px">${escapeHtml(text).replaceAll("\n", "<br>")}</p>`);
  const button = `<p style="margin:24px 0"><a href="${escapeHtml(link)}" style="background:#1d4ed8;color:#ffffff;padding:12px 20px;border-radius:8px;text-decoration:none;font-weight:bold;display:inline-block">${escapeHtml(action)}</a></p>`;
  const body = [...said.slice(0, 2), ...(link === "" ? [] : [button]), ...said.slice(2)].join("\n");
  return `<!doctype html>
<html lang="${tag}">
<head><meta charset="utf-8"><title>${escapeHtml(paragraphs[1] ?? "")}</title></head>
<body style="margin:0;background:#eef0f5">
<div style="max-width:560px;margin:24px auto;padding:24px;background:#ffffff;border-radius:12px;font-family:Arial,Helvetica,sans-serif;font-size:16px;line-height:1.5;color:#1b1f29;overflow-wrap:anywhere">
${body}
</div>
</body>
</html>
`;
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
