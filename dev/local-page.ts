import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  type Attempt,
  type Connect,
  type Delivery,
  DeliveryStatus,
  type Endpoint,
  WebhooksService,
} from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { callerHeaders } from "#platform/caller.ts";
import { escapeHtml } from "#platform/escape-html.ts";
import { newId, parseOrgId } from "#platform/ids.ts";
import { enumName } from "../views/scalars.ts";

/** What a page of a copy on one machine answers. */
export interface LocalAnswer {
  readonly status: number;
  readonly title: string;
  /** Markup; whatever comes from elsewhere in it is escaped. */
  readonly body: string;
}

/** A website elsewhere could point its own name to this machine and read what is shown. */
const isForThisMachine = (req: IncomingMessage): boolean =>
  /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/.test(req.headers.host ?? "");

/**
 * Answers with a page that runs its own script alone, which asks every few seconds whether there is something new. What
 * is read stays where it is: the page changes when somebody presses the button, or by itself while it has no article.
 */
export function answerPage(req: IncomingMessage, res: ServerResponse, answer: LocalAnswer): void {
  const text = page(answer);
  res.writeHead(answer.status, headers).end(req.method === "HEAD" ? "" : text);
}

/** Answers requests that get no page; false when there is nothing to refuse. */
export function refuseRequest(req: IncomingMessage, res: ServerResponse, methods: readonly string[]): boolean {
  const refusal = refusalOf(req, methods);
  if (refusal === undefined) return false;
  res.writeHead(refusal.status, { ...headers, ...refusal.headers, "content-type": "text/plain" }).end(refusal.text);
  return true;
}

function refusalOf(req: IncomingMessage, methods: readonly string[]) {
  if (!isForThisMachine(req)) return { status: 421, text: "Misdirected Request" };
  if (methods.includes(req.method ?? "")) return undefined;
  return { status: 405, text: "Method Not Allowed", headers: { allow: methods.join(", ") } };
}

/** A moment as people read it, and exactly for programs. */
export const timeHtml = (at: Date): string => {
  const iso = at.toISOString();
  return `<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 23)} UTC</time>`;
};

/** A name or an address, which may break where it has parts. */
export const partsHtml = (text: string): string => escapeHtml(text).replaceAll(/([./])(?=\w)/g, "$1<wbr>");

const style = `
:root { color-scheme: light dark; }
body { margin: 0; background: #eef0f5; color: #1b1f29; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 24px 16px; }
article { background: #fff; border-radius: 12px; padding: 16px 20px; margin: 0 0 16px; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin: 0 0 4px; }
main:focus { outline: 0; } p { margin: 0; } .about { color: #4b5263; font-size: 0.9rem; } .text { white-space: pre-wrap; margin-top: 12px; }
.new { position: sticky; top: 8px; display: block; margin: 0 auto 16px; min-height: 2.5rem; padding: 0 16px; border: 0; border-radius: 999px;
  background: #1d4ed8; color: #fff; font: inherit; font-weight: 600; cursor: pointer; }
.new[hidden] { display: none; } .new:focus-visible { outline: 3px solid #8ab4ff; outline-offset: 2px; }
.lead { margin: 0 0 16px; } time { white-space: nowrap; }
a { color: #1d4ed8; } code, pre { font: 0.85rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
pre { background: #f4f5f9; border-radius: 8px; padding: 8px 12px; margin: 8px 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
ol { list-style: none; margin: 12px 0 0; padding: 0; } li { border-top: 1px solid #dfe2ea; padding: 8px 0; } li:last-child { padding-bottom: 0; }
.status { border-radius: 999px; padding: 2px 10px; font-size: 0.8rem; font-weight: 600; white-space: nowrap; background: #e3e8f4; color: #29406b; }
.delivered { background: #d9f2df; color: #14532d; } .failed { background: #fdebc8; color: #653c00; } .dead { background: #fde2e2; color: #7f1d1d; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0 12px; margin: 8px 0 0; } dt { color: #4b5263; } dd { margin: 0; }
dt, dd { font: 0.85rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
@media (max-width: 30rem) { dl { display: block; } dd { margin: 0 0 4px; } }
@media (prefers-color-scheme: dark) {
  body { background: #14161c; color: #e8eaf0; } article { background: #1f232d; } .about, dt { color: #a6adbd; } a { color: #8ab4ff; }
  pre { background: #171a22; } li { border-color: #353b49; }
  .status { background: #2b3650; color: #c3d3f5; } .delivered { background: #173a24; color: #a8e6bc; }
  .failed { background: #453008; color: #fbd38d; } .dead { background: #4a1d1f; color: #fbb4b4; }
}
`;

/** The text of a page is compared, so that the same one read again is no news. */
const script = `
const main = document.querySelector("main");
const button = document.querySelector(".new");
let latest;
const show = () => {
  main.replaceChildren(...latest.querySelector("main").childNodes);
  latest = undefined;
  button.hidden = true;
};
const look = async () => {
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    const read = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (read.querySelector("main").textContent === main.textContent) button.hidden = true;
    else {
      latest = read;
      document.title = read.title;
      if (main.querySelector("article") === null) show();
      else button.hidden = false;
    }
  } catch {
    // This copy was stopped; it may start again.
  }
  setTimeout(look, 5000);
};
button.addEventListener("click", () => {
  show();
  scrollTo(0, 0);
  main.focus();
});
setTimeout(look, 5000);
`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

const page = ({ title, body }: LocalAnswer): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<button class="new" type="button" hidden>Show new entries</button>
<main tabindex="-1">
${body}
</main>
<script>${script}</script>
</body>
</html>
`;

/** Shows what was sent to the endpoints of the demo organization: for copies on one machine only. */
export interface DeliveriesPage {
  /** False when the request is none of ours. */
  handle(req: IncomingMessage, res: ServerResponse): boolean;
  /** From now on there is something to show. */
  open(webhooks: Transport, organizationId: string): void;
}

interface Shown {
  readonly deliveries: readonly Delivery[];
  readonly endpoints: readonly Endpoint[];
  readonly connects: readonly Connect[];
}

const maxShown = 50;

export function createDeliveriesPage(): DeliveriesPage {
  let read: (() => Promise<Shown>) | undefined;
  return {
    handle: (req, res) => {
      const path = req.url?.split("?", 1)[0] ?? "";
      if (path !== "/webhook-deliveries" && path !== "/webhook-deliveries/") return false;
      if (!refuseRequest(req, res, ["GET", "HEAD"])) {
        void answer(read).then((answered) => answerPage(req, res, answered));
      }
      return true;
    },
    open: (webhooks, organizationId) => {
      read = createReader(webhooks, organizationId);
    },
  };
}

function createReader(transport: Transport, organizationId: string): () => Promise<Shown> {
  const webhooks = createClient(WebhooksService, transport);
  const orgId = parseOrgId(organizationId);
  if (orgId === undefined) throw new Error(`${organizationId} is no id of an organization`);
  return async () => {
    const caller = { orgId, clientId: "webhook-deliveries", requestId: newId(), traceparent: "" };
    const options = { headers: callerHeaders(caller) };
    const [{ deliveries }, { endpoints }, { connects }] = await Promise.all([
      webhooks.listDeliveries({ limit: maxShown }, options),
      webhooks.listEndpoints({ limit: 1000 }, options),
      webhooks.listConnects({}, options),
    ]);
    return { deliveries, endpoints, connects };
  };
}

async function answer(read: (() => Promise<Shown>) | undefined): Promise<LocalAnswer> {
  const title = "Webhook deliveries";
  if (read === undefined) return { status: 503, title, body: "<h1>Webhook deliveries</h1>\n<p>Not ready yet.</p>" };
  try {
    const shown = await read();
    return { status: 200, title: `${title} (${shown.deliveries.length})`, body: content(shown) };
  } catch (error) {
    const reason = escapeHtml(error instanceof Error ? error.message : String(error));
    return {
      status: 502,
      title,
      body: `<h1>Webhook deliveries</h1>\n<p>The deliveries can't be read right now: ${reason}</p>`,
    };
  }
}

function content({ deliveries, endpoints, connects }: Shown): string {
  const urls = new Map([
    ...endpoints.map(({ id, url }) => [id, url] as const),
    ...connects.map(({ id, settingsJson }) => [String(id), urlOf(settingsJson)] as const),
  ]);
  const empty =
    "<p>No deliveries yet. Register an endpoint, such as the inbox of this instance, then record an acceptance.</p>";
  return `<h1>Webhook deliveries</h1>
<p class="lead about">The newest ${maxShown} of the demo organization, for ${countOf(endpoints.length, "endpoint")}${connects.length === 0 ? "" : ` and ${countOf(connects.length, "configuration")} of the compatible interface`}. The <a href="/webhook-inbox">inbox</a> of this instance shows what arrived there.</p>
${deliveries.length === 0 ? empty : deliveries.map((delivery) => article(delivery, urls)).join("\n")}`;
}

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

function urlOf(settingsJson: string): string {
  const { urlToPublishTo } = JSON.parse(settingsJson) as { readonly urlToPublishTo?: unknown };
  return typeof urlToPublishTo === "string" ? urlToPublishTo : "";
}

const article = (delivery: Delivery, urls: ReadonlyMap<string, string>): string => `<article>
<h2>${partsHtml(delivery.eventType)} ${statusHtml(delivery.status)}</h2>
<p>${partsHtml(receiverOf(delivery, urls))}</p>
<p class="about">${timeOf(delivery.occurredAt)}, event <code>${escapeHtml(delivery.eventId)}</code></p>
${nextHtml(delivery)}${attemptsHtml(delivery)}
</article>`;

function statusHtml(status: DeliveryStatus): string {
  const name = enumName(DeliveryStatus, status)?.toLowerCase() ?? "";
  return `<span class="status ${name}">${name}</span>`;
}

/** An agreement that names its own receiver has no endpoint: then the request itself tells. */
function receiverOf({ endpointId, connectId, attempts }: Delivery, urls: ReadonlyMap<string, string>): string {
  const registered = urls.get(endpointId) ?? urls.get(String(connectId));
  return registered ?? attempts[0]?.url ?? "A receiver that the agreement names";
}

const nextHtml = ({ nextAttemptAt }: Delivery): string =>
  nextAttemptAt === undefined ? "" : `<p class="about">Next attempt ${timeOf(nextAttemptAt)}</p>\n`;

function attemptsHtml({ attempts, attemptCount }: Delivery): string {
  if (attempts.length === 0) return "";
  const earlier = attemptCount - attempts.length;
  const rest = earlier > 0 ? `\n<li class="about">${countOf(earlier, "earlier attempt")}</li>` : "";
  return `<ol>\n${attempts.map(attemptHtml).join("\n")}${rest}\n</ol>`;
}

function attemptHtml({ at, statusCode, durationMs, error, response }: Attempt): string {
  const outcome = statusCode === 0 ? "no answer" : `status ${statusCode}`;
  const why = error === "" ? "" : `<p>${escapeHtml(error)}</p>`;
  const said = response === "" ? "" : `<pre>${escapeHtml(response)}</pre>`;
  return `<li><p><b>${outcome}</b> <span class="about">after ${durationMs} ms, ${timeOf(at)}</span></p>${why}${said}</li>`;
}

const timeOf = (at: Timestamp | undefined): string => (at === undefined ? "" : timeHtml(timestampDate(at)));
