import { randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { DeliveryStatus } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { type Organization, startWebhooks, type WebhooksHarness } from "./harness.ts";
import { answered, createFakeReceivers, publishAgreements, publishDocuments } from "./receivers.ts";
import { createHook, hookUrl } from "./samples.ts";

let system: WebhooksHarness;
let organization: Organization;
const receivers = createFakeReceivers();

beforeAll(async () => {
  system = await startWebhooks({ poster: receivers.poster, random: () => 0.5 });
  await system.startWorkers();
});
beforeEach(() => {
  organization = system.organization();
  receivers.requests.splice(0);
  receivers.answer(() => answered(200));
});
afterAll(() => system.stop());

const withStatus = (status: DeliveryStatus, count: number) =>
  until(async () => {
    const { deliveries } = await organization.listDeliveries({ status });
    return deliveries.length === count && deliveries;
  });

test("a test event goes to one endpoint alone, whatever it asks for", async () => {
  const { id } = await createHook(organization, { eventTypes: ["agreement.sent"] });
  await createHook(organization, { url: "https://other.example.com/" });
  const { delivery } = await organization.testEndpoint({ id });
  expect(delivery).toMatchObject({ eventType: "webhook.test", endpointId: id, status: DeliveryStatus.PENDING });
  await withStatus(DeliveryStatus.DELIVERED, 1);
  expect(receivers.requests).toHaveLength(1);
  expect(JSON.parse(String(receivers.requests[0]?.body))).toMatchObject({
    id: delivery?.eventId,
    type: "webhook.test",
  });
  await expectDomainError(system.organization().testEndpoint({ id }), "WEBHOOK_ENDPOINT_NOT_FOUND");
  await organization.updateEndpoint({ id, enabled: false });
  await expectDomainError(organization.testEndpoint({ id }), "WEBHOOK_ENDPOINT_DISABLED");
});

test("a delivery is sent again at once whatever became of it, with the same id", async () => {
  const { id: endpointId } = await createHook(organization);
  const [event] = await publishDocuments(system.bus, organization.orgId);
  const [delivered] = await withStatus(DeliveryStatus.DELIVERED, 1);
  const id = delivered?.id ?? "";
  const { delivery } = await organization.resendDelivery({ id });
  expect(delivery).toMatchObject({ id, status: DeliveryStatus.PENDING, attemptCount: 1 });
  await until(async () => (await organization.getDelivery({ id })).delivery?.attemptCount === 2);
  expect(receivers.requests.map(({ eventId }) => eventId)).toEqual([event, event]);
  await expectDomainError(system.organization().resendDelivery({ id }), "WEBHOOK_DELIVERY_NOT_FOUND");
  await expectDomainError(system.organization().getDelivery({ id }), "WEBHOOK_DELIVERY_NOT_FOUND");
  await expectDomainError(organization.resendDelivery({ id: randomUUID() }), "WEBHOOK_DELIVERY_NOT_FOUND");
  await organization.updateEndpoint({ id: endpointId, enabled: false });
  await expectDomainError(organization.resendDelivery({ id }), "WEBHOOK_ENDPOINT_DISABLED");
});

test("what an endpoint did not get in a time range is sent again in the order of the events", async () => {
  const { id } = await createHook(organization);
  const at = Date.now() - 3_600_000;
  const time = (ms: number) => timestampFromDate(new Date(at + ms));
  receivers.answer(() => answered(500));
  const inside: string[] = [];
  for (let index = 0; index < 4; index += 1) {
    inside.push(...(await publishDocuments(system.bus, organization.orgId, 1, new Date(at + index * 1_000))));
    await withStatus(DeliveryStatus.FAILED, index + 1);
  }
  await publishDocuments(system.bus, organization.orgId, 1, new Date(at + 60_000));
  await withStatus(DeliveryStatus.FAILED, 5);
  await system.superuser.query("update webhooks.delivery set status = 'dead', due_at = null where event_id = $1", [
    inside[1],
  ]);
  receivers.requests.splice(0);
  receivers.answer(() => answered(200));
  await expectDomainError(system.organization().recoverEndpoint({ id, since: time(0) }), "WEBHOOK_ENDPOINT_NOT_FOUND");
  await expectDomainError(organization.recoverEndpoint({ id, since: time(9), until: time(9) }), "VALIDATION_FAILED");
  expect(await organization.recoverEndpoint({ id, since: time(0), until: time(60_000) })).toMatchObject({ queued: 4 });
  await withStatus(DeliveryStatus.DELIVERED, 4);
  expect(receivers.requests[0]?.eventId).toBe(inside[0]);
  expect(new Set(receivers.requests.map(({ eventId }) => eventId))).toEqual(new Set(inside));
  await organization.updateEndpoint({ id, enabled: false });
  await expectDomainError(organization.recoverEndpoint({ id, since: time(0) }), "WEBHOOK_ENDPOINT_DISABLED");
});

test("more than a batch is recovered by one call", async () => {
  const { id } = await createHook(organization);
  const { orgId } = organization;
  await system.superuser.query(
    `with event as (
       insert into webhooks.event (organization_id, id, type, data, occurred_at, created_at)
       select $1, gen_random_uuid(), 'document.completed', '{"subject":"assent.webhooks.webhook.test"}', now(), now()
       from generate_series(1, 2100) returning id
     )
     insert into webhooks.delivery (organization_id, id, event_id, event_type, receiver_id, endpoint_id, status,
       occurred_at, created_at, attempts)
     select $1, gen_random_uuid(), id, 'document.completed', $2, $2, 'dead', now(), now(), 10 from event`,
    [orgId, id],
  );
  const since = timestampFromDate(new Date(Date.now() - 60_000));
  expect(await organization.recoverEndpoint({ id, since })).toMatchObject({ queued: 2_100 });
  await organization.updateEndpoint({ id, enabled: false });
});

test("failures of the compatible interface are sent again, of some agreements or of all", async () => {
  receivers.answer(() => answered(500));
  await organization.createConnect({ settingsJson: JSON.stringify({ urlToPublishTo: hookUrl, events: [] }) });
  const agreements = [randomUUID(), randomUUID()];
  for (const agreementId of agreements) await publishAgreements(system.bus, organization.orgId, { agreementId });
  await withStatus(DeliveryStatus.DEAD, 2);
  receivers.answer(() => answered(200));
  const retry = async (agreementIds: string[]) =>
    (await organization.retryConnect({ agreementIds })).deliveries.map(({ agreementId }) => agreementId);
  expect(await retry(["nothing"])).toEqual([]);
  expect(await retry([agreements[1] ?? ""])).toEqual([agreements[1]]);
  await withStatus(DeliveryStatus.DELIVERED, 1);
  expect(await retry([])).toEqual([agreements[0]]);
  await withStatus(DeliveryStatus.DELIVERED, 2);
  expect((await system.organization().retryConnect({})).deliveries).toEqual([]);
});
