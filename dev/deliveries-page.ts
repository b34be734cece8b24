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
import { answerPage, type LocalAnswer, partsHtml, refuseRequest, timeHtml } from "./local-page.ts";

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
