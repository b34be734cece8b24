import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Environment, readSettings } from "#platform/config.ts";
import { escapeHtml } from "#platform/escape-html.ts";
import type { Logger } from "#platform/logger.ts";
import type { Mail, Mailer } from "#platform/mail/mail.ts";
import { createSmtpMailer, type MailSetup, mailServerOf, mailSettings } from "#platform/mail/mail-settings.ts";
import { type Demo, prepareDemo, unreadyText } from "./demo.ts";
import { createDemoPage } from "./demo-page/demo-page.ts";
import { type Home, removeHomeFile, writeHomeFile } from "./home.ts";
import { hostOf, reachableHost, withAdminToken, withKeptApart, withOffice } from "./launch-settings.ts";
import { answerPage, createDeliveriesPage, refuseRequest } from "./local-page.ts";
import { openSeal } from "./programs.ts";
import { adminClient, startSingleProcess, type Unready } from "./single-process.ts";
import { createWebhookInbox } from "./webhook-inbox.ts";

export interface LocalCopyOptions {
  readonly home: Home;
  /** A login that may assume the roles of all services; the schema is already migrated. */
  readonly databaseUrl: string;
  /** Empty for the in-memory bus. */
  readonly natsUrl: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Settings of all parts. */
  readonly env: Environment;
  readonly logger: Logger;
}

export interface LocalCopy {
  readonly demo: Demo;
  readonly unready: readonly Unready[];
  /** False when mails go to a real server. */
  readonly hasMailbox: boolean;
  stop(): Promise<void>;
}

/** The product in one process, with all that a newcomer tries it with: an organization, a shop, a mailbox, an inbox. */
export async function startLocalCopy(options: LocalCopyOptions): Promise<LocalCopy> {
  const { home, databaseUrl, natsUrl, port, env, logger } = options;
  const host = hostOf(env);
  const secrets = withAdminToken(home.secrets, env);
  const demoPage = createDemoPage();
  const mail = openLocalMail(env);
  const deliveriesPage = createDeliveriesPage();
  const inbox = createWebhookInbox();
  const pages = [mail.handlePage, deliveriesPage.handle, inbox.handle, demoPage.handle];
  const running = await startSingleProcess({
    ...{ databaseUrl, natsUrl, host, port, logger, secrets },
    env: withOffice(withKeptApart(home, env)),
    seal: await openSeal(home),
    mail: mail.setup,
    handlePage: (req, res) => pages.some((handle) => handle(req, res)),
  });
  const baseUrl = `http://${reachableHost(host)}:${running.port}`;
  mail.open(baseUrl);
  const unready = await running.findUnready();
  const demo = await prepareDemo(home, adminClient(running.admin), baseUrl).catch((error: unknown) => {
    // A first start makes its samples with what is not ready.
    throw unready.length === 0 ? error : new Error(unreadyText(unready).trim(), { cause: error });
  });
  writeHomeFile(home, "runtime.json", { adminUrl: running.adminUrl, adminToken: secrets.adminToken, baseUrl });
  demoPage.open(demo);
  deliveriesPage.open(running.webhooks, demo.organizationId);
  running.open();
  return {
    ...{ demo, unready },
    hasMailbox: mail.hasMailbox,
    stop: async () => {
      removeHomeFile(home, "runtime.json");
      await running.stop();
    },
  };
}

/** How a copy on one machine sends mails: through the server of SMTP_URL, or into a mailbox that it shows. */
interface LocalMail {
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
      const html = kept.find(({ mail }) => mail.html !== "" && path === htmlPath(mail));
      if (path !== "/mailbox" && path !== "/mailbox/" && html === undefined) return false;
      if (refuseRequest(req, res, ["GET", "HEAD"])) return true;
      if (html !== undefined) {
        res.writeHead(200, htmlHeaders).end(req.method === "HEAD" ? "" : shownHtml(html.mail));
        return true;
      }
      answerPage(req, res, { status: 200, title: `Mailbox (${kept.length})`, body: content(kept) });
      return true;
    },
  };
}

const content = (kept: readonly Kept[]): string => `<h1>Mailbox</h1>
${kept.length === 0 ? "<p>No emails yet. Send an agreement to someone without a clientUserId, and the invitation appears here.</p>" : kept.map(article).join("\n")}`;

function article({ mail, receivedAt }: Kept): string {
  const { to, subject, text, html, fromName = "", replyTo } = mail;
  const time = `<time datetime="${receivedAt.toISOString()}">${receivedAt.toISOString()}</time>`;
  const about = [
    `To ${personHtml(to)}`,
    ...(fromName === "" ? [] : [`from <bdi>${escapeHtml(fromName)}</bdi>`]),
    ...(replyTo === undefined ? [] : [`replies go to ${personHtml(replyTo)}`]),
    time,
    ...(html === "" ? [] : [`<a href="${htmlPath(mail)}" target="_blank" rel="noreferrer">as HTML</a>`]),
  ];
  return `<article>
<h2 dir="auto">${escapeHtml(subject)}</h2>
<p class="about">${about.join(", ")}</p>
<p class="text" dir="auto">${text.trimEnd().split("\n").map(lineOf).join("\n")}</p>
</article>`;
}

const personHtml = ({ name, address }: Mail["to"]): string => `<bdi>${escapeHtml(`${name} <${address}>`)}</bdi>`;

const htmlPath = ({ messageId }: Pick<Mail, "messageId">): string =>
  `/mailbox/${createHash("sha256").update(messageId).digest("hex").slice(0, 32)}`;

/** Nothing of a mail runs or loads anything; its links open elsewhere. */
const htmlHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** With its pictures in itself, as mail programs show them. */
const shownHtml = ({ html, attachments = [] }: Mail): string =>
  attachments.reduce(
    (shown, { contentId, mediaType, content }) =>
      contentId === undefined
        ? shown
        : shown.replaceAll(`cid:${contentId}`, `data:${mediaType};base64,${Buffer.from(content).toString("base64")}`),
    html,
  );

/** Our texts give a link a line of its own; nothing else becomes one. */
function lineOf(line: string): string {
  const url = /^https?:\/\/\S+$/.test(line) && URL.canParse(line) ? new URL(line) : undefined;
  const text = escapeHtml(line);
  return url === undefined ? text : `<a href="${escapeHtml(url.href)}" target="_blank" rel="noreferrer">${text}</a>`;
}
