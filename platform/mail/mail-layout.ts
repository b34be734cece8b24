import { escapeHtml } from "../escape-html.ts";
import { directionOf, languageFor } from "../language.ts";
import { visibleText } from "../visible-text.ts";
import type { Mail, MailAttachment } from "./mail.ts";

/** Whose face a mail has: all that a mail shows of its sender stands here, and nothing of it in the texts. */
export interface MailLook {
  /** At the top, or what stands for the logo where pictures are not shown; empty for none. */
  readonly name: string;
  /** Sent along with the mail, so that nothing is loaded. */
  readonly logo?: MailLogo | undefined;
  /** Colours of the button and of what is written on it, `#rrggbb`. */
  readonly accent: string;
  readonly onAccent: string;
  /** Below everything, line by line; empty for none. */
  readonly footer: string;
  /** In place of the name in MAIL_FROM; empty for that. */
  readonly fromName: string;
  /** Where answers go; to MAIL_FROM when absent. */
  readonly replyTo?: Mail["to"] | undefined;
}

export interface MailLogo {
  readonly mediaType: "image/png" | "image/jpeg";
  readonly content: Uint8Array;
  /** As it is shown, in CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/** The look of a sender that has chosen none. */
export const plainLook = (name = ""): MailLook => ({
  ...{ name, accent: "#1d4ed8", onAccent: "#ffffff", footer: "", fromName: "" },
});

/** What a mail says and whom it is from; who sends it adds the address and the Message-ID. */
export type WrittenMail = Pick<Mail, "subject" | "text" | "html" | "attachments" | "fromName" | "replyTo">;

interface InLanguage<Texts> {
  /** BCP 47. */
  readonly tag: string;
  readonly texts: Texts;
}

/** Finds the texts for a language tag; English ones when there are none for its language. */
export function inLanguages<Texts>(
  all: { readonly en: Texts } & Readonly<Record<string, Texts>>,
): (tag: string) => InLanguage<Texts> {
  const tags = Object.keys(all);
  return (wanted) => {
    const tag = languageFor([wanted], tags) ?? "en";
    return { tag, texts: all[tag] ?? all.en };
  };
}

/** Texts with `{name}` for the values; a text that somebody gave is a value, so that its braces stay what they are. */
export interface MailParts {
  /** The language of the texts, BCP 47. */
  readonly tag: string;
  readonly look: MailLook;
  readonly values: Readonly<Record<string, string>>;
  readonly subject: string;
  /** The greeting, what it is about, and what else there is to say. */
  readonly paragraphs: readonly string[];
  /** What the sender says in their own words, below the second paragraph. */
  readonly quote?: { readonly label: string; readonly text: string } | undefined;
  /** Who, what, until when: a label and a text each. */
  readonly facts?: readonly (readonly [label: string, text: string])[];
  /** What the link is called. */
  readonly action: string;
  /** Empty when there is nothing to open. */
  readonly link: string;
  /** Small, at the end: why the reader gets the mail. */
  readonly notes?: readonly string[];
  /** Where the reader ends mails of this kind. */
  readonly stop?: MailLink | undefined;
  /** Where the reader reports that the mail is abuse. */
  readonly report?: MailLink | undefined;
}

interface MailLink {
  readonly text: string;
  readonly url: string;
}

/** Gives a mail its form twice: as text, and as HTML without scripts or anything that is loaded. */
export function formMail(parts: MailParts): WrittenMail {
  const { subject, look, values } = parts;
  const { logo, fromName, replyTo } = look;
  return {
    subject: oneLine(visibleText(fillText(subject, values))),
    text: textOf(parts),
    html: htmlOf(parts),
    ...(logo === undefined ? {} : { attachments: [logoFile(logo)] }),
    ...(fromName === "" ? {} : { fromName }),
    ...(replyTo === undefined ? {} : { replyTo }),
  };
}

/** One pass, so that braces in a value stay what they are. */
export const fillText = (
  text: string,
  values: Readonly<Record<string, string>>,
  shown = (value: string): string => value,
): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : shown(value);
  });

/** Nothing that a caller gave may begin another header. */
const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, " ").slice(0, 250);

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Isolates a value where two directions meet (UAX #9 §2.7), so that it does not turn its sentence around. */
function isolated(tag: string, value: string): string {
  const shown = visibleText(value);
  const meets = rightToLeft.test(shown) !== (directionOf(tag) === "rtl");
  return meets && !shown.includes("\n") ? `\u2068${shown}\u2069` : shown;
}

function textOf({
  tag,
  values,
  paragraphs,
  quote,
  facts = [],
  action,
  link,
  notes = [],
  stop,
  report,
  look,
}: MailParts): string {
  const said = (text: string): string => fillText(text, values, (value) => isolated(tag, value));
  const table = facts.map(([label, text]) => `${said(label)}: ${said(text)}`).join("\n");
  const parts = [
    ...paragraphs.slice(0, 2).map(said),
    quote === undefined ? "" : `${said(quote.label)}\n${said(quote.text)}`,
    table,
    link === "" ? "" : `${said(action)}:\n${link}`,
    ...paragraphs.slice(2).map(said),
    notes.length + look.footer.length === 0 ? "" : "--",
    ...notes.map(said),
    ...[stop, report].map((ending) => (ending === undefined ? "" : `${said(ending.text)}:\n${ending.url}`)),
    visibleText(look.footer),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/**
 * Styles stand in the elements, because some readers drop the sheet; the sheet has what cannot stand there, which is how
 * all of it looks on a dark screen. A table holds the width for readers that lay out as Word does.
 */
function htmlOf(parts: MailParts): string {
  const { tag, values, paragraphs, quote, facts = [], link, action, notes = [], stop, report, look } = parts;
  const said = (text: string): string =>
    fillText(escapeHtml(text), values, (value) => `<bdi>${lines(escapeHtml(visibleText(value)))}</bdi>`);
  const paragraph = (text: string): string => `<p style="margin:0 0 16px">${lines(said(text))}</p>`;
  const plain = (text: string): string => escapeHtml(visibleText(fillText(text, values)));
  const direction = directionOf(tag);
  const inner = [
    headOf(look),
    ...paragraphs.slice(0, 2).map(paragraph),
    quote === undefined ? "" : quoteOf(said(quote.label), said(quote.text)),
    facts.length === 0 ? "" : factsOf(facts.map(([label, text]) => [said(label), said(text)])),
    link === "" ? "" : buttonOf(look, link, said(action)),
    ...paragraphs.slice(2).map(paragraph),
  ];
  const endings = [stop, report].map((ending) =>
    ending === undefined
      ? ""
      : `<a class="m-quiet" href="${escapeHtml(ending.url)}" style="color:#555d6e">${said(ending.text)}</a>`,
  );
  const small = [...notes.map(said), ...endings, lines(escapeHtml(visibleText(look.footer)))].filter(
    (text) => text !== "",
  );
  return `<!doctype html>
<html lang="${tag}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${plain(parts.subject)}</title>
<style>${sheet}</style>
</head>
<body class="m-page" style="margin:0;padding:0;background:#eef0f5">
<div style="display:none;max-height:0;overflow:hidden">${plain(paragraphs[1] ?? "")}</div>
<div lang="${tag}" dir="${direction}" style="padding:24px 12px 32px">
<table role="presentation" align="center" width="100%" cellspacing="0" cellpadding="0" border="0" style="max-width:560px;margin:0 auto;font-family:Arial,Helvetica,sans-serif;font-size:16px;line-height:1.5">
<tr><td class="m-card" style="padding:28px 24px 12px;background:#ffffff;color:#1b1f29;border-radius:12px;text-align:start;overflow-wrap:anywhere;word-break:break-word">
${inner.filter((part) => part !== "").join("\n")}
</td></tr>
${small.map((text) => `<tr><td class="m-quiet" style="padding:12px 24px 0;color:#555d6e;font-size:13px;text-align:start;overflow-wrap:anywhere;word-break:break-word">${text}</td></tr>`).join("\n")}
</table>
</div>
</body>
</html>
`;
}

const lines = (html: string): string => html.replaceAll("\n", "<br>");

/** `[data-ogsc]` is what Outlook on the web sets on a dark screen. */
const dark = (prefix: string): string =>
  [
    `${prefix}.m-page{background:#111318!important}`,
    `${prefix}.m-card{background:#1c1f26!important;color:#e6e8ee!important}`,
    `${prefix}.m-quiet{color:#a3abba!important}`,
    `${prefix}.m-quote{background:#262a33!important;border-color:#4a5263!important;color:#e6e8ee!important}`,
  ].join("");

const sheet = `:root{color-scheme:light dark;supported-color-schemes:light dark}@media (prefers-color-scheme:dark){${dark("")}}${dark("[data-ogsc] ")}`;

const logoId = "logo@assent";

const logoFile = ({ mediaType, content }: MailLogo): MailAttachment => ({
  ...{ fileName: mediaType === "image/png" ? "logo.png" : "logo.jpg", mediaType, content, contentId: logoId },
});

function headOf({ name, logo }: MailLook): string {
  const text = escapeHtml(visibleText(name));
  if (logo !== undefined) {
    const { width, height } = logo;
    return `<p style="margin:0 0 20px"><img src="cid:${logoId}" alt="${text}" width="${width}" height="${height}" style="display:block;border:0;max-width:100%;height:auto"></p>`;
  }
  return text === "" ? "" : `<p style="margin:0 0 20px;font-size:18px;font-weight:bold"><bdi>${text}</bdi></p>`;
}

/** A border on all sides, so that the mail needs no sides that depend on the direction. */
const quoteOf = (label: string, text: string): string =>
  `<div class="m-quote" style="margin:0 0 16px;padding:12px 16px;background:#f5f6f9;border:1px solid #d9dde6;border-radius:8px"><p class="m-quiet" style="margin:0 0 4px;color:#555d6e;font-size:14px">${label}</p><p dir="auto" style="margin:0">${text}</p></div>`;

const factsOf = (rows: readonly (readonly [label: string, text: string])[]): string =>
  `<table cellspacing="0" cellpadding="0" border="0" style="margin:0 0 16px;font-size:16px;line-height:1.5">
${rows.map(([label, text]) => `<tr><th class="m-quiet" scope="row" valign="top" style="padding:2px 0;padding-inline-end:16px;color:#555d6e;font-weight:normal;text-align:start;word-break:normal;overflow-wrap:break-word">${label}</th><td valign="top" style="padding:2px 0;text-align:start">${lines(text)}</td></tr>`).join("\n")}
</table>`;

const buttonOf = ({ accent, onAccent }: MailLook, link: string, action: string): string =>
  `<table role="presentation" cellspacing="0" cellpadding="0" border="0" style="margin:24px 0"><tr><td style="background:${accent};border-radius:8px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 20px;color:${onAccent};font-weight:bold;text-decoration:none">${action}</a></td></tr></table>`;
