import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { DeliveryStatus } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { until } from "#platform/testing/until.ts";
import { standardHeaders } from "../deliveries/attempt.ts";
import { startWebhooks, type WebhooksHarness } from "./harness.ts";
import { publishDocuments } from "./receivers.ts";
import { createHook } from "./samples.ts";

let system: WebhooksHarness;
const requests: { readonly headers: IncomingMessage["headers"]; readonly body: string }[] = [];
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  requests.push({ headers: request.headers, body });
  // The first is asked to come again.
  response.writeHead(requests.length === 1 ? 307 : 204, { location: "/elsewhere" }).end();
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  system = await startWebhooks();
  await system.startWorkers();
});
afterAll(async () => {
  await system.stop();
  server.close();
});

test("a server gets a signed request; a redirect is a failure and not followed", async () => {
  const organization = system.organization();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in?key=1`;
  const { secret } = await createHook(organization, { url });
  const [eventId = ""] = await publishDocuments(system.bus, organization.orgId);
  const [failed] = await until(async () => {
    const { deliveries } = await organization.listDeliveries({ status: DeliveryStatus.FAILED });
    return deliveries.length === 1 && deliveries;
  });
  expect(failed?.attempts).toMatchObject([{ statusCode: 307, error: "The receiver answered 307.", url }]);
  system.clock.advance(7_000);
  await until(async () => (await organization.getDelivery({ id: failed?.id ?? "" })).delivery?.attemptCount === 2);
  expect(requests).toHaveLength(2);
  for (const { headers, body } of requests) {
    expect(JSON.parse(body)).toMatchObject({ id: eventId, type: "document.completed" });
    const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
    const secrets = [Buffer.from(secret.slice("whsec_".length), "base64")];
    expect(headers).toMatchObject(standardHeaders({ eventId, at, body, secrets }));
  }
});
