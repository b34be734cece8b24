import type { IncomingMessage, ServerResponse } from "node:http";
import { escapeHtml } from "#platform/escape-html.ts";
import type { Mail, Mailer } from "#platform/mail/mail.ts";
import { answerPage, refuseRequest } from "./local-page.ts";

/** Keeps mails instead of sending them, and shows them on a page: for copies on one machine only. */
export interface Mailbox {
  readonly mailer: Mailer;
  /** False when the request is none of ours. */
  handle(req: IncomingMessage, res: ServerResponse): boolean;
}

interface Kept {
  readonly mail: Mail;
  readonly receivedAt: Date;
}

const maxKept = 200;

export function createMailbox(now: () => Date = () => new Date()): Mailbox {
  let kept: readonly Kept[] = [];
  return {
    mailer: {
      send: async (mail) => {
        // A mail that comes again is the same mail.
        const others = kept.filter((one) => one.mail.messageId !== mail.messageId);
        kept = [{ mail, receivedAt: now() }, ...others].slice(0, maxKept);
      },
      close: async () => undefined,
    },
    handle: (req, res) => {
      const path = req.url?.split("?", 1)[0] ?? "";
      if (path !== "/mailbox" && path !== "/mailbox/") return false;
      if (refuseRequest(req, res, ["GET", "HEAD"])) return true;
      answerPage(req, res, { status: 200, title: `Mailbox (${kept.length})`, body: content(kept) });
      return true;
    },
  };
}

const content = (kept: readonly Kept[]): string => `<h1>Mailbox</h1>
${kept.length === 0 ? "<p>No mail yet. Send an agreement to somebody without a clientUserId, and the invitation comes here.</p>" : kept.map(article).join("\n")}`;

const article = ({ mail: { to, subject, text }, receivedAt }: Kept): string => `<article>
<h2>${escapeHtml(subject)}</h2>
<p class="about">To ${escapeHtml(`${to.name} <${to.address}>`)}, <time datetime="${receivedAt.toISOString()}">${receivedAt.toISOString()}</time></p>
<p class="text">${text.trimEnd().split("\n").map(lineOf).join("\n")}</p>
</article>`;

/** Our texts give a link a line of its own; nothing else becomes one. */
function lineOf(line: string): string {
  const url = /^https?:\/\/\S+$/.test(line) && URL.canParse(line) ? new URL(line) : undefined;
  const text = escapeHtml(line);
  return url === undefined ? text : `<a href="${escapeHtml(url.href)}" target="_blank" rel="noreferrer">${text}</a>`;
}
