import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import {
  AttemptSchema,
  ConnectSchema,
  type Delivery,
  DeliverySchema,
  DeliveryStatus,
  EndpointSchema,
  WebhooksService,
} from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { createDeliveriesPage, type DeliveriesPage } from "../local-page.ts";
import { createWebhookInbox } from "../webhook-inbox.ts";
import { type LocalServer, serveLocally } from "./local-server.ts";

const orgId = "0198c0de-0000-7000-8000-000000000001";
const evil = '<img src=x onerror="alert(1)">';
const at = timestampFromDate(new Date("2026-11-21T10:00:00.123Z"));

let server: LocalServer;
let deliveries: DeliveriesPage;

beforeEach(async () => {
  deliveries = createDeliveriesPage();
  server = await serveLocally(deliveries.handle, createWebhookInbox().handle);
});
afterEach(() => server.close());

const page = async (path: string): Promise<string> => (await fetch(server.baseUrl + path)).text();

/** The webhooks service of one organization with these deliveries. */
const serviceWith = (kept: readonly Delivery[]) =>
  createRouterTransport(({ service }) => {
    const seenBy = (header: Headers) => {
      if (header.get("x-org-id") !== orgId) throw new ConnectError("another organization", Code.PermissionDenied);
    };
    service(WebhooksService, {
      listDeliveries: (_, context) => {
        seenBy(context.requestHeader);
        return { deliveries: [...kept] };
      },
      listEndpoints: (_, context) => {
        seenBy(context.requestHeader);
        return { endpoints: [create(EndpointSchema, { id: "e1", url: `https://a.example/${evil}` })] };
      },
      listConnects: (_, context) => {
        seenBy(context.requestHeader);
        const settingsJson = '{"urlToPublishTo":"https://connect.example/hook"}';
        return { connects: [create(ConnectSchema, { id: 7n, settingsJson })] };
      },
    });
  });

const deliveryOf = (fields: MessageInitShape<typeof DeliverySchema>): Delivery =>
  create(DeliverySchema, { eventType: "document.completed", eventId: "event-1", occurredAt: at, ...fields });

describe("deliveries", () => {
  test("are shown with their receivers and attempts, and nothing of them runs", async () => {
    const refused = create(AttemptSchema, { at, durationMs: 3, error: "The connection was refused." });
    const answered = { at, statusCode: 500, durationMs: 12, error: evil, response: evil, url: "https://b.example/x" };
    const attempts = [refused, create(AttemptSchema, answered)];
    const failing = { endpointId: "e1", attempts, attemptCount: 6, status: DeliveryStatus.FAILED, nextAttemptAt: at };
    const own = { agreementId: "a", attempts: [create(AttemptSchema, answered)], status: DeliveryStatus.DEAD };
    const all = [failing, { connectId: 7n, status: DeliveryStatus.DELIVERED }, own, { eventType: evil }];
    deliveries.open(serviceWith(all.map(deliveryOf)), orgId);
    const response = await fetch(`${server.baseUrl}/webhook-deliveries?x=1`);
    const text = (await response.text()).replaceAll("<wbr>", "");
    expect(response.status).toBe(200);
    expect(text).not.toContain("<img");
    for (const shown of [
      'document.completed <span class="status failed">failed</span>',
      "<p>https://a.example/&lt;img",
      "<b>no answer</b>",
      "The connection was refused.",
      "<b>status 500</b>",
      "<pre>&lt;img src=x",
      "4 earlier attempts",
      'Next attempt <time datetime="2026-11-21T10:00:00.123Z">2026-11-21 10:00:00.123 UTC</time>',
      "<p>https://connect.example/hook</p>",
      "<p>https://b.example/x</p>",
      '<span class="status dead">dead</span>',
    ]) {
      expect(text).toContain(shown);
    }
    const policy = response.headers.get("content-security-policy");
    const hash = "'sha256-[\\w+/]{43}='";
    expect(policy).toMatch(
      new RegExp(`^default-src 'none'; style-src ${hash}; script-src ${hash}; connect-src 'self'; `),
    );
  });

  test("that cannot be read are no failure of the page, which looks again", async () => {
    expect((await fetch(`${server.baseUrl}/webhook-deliveries`)).status).toBe(503);
    deliveries.open(
      createRouterTransport(() => undefined),
      orgId,
    );
    const response = await fetch(`${server.baseUrl}/webhook-deliveries/`);
    expect(response.status).toBe(502);
    expect(await response.text()).toContain("<script>");
    deliveries.open(serviceWith([]), orgId);
    expect(await page("/webhook-deliveries")).toContain("No deliveries yet");
  });
});

const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.baseUrl}/webhook-inbox`, { method: "POST", headers, body });

describe("the inbox", () => {
  test("shows what came with the headers of webhooks, and nothing of it runs", async () => {
    expect(await page("/webhook-inbox")).toContain("Nothing yet");
    const headers = { "webhook-id": evil, "x-docusign-signature-1": "c2ln", authorization: "Bearer secret" };
    expect((await post(JSON.stringify({ type: "webhook.test", data: { evil } }), headers)).status).toBe(204);
    const text = (await page("/webhook-inbox")).replaceAll("<wbr>", "");
    expect(text).not.toContain("<img");
    expect(text).not.toContain("Bearer secret");
    expect(text).toContain("<h2>webhook.test</h2>");
    expect(text).toContain("<dt>x-docusign-signature-1</dt><dd>c2ln</dd>");
    expect(text).toContain("<dt>webhook-id</dt><dd>&lt;img");
    expect(text).toContain(
      "{\n  &quot;type&quot;: &quot;webhook.test&quot;,\n  &quot;data&quot;: {\n    &quot;evil&quot;",
    );
  });

  test("keeps the last fifty, and of each the beginning, whatever it is", async () => {
    for (let n = 0; n <= 50; n += 1) await post(`{"type":"number.${n}."}`);
    const numbered = (await page("/webhook-inbox")).replaceAll("<wbr>", "");
    expect(numbered.match(/<article>/g)).toHaveLength(50);
    expect(numbered).toContain("number.50.");
    expect(numbered).not.toContain("number.0.");
    const strange = ["", "null", "[1", "[".repeat(60_000) + "]".repeat(5_000), `{"type":"${"x".repeat(3_000_000)}"}`];
    for (const body of strange) expect((await post(body)).status).toBe(204);
    const text = await page("/webhook-inbox");
    expect(text.match(/A request/g)).toHaveLength(strange.length);
    expect(text.length).toBeLessThan(300_000);
  });

  test("takes nothing from websites", async () => {
    expect((await post("{}", { origin: "https://evil.example" })).status).toBe(403);
    expect(await page("/webhook-inbox")).toContain("Nothing yet");
  });
});

test("both answer nobody who calls this machine by another name, and no other methods", async () => {
  for (const path of ["/webhook-deliveries", "/webhook-inbox"]) {
    expect(await server.askAs("evil.example", path)).toBe(421);
    expect(await server.askAs("evil.example", path, "POST")).toBe(421);
    expect((await fetch(server.baseUrl + path, { method: "DELETE" })).status).toBe(405);
    expect((await fetch(`${server.baseUrl}${path}s`)).status).toBe(404);
  }
  expect((await fetch(`${server.baseUrl}/webhook-deliveries`, { method: "POST" })).status).toBe(405);
});
