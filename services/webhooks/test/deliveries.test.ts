import { randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { PersonalItemOutcome } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { DeliveryStatus } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { OutboundResult } from "#platform/net/outbound-post.ts";
import { until } from "#platform/testing/until.ts";
import { type Organization, startWebhooks, type WebhooksHarness } from "./harness.ts";
import { answered, createFakeReceivers, type FakeReceivers, publishDocuments } from "./receivers.ts";
import { createHook } from "./samples.ts";

let system: WebhooksHarness;
let receivers: FakeReceivers;

beforeEach(async () => {
  receivers = createFakeReceivers();
  system = await startWebhooks({ poster: receivers.poster });
});
afterEach(() => system.stop());

/** How many of the organization have ended. */
const countDelivered = async ({ orgId }: Organization): Promise<number> => {
  const { rows } = await system.superuser.query<{ count: number }>(
    "select count(*)::integer as count from webhooks.delivery where organization_id = $1 and status = 'delivered'",
    [orgId],
  );
  return rows[0]?.count ?? 0;
};

const allDelivered = (organization: Organization, count: number) =>
  until(async () => (await countDelivered(organization)) === count, 30_000);

/** Receivers that hold every request until they are let go, and know how many they held at once. */
function holdRequests() {
  const held: (() => void)[] = [];
  const most = new Map<string, number>();
  const open = new Map<string, number>();
  receivers.answer(async ({ url }) => {
    const now = (open.get(url) ?? 0) + 1;
    open.set(url, now);
    most.set(url, Math.max(now, most.get(url) ?? 0));
    await new Promise<void>((resolve) => held.push(resolve));
    open.set(url, (open.get(url) ?? 1) - 1);
    return answered(200);
  });
  const letGo = () => {
    for (const resolve of held.splice(0)) resolve();
  };
  return { held, most, letGo };
}

test("two processes send each delivery once, and never more than four to an endpoint at a time", async () => {
  const other = await system.another();
  const organization = system.organization();
  const url = "https://slow.example.com/";
  await createHook(organization, { url });
  const { held, most, letGo } = holdRequests();
  await system.startWorkers();
  await other.startWorkers();
  const events = await publishDocuments(system.bus, organization.orgId, 40);
  await until(async () => {
    if (held.length > 0) letGo();
    return (await countDelivered(organization)) === events.length;
  });
  expect(most.get(url)).toBeLessThanOrEqual(4);
  expect(receivers.requests.map(({ eventId }) => eventId).sort()).toEqual([...events].sort());
});

test("an endpoint with a thousand deliveries waiting and no answers holds up nobody else", async () => {
  const slow = system.organization();
  const [slowUrl, fastUrl] = ["https://slow.example.com/", "https://fast.example.com/"];
  await createHook(slow, { url: slowUrl });
  const fast = system.organization();
  await createHook(fast, { url: fastUrl });
  const stuck = Promise.withResolvers<OutboundResult>();
  receivers.answer(({ url }) => (url === slowUrl ? stuck.promise : answered(200)));
  await system.startWorkers();
  await publishDocuments(system.bus, slow.orgId, 1_000);
  await until(() => receivers.to(slowUrl).length === 4);
  await publishDocuments(system.bus, fast.orgId, 20);
  await allDelivered(fast, 20);
  expect(receivers.to(slowUrl)).toHaveLength(4);
  stuck.resolve(answered(200));
});

test("while an endpoint fails, it gets one request at a time", async () => {
  const organization = system.organization();
  const { id } = await createHook(organization);
  receivers.answer(() => answered(500));
  await system.startWorkers();
  await publishDocuments(system.bus, organization.orgId);
  await until(async () => (await organization.getEndpoint({ id })).endpoint?.failingSince !== undefined);
  const { held, most, letGo } = holdRequests();
  await publishDocuments(system.bus, organization.orgId, 5);
  await until(() => held.length === 1);
  expect([...most.values()]).toEqual([1]);
  letGo();
  await until(() => {
    letGo();
    return receivers.requests.length === 6;
  });
  // The first success has given the others their places back.
  await until(() => {
    letGo();
    return countDelivered(organization).then((count) => count === 5);
  });
});

test("what a process took and did not write down is sent again with the same id", async () => {
  const organization = system.organization();
  await createHook(organization);
  const [event = ""] = await publishDocuments(system.bus, organization.orgId);
  const dying = createFakeReceivers();
  const lost = Promise.withResolvers<OutboundResult>();
  dying.answer(() => {
    // Whichever process takes it next is answered.
    dying.answer(() => answered(200));
    return lost.promise;
  });
  const killed = await system.another({ poster: dying.poster });
  await killed.startWorkers();
  await until(() => dying.requests.length === 1);
  await system.startWorkers();
  // Its lease holds until then.
  expect(receivers.requests).toHaveLength(0);
  await until(() => {
    const isSentAgain = dying.requests.length + receivers.requests.length === 2;
    // It lives and renews its claim, but not as fast as this clock goes.
    if (!isSentAgain) system.clock.advance(9_000);
    return isSentAgain;
  });
  await allDelivered(organization, 1);
  expect([...dying.requests, ...receivers.requests].map(({ eventId }) => eventId)).toEqual([event, event]);
  // Whoever comes too late with a result changes nothing.
  lost.resolve(answered(500));
  await killed.stop();
  const { deliveries } = await organization.listDeliveries({});
  expect(deliveries.map(({ status, attemptCount }) => [status, attemptCount])).toEqual([[DeliveryStatus.DELIVERED, 1]]);
});

test("what a living process is long about stays its own", async () => {
  const organization = system.organization();
  await createHook(organization);
  await publishDocuments(system.bus, organization.orgId);
  const answer = Promise.withResolvers<OutboundResult>();
  const slow = createFakeReceivers();
  slow.answer(() => answer.promise);
  const busy = await system.another({ poster: slow.poster });
  await busy.startWorkers();
  await until(() => slow.requests.length === 1);
  await system.startWorkers();
  for (let round = 0; round < 3; round += 1) {
    system.clock.advance(5_000);
    await until(async () => {
      const sql = "select from webhooks.delivery where claimed_until > $1";
      return (await system.superuser.query(sql, [new Date(system.clock.now().getTime() + 5_000)])).rowCount === 1;
    });
  }
  answer.resolve(answered(200));
  await allDelivered(organization, 1);
  expect([slow.requests.length, receivers.requests.length]).toEqual([1, 0]);
  await busy.stop();
});

test("a process that stops lets its requests finish, then others have them at once", async () => {
  const organization = system.organization();
  await createHook(organization);
  await publishDocuments(system.bus, organization.orgId);
  const mute = createFakeReceivers();
  mute.answer(() => new Promise(() => {}));
  const stopping = await system.another({ poster: mute.poster, stopGraceMs: 50 });
  await stopping.startWorkers();
  await until(() => mute.requests.length === 1);
  await stopping.stop();
  await system.startWorkers();
  await allDelivered(organization, 1);
  const { deliveries } = await organization.listDeliveries({});
  expect(deliveries[0]?.attemptCount).toBe(1);
});

test("deliveries survive that the database cuts all connections", async () => {
  const organization = system.organization();
  await createHook(organization);
  await system.startWorkers();
  const { letGo, held } = holdRequests();
  const events = await publishDocuments(system.bus, organization.orgId, 30);
  await until(() => held.length === 4);
  await system.superuser.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name like 'webhooks%'`,
  );
  await until(async () => {
    letGo();
    return (await countDelivered(organization)) === events.length;
  });
  expect(new Set(receivers.requests.map(({ eventId }) => eventId)).size).toBe(events.length);
});

test("deliveries are listed newest first, page by page, and other organizations see none of it", async () => {
  const organization = system.organization();
  const { id: endpointId } = await createHook(organization);
  const other = await createHook(organization, { eventTypes: ["batch.completed"] });
  receivers.answer(() => answered(500));
  await system.startWorkers();
  await publishDocuments(system.bus, organization.orgId, 5);
  await until(
    async () => (await organization.listDeliveries({ status: DeliveryStatus.FAILED })).deliveries.length === 5,
  );
  const listed = (await organization.listDeliveries({})).deliveries;
  expect(listed.map(({ id }) => id)).toEqual(
    listed
      .map(({ id }) => id)
      .toSorted()
      .reverse(),
  );
  expect(listed[0]?.attempts).toMatchObject([
    { statusCode: 500, error: "The receiver answered 500.", response: "said 500" },
  ]);
  const paged: string[] = [];
  let cursor = "";
  do {
    const page = await organization.listDeliveries({ limit: 2, cursor, endpointId: endpointId.toUpperCase() });
    paged.push(...page.deliveries.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== "");
  expect(paged).toEqual(listed.map(({ id }) => id));
  const count = async (query: Parameters<Organization["listDeliveries"]>[0], as = organization) =>
    (await as.listDeliveries(query)).deliveries.length;
  expect(await count({ eventType: "document.completed", eventId: listed[0]?.eventId ?? "" })).toBe(1);
  expect(await count({ eventType: "batch.completed" })).toBe(0);
  expect(await count({ endpointId: other.id })).toBe(0);
  expect(await count({ connectOnly: true })).toBe(0);
  expect(await count({ eventId: randomUUID() })).toBe(0);
  expect(await count({ endpointId }, system.organization())).toBe(0);
});

test("a person's address goes from what receivers answered and from events, and nowhere else", async () => {
  const organization = system.organization();
  await createHook(organization, { url: "https://fast.example.com/" });
  receivers.answer(async () => answered(200));
  await system.startWorkers();
  await publishDocuments(system.bus, organization.orgId, 2);
  await allDelivered(organization, 2);
  const { rows } = await system.superuser.query<{ id: string }>(
    "select id from webhooks.delivery where organization_id = $1 order by id",
    [organization.orgId],
  );
  await system.superuser.query(
    "update webhooks.attempt set response = 'hello Ann.B+x@Example.com, not jo.ann.b+x@example.com!' where delivery_id = $1",
    [rows[0]?.id],
  );
  const erasure = { person: { email: "ann.b+x@example.com" }, erasureId: randomUUID(), ground: "GDPR_17" };
  const told = [{ kind: "webhook.answer", targetId: rows[0]?.id, count: 1 }];
  expect((await system.organization().erasePerson(erasure)).items).toEqual([]);
  const named = await createHook(organization, { url: "https://fast.example.com/?of=ann.b+x@example.com" });
  const kept = {
    kind: "webhook.endpoint",
    targetId: named.id,
    outcome: PersonalItemOutcome.KEPT,
    keptBecause: "SETTING",
  };
  expect((await organization.findPerson(erasure)).items).toMatchObject([...told, kept]);
  const held = told.map((item) => ({ ...item, keptBecause: "LEGAL_HOLD" }));
  expect((await organization.erasePerson({ ...erasure, isHeld: true })).items).toMatchObject([...held, kept]);
  expect((await organization.erasePerson(erasure)).items).toMatchObject([...told, kept]);
  const { rows: left } = await system.superuser.query("select response from webhooks.attempt where delivery_id = $1", [
    rows[0]?.id,
  ]);
  expect(left).toEqual([{ response: "hello ERASED, not jo.ann.b+x@example.com!" }]);
  expect((await organization.findPerson(erasure)).items).toMatchObject([kept]);
  // A caller that died with the answer asks again, and is told the same, also when there is a legal hold by then.
  for (const isHeld of [false, true]) {
    const answered = told.map((item) => ({ ...item, keptBecause: "" }));
    expect((await organization.erasePerson({ ...erasure, isHeld })).items).toMatchObject([...answered, kept]);
  }
  expect((await system.organization().erasePerson(erasure)).items).toEqual([]);
  const again = await organization.erasePerson({ ...erasure, erasureId: randomUUID() });
  expect(again.items).toMatchObject([kept]);
});

test("deliveries that a period ends for go with their attempts and events, but none that is still to be sent", async () => {
  const [organization, stranger] = [system.organization(), system.organization()];
  for (const one of [organization, stranger]) await createHook(one, { url: "https://fast.example.com/" });
  receivers.answer(async () => ({ ...answered(200), body: "thanks, ann@example.com" }));
  await system.startWorkers();
  await publishDocuments(system.bus, organization.orgId, 3);
  await publishDocuments(system.bus, stranger.orgId, 1);
  await allDelivered(organization, 3);
  await allDelivered(stranger, 1);
  const before = timestampFromDate(new Date(Date.now() + 60_000));
  const first = await organization.listOld({ before, limit: 2, withAddresses: true });
  const rest = await organization.listOld({ before, limit: 2, cursor: first.nextCursor });
  const ids = [...first.records, ...rest.records].map(({ id }) => id);
  expect(new Set(ids).size).toBe(3);
  const [again = "", ...gone] = ids;
  receivers.answer(async () => answered(500));
  await organization.resendDelivery({ id: again });
  await until(async () => (await organization.countOld({ before })).records === 2);
  for (let times = 0; times < 2; times += 1) {
    expect((await organization.removeOld({ ids, before })).keptIds).toEqual([again]);
  }
  const left = await Promise.all(
    ["delivery", "event"].map(async (table) => {
      const sql = `select from webhooks.${table} where organization_id = $1`;
      return (await system.superuser.query(sql, [organization.orgId])).rowCount;
    }),
  );
  expect(left).toEqual([1, 1]);
  const attempts = await system.superuser.query("select from webhooks.attempt where delivery_id = any($1)", [gone]);
  expect(attempts.rowCount).toBe(0);
  expect(await stranger.countOld({ before })).toMatchObject({ records: 1 });
});
