import { randomUUID } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { type Delivery, DeliveryStatus, DisabledReason } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { until } from "#platform/testing/until.ts";
import { type Organization, startWebhooks, type WebhooksHarness } from "./harness.ts";
import {
  answered,
  createFakeReceivers,
  type FakeReceivers,
  failed,
  publishAgreements,
  publishDocuments,
} from "./receivers.ts";
import { createHook, hookUrl } from "./samples.ts";

let system: WebhooksHarness;
let receivers: FakeReceivers;
let organization: Organization;

beforeEach(async () => {
  receivers = createFakeReceivers();
  system = await startWebhooks({ poster: receivers.poster, random: () => 0.5 });
  organization = system.organization();
  await system.startWorkers();
});
afterEach(() => system.stop());

/** The only delivery of the organization, once so many attempts are written down. */
const afterAttempts = (count: number): Promise<Delivery> =>
  until(async () => {
    const { deliveries } = await organization.listDeliveries({});
    return deliveries[0]?.attemptCount === count && deliveries[0];
  });

const waitOf = ({ nextAttemptAt, attempts }: Delivery): number =>
  Number(nextAttemptAt?.seconds ?? 0) - Number(attempts[0]?.at?.seconds ?? 0);

const hour = 3_600;

test("a delivery that always fails is tried ten times over three days, then given up", async () => {
  const { id: endpointId } = await createHook(organization);
  receivers.answer(() => failed("timeout"));
  const [event] = await publishDocuments(system.bus, organization.orgId);
  const planned = [5, 300, 1_800, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
  for (const [index, seconds] of planned.entries()) {
    const delivery = await afterAttempts(index + 1);
    expect(delivery.status).toBe(DeliveryStatus.FAILED);
    // Writing it down takes its time as well.
    expect(waitOf(delivery)).toBeGreaterThanOrEqual(seconds);
    expect(waitOf(delivery)).toBeLessThanOrEqual(seconds + 10);
    system.clock.advance(seconds * 1_000 + 1_000);
  }
  const dead = await afterAttempts(10);
  expect(dead).toMatchObject({ status: DeliveryStatus.DEAD, endpointId });
  expect(dead.nextAttemptAt).toBeUndefined();
  expect(dead.attempts).toHaveLength(5);
  expect((await organization.getDelivery({ id: dead.id })).delivery?.attempts).toHaveLength(10);
  expect(dead.attempts[0]?.error).toBe("The attempt timed out after 15 s.");
  expect(new Set(receivers.requests.map(({ eventId }) => eventId))).toEqual(new Set([event]));
  expect((await organization.getEndpoint({ id: endpointId })).endpoint?.enabled).toBe(true);
});

test("a receiver that is busy is given up to twice the time", async () => {
  await createHook(organization);
  receivers.answer(() => answered(429, "9"));
  await publishDocuments(system.bus, organization.orgId);
  expect(waitOf(await afterAttempts(1))).toBeGreaterThanOrEqual(9);
});

test("410 disables the endpoint at once, gives up what waits, and tells the other endpoints", async () => {
  const { id: goneId } = await createHook(organization, { eventTypes: ["document.completed"] });
  await createHook(organization, { url: "https://other.example.com/", eventTypes: ["endpoint.disabled"] });
  receivers.answer(({ url }) => answered(url === hookUrl ? 500 : 200));
  await publishDocuments(system.bus, organization.orgId, 3);
  await until(
    async () => (await organization.listDeliveries({ status: DeliveryStatus.FAILED })).deliveries.length === 3,
  );
  receivers.answer(({ url }) => answered(url === hookUrl ? 410 : 200));
  system.clock.advance(6_000);
  const [told] = await until(() => {
    const requests = receivers.to("https://other.example.com/");
    return requests.length > 0 && requests;
  });
  expect(JSON.parse(String(told?.body))).toMatchObject({ type: "endpoint.disabled" });
  const { endpoint } = await organization.getEndpoint({ id: goneId });
  expect(endpoint).toMatchObject({ enabled: false, disabledReason: DisabledReason.GONE });
  const { deliveries } = await organization.listDeliveries({ endpointId: goneId });
  expect(deliveries.map(({ status }) => status)).toEqual(Array(3).fill(DeliveryStatus.DEAD));
  const before = receivers.to(hookUrl).length;
  expect(before).toBe(4);
});

test("an endpoint of which every attempt has failed for five days is disabled, one success before is enough", async () => {
  const { id } = await createHook(organization);
  receivers.answer(() => answered(500));
  const failOnce = async () => {
    const before = receivers.requests.length;
    await publishDocuments(system.bus, organization.orgId);
    await until(() => receivers.requests.length > before);
  };
  const isEnabled = async () => (await organization.getEndpoint({ id })).endpoint?.enabled;
  await failOnce();
  const since = await until(async () => (await organization.getEndpoint({ id })).endpoint?.failingSince);
  receivers.answer(() => answered(200));
  await failOnce();
  await until(async () => (await organization.getEndpoint({ id })).endpoint?.failingSince === undefined);
  receivers.answer(() => answered(500));
  await failOnce();
  const again = await until(async () => (await organization.getEndpoint({ id })).endpoint?.failingSince);
  expect(again.seconds).toBeGreaterThanOrEqual(since.seconds);
  system.clock.advance(119 * hour * 1_000);
  await failOnce();
  expect(await isEnabled()).toBe(true);
  system.clock.advance(2 * hour * 1_000);
  // What still waits may fail before this one does.
  await publishDocuments(system.bus, organization.orgId);
  await until(async () => (await isEnabled()) === false);
  const { endpoint } = await organization.getEndpoint({ id });
  expect(endpoint?.disabledReason).toBe(DisabledReason.FAILING);
});

/** A process of its own whose sign service answers like this, with a configuration that asks for what it knows. */
async function withSign(code: Code, check: (process: WebhooksHarness, owner: Organization) => Promise<void>) {
  const sign = createMemoryTransport(
    (router) => {
      router.service(SignService, {
        getAgreement: () => {
          throw new ConnectError("no answer", code);
        },
      });
    },
    { interceptors: [] },
  );
  const process = await startWebhooks({ poster: receivers.poster, random: () => 0.5, sign });
  try {
    await process.startWorkers();
    const owner = process.organization();
    await owner.createConnect({
      settingsJson: JSON.stringify({ urlToPublishTo: hookUrl, events: [], eventData: { includeData: ["recipients"] } }),
    });
    await publishAgreements(process.bus, owner.orgId);
    await check(process, owner);
  } finally {
    await process.stop();
  }
}

/** The only delivery was looked at, and nobody does anything about it now. */
const isLeftAlone = ({ superuser, clock }: WebhooksHarness) =>
  until(async () => {
    const { rowCount } = await superuser.query(
      "select from webhooks.delivery where claim is null and (due_at > $1 or status = 'dead')",
      [clock.now()],
    );
    return rowCount === 1;
  });

test("while those who know the contents are away, deliveries are put off and no attempt counts", () =>
  withSign(Code.Unavailable, async (process, owner) => {
    for (let times = 0; times < 12; times += 1) {
      await isLeftAlone(process);
      process.clock.advance(6_000);
    }
    const { values } = await process.metrics.webhookAttempts.get();
    expect(values.find(({ labels }) => labels.outcome === "put_off")?.value).toBeGreaterThanOrEqual(11);
    expect(receivers.requests).toHaveLength(0);
    const { deliveries } = await owner.listDeliveries({ connectOnly: true });
    expect(deliveries).toMatchObject([{ status: DeliveryStatus.PENDING, attemptCount: 0 }]);
  }));

test("a delivery whose contents cannot be made, however often they are asked for, is given up in the end", () =>
  withSign(Code.ResourceExhausted, async (process, owner) => {
    const isDead = async () => (await owner.listDeliveries({ status: DeliveryStatus.DEAD })).deliveries.length === 1;
    // Ten times, and some more in case the machine is so busy that the answer comes too late.
    for (let times = 0; times < 20 && !(await isDead()); times += 1) {
      await isLeftAlone(process);
      process.clock.advance(25 * hour * 1_000);
    }
    const { deliveries } = await owner.listDeliveries({});
    expect(deliveries).toMatchObject([{ status: DeliveryStatus.DEAD, attemptCount: 0 }]);
    expect(receivers.requests).toHaveLength(0);
  }));

test("with acknowledgement, what fails holds the rest for a day, and all go out in order", async () => {
  const settings = { urlToPublishTo: hookUrl, events: ["envelope-sent"], requiresAcknowledgement: "true" };
  await organization.createConnect({ settingsJson: JSON.stringify(settings) });
  receivers.answer(() => answered(500));
  const bodies = () => receivers.to(hookUrl).map(({ body }) => JSON.parse(String(body)));
  const subjects = () => bodies().map(({ data }) => data.envelopeId as string);
  await publishAgreements(system.bus, organization.orgId);
  await until(() => receivers.requests.length === 1);
  for (let index = 0; index < 3; index += 1) await publishAgreements(system.bus, organization.orgId);
  await until(async () => (await organization.listDeliveries({})).deliveries.length === 4);
  system.clock.advance(23 * hour * 1_000);
  // Others are sent meanwhile, so the loop has looked.
  const other = system.organization();
  await createHook(other, { url: "https://other.example.com/" });
  await publishDocuments(system.bus, other.orgId);
  await until(() => receivers.to("https://other.example.com/").length === 1);
  expect(receivers.to(hookUrl)).toHaveLength(1);
  receivers.requests.splice(1);
  receivers.answer(() => answered(200));
  system.clock.advance(2 * hour * 1_000);
  await until(() => receivers.to(hookUrl).length === 5);
  const inOrder = (await organization.listDeliveries({})).deliveries.map(({ agreementId }) => agreementId).reverse();
  // They were noted as they happened, and what failed first goes out first.
  expect(subjects().slice(1)).toEqual(inOrder);
  expect(subjects()[1]).toBe(subjects()[0]);
  expect(bodies()[1].retryCount).toBe(1);
});

test("a receiver that the agreement names gets what it asks for, the rest goes without a trace", async () => {
  const agreementId = randomUUID();
  const notifications = [{ url: hookUrl, envelopeEvents: ["Completed"] }, { url: "https://second.example.com/" }];
  const subscriptionJson = JSON.stringify({ eventNotifications: notifications });
  const sign = createMemoryTransport(
    (router) => {
      router.service(SignService, { getAgreement: () => ({ agreement: { id: agreementId, subscriptionJson } }) });
    },
    { interceptors: [] },
  );
  const knowing = await startWebhooks({ poster: receivers.poster, sign });
  try {
    await knowing.startWorkers();
    const owner = knowing.organization();
    await publishAgreements(knowing.bus, owner.orgId, { agreementId, receivers: 2 });
    const left = await until(async () => {
      const { deliveries } = await owner.listDeliveries({});
      return deliveries.length === 1 && deliveries[0]?.status === DeliveryStatus.DELIVERED && deliveries;
    });
    expect(left).toMatchObject([{ agreementId, endpointId: "", connectId: 0n, eventType: "envelope-sent" }]);
    expect(receivers.requests.map(({ url }) => url)).toEqual(["https://second.example.com/"]);
    expect(receivers.requests[0]?.timeoutMs).toBe(100_000);
  } finally {
    await knowing.stop();
  }
});
