import { escapeHtml } from "../escape-html.ts";
import { visibleText } from "../visible-text.ts";

export interface WrittenMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
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
