import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Mail, Mailer } from "../services/sign/mail/mail.ts";

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
      const { status, body } = answer(req, kept);
      res.writeHead(status, headers).end(req.method === "HEAD" ? "" : body);
      return true;
    },
  };
}

function answer(req: IncomingMessage, kept: readonly Kept[]): { readonly status: number; readonly body: string } {
  // A website elsewhere could point its own name to this machine and read the links of others.
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/.test(req.headers.host ?? "")) {
    return { status: 421, body: "Misdirected Request" };
  }
  if (req.method !== "GET" && req.method !== "HEAD") return { status: 405, body: "Method Not Allowed" };
  return { status: 200, body: page(kept) };
}

const style = `
body { margin: 0; background: #eef0f5; color: #1b1f29; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 24px 16px; }
article { background: #fff; border-radius: 12px; padding: 16px 20px; margin: 0 0 16px; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin: 0 0 4px; }
p { margin: 0; } .about { color: #4b5263; font-size: 0.9rem; } .text { white-space: pre-wrap; margin-top: 12px; }
a { color: #1d4ed8; }
@media (prefers-color-scheme: dark) {
  body { background: #14161c; color: #e8eaf0; } article { background: #1f232d; } .about { color: #a6adbd; } a { color: #8ab4ff; }
}
`;

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** It looks again by itself every few seconds, without a script. */
const page = (kept: readonly Kept[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5">
<title>Mailbox (${kept.length})</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Mailbox</h1>
${kept.length === 0 ? "<p>No mail yet. Send an agreement to somebody without a clientUserId, and the invitation comes here.</p>" : kept.map(article).join("\n")}
</main>
</body>
</html>
`;

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

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
