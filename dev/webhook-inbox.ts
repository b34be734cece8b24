import type { IncomingMessage, ServerResponse } from "node:http";
import { escapeHtml } from "#platform/escape-html.ts";
import { answerPage, partsHtml, refuseRequest, timeHtml } from "./local-page.ts";

/**
 * Takes the webhooks of a copy on one machine and shows them, so that nobody has to write a server to see one. It
 * verifies nothing: it knows no secret.
 */
export interface WebhookInbox {
  /** False when the request is none of ours. */
  handle(req: IncomingMessage, res: ServerResponse): boolean;
}

interface Received {
  readonly receivedAt: Date;
  readonly headers: readonly (readonly [string, string])[];
  readonly title: string;
  readonly text: string;
}

const maxKept = 50;
/** Of each request; our own events are far below. */
const maxBodyBytes = 65_536;
const maxDepth = 32;

export function createWebhookInbox(now: () => Date = () => new Date()): WebhookInbox {
  let kept: readonly Received[] = [];
  const receive = async (req: IncomingMessage): Promise<void> => {
    const body = await readBody(req);
    const received = { receivedAt: now(), headers: shownHeaders(req), title: titleOf(body), text: pretty(body) };
    kept = [received, ...kept].slice(0, maxKept);
  };
  return {
    handle: (req, res) => {
      const path = req.url?.split("?", 1)[0] ?? "";
      if (path !== "/webhook-inbox" && path !== "/webhook-inbox/") return false;
      if (refuseRequest(req, res, ["GET", "HEAD", "POST"])) return true;
      if (req.method === "POST") void answerPost(req, res, receive);
      else answerPage(req, res, { status: 200, title: `Webhook inbox (${kept.length})`, body: content(kept) });
      return true;
    },
  };
}

async function answerPost(
  req: IncomingMessage,
  res: ServerResponse,
  receive: (req: IncomingMessage) => Promise<void>,
): Promise<void> {
  // Browsers say so when a page sends something. Servers do not, and pages of others have nothing to say here.
  if (req.headers.origin !== undefined) {
    res.writeHead(403).end();
    return;
  }
  try {
    await receive(req);
    res.writeHead(204).end();
  } catch {
    res.destroy();
  }
}

/** The beginning is enough to look at; the rest is read so that the sender gets its answer. */
async function readBody(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    if (size < maxBodyBytes) chunks.push(chunk.subarray(0, maxBodyBytes - size));
    size += chunk.length;
  }
  const body = Buffer.concat(chunks).toString("utf8");
  return size > maxBodyBytes ? `${body}…` : body;
}

/** Those that belong to webhooks, of our own format and of the compatible interface. */
const shownHeaders = (req: IncomingMessage): (readonly [string, string])[] =>
  Object.entries(req.headers)
    .filter(([name]) => /^(webhook-|x-docusign-|x-authorization-digest$)/.test(name))
    .map(([name, value]) => [name, String(value)] as const);

const content = (kept: readonly Received[]): string => `<h1>Webhook inbox</h1>
<p class="lead about">Accepts requests to /webhook-inbox and keeps the last ${maxKept} until this instance stops. Signatures aren't verified here. <a href="/webhook-deliveries">Deliveries</a> show what was sent and the result.</p>
${kept.length === 0 ? "<p>Nothing yet. Register an endpoint with the URL of this page, and let something happen.</p>" : kept.map(article).join("\n")}`;

const article = ({ receivedAt, headers, title, text }: Received): string => `<article>
<h2>${partsHtml(title)}</h2>
<p class="about">${timeHtml(receivedAt)}</p>
<dl>${headers.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join("")}</dl>
<pre>${escapeHtml(text)}</pre>
</article>`;

/** The type of an event of ours, or the name of one of the compatible interface. */
function titleOf(body: string): string {
  const { type, event } = (parse(body) ?? {}) as { readonly type?: unknown; readonly event?: unknown };
  return [type, event].find((name): name is string => typeof name === "string" && name !== "") ?? "A request";
}

/** What is no JSON stays as it is, and so does what would grow too much. */
function pretty(body: string): string {
  const value = depthOf(body) > maxDepth ? undefined : parse(body);
  const text = value === undefined ? body : JSON.stringify(value, null, 2);
  return text.length > 2 * maxBodyBytes ? body : text;
}

/** How deep brackets are nested, those in texts included: never less than how deep the value is. */
function depthOf(body: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of body) {
    if (character === "[" || character === "{") deepest = Math.max(deepest, ++depth);
    else if (character === "]" || character === "}") depth -= 1;
  }
  return deepest;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
