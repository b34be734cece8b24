import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import { type Organization, startWebhooks, type WebhooksHarness } from "./harness.ts";
import { createFakeReceivers, publishAgreements, publishDocuments } from "./receivers.ts";
import { createHook, hookUrl } from "./samples.ts";

let system: WebhooksHarness;
const receivers = createFakeReceivers();

beforeAll(async () => {
  system = await startWebhooks({ poster: receivers.poster });
  await system.startWorkers();
});
afterAll(() => system.stop());

async function deliveriesOf({ orgId }: Organization, count: number) {
  return until(async () => {
    const { rows } = await system.superuser.query<{ receiver: string; type: string; event: string; index: number }>(
      `select receiver_id as receiver, event_type as type, event_id as event, receiver_index as index
       from webhooks.delivery where organization_id = $1 order by sequence`,
      [orgId],
    );
    return rows.length >= count && rows;
  });
}

/** Everything that was published before has taken effect. */
async function settled(): Promise<void> {
  const organization = system.organization();
  await createHook(organization);
  await publishDocuments(system.bus, organization.orgId);
  await deliveriesOf(organization, 1);
}

test("an event goes to the enabled endpoints of its organization that ask for it, once each", async () => {
  const organization = system.organization();
  const all = await createHook(organization);
  const asking = await createHook(organization, { eventTypes: ["document.completed", "batch.completed"] });
  await createHook(organization, { eventTypes: ["agreement.sent"] });
  await createHook(organization, { enabled: false });
  const other = system.organization();
  await createHook(other);
  const [event = ""] = await publishDocuments(system.bus, organization.orgId);
  const rows = await deliveriesOf(organization, 2);
  expect(rows.map(({ receiver }) => receiver).sort()).toEqual([all.id, asking.id].sort());
  expect(rows.every((row) => row.event === event && row.type === "document.completed")).toBe(true);
  await settled();
  expect(await deliveriesOf(organization, 2)).toHaveLength(2);
  expect(await deliveriesOf(other, 0)).toEqual([]);
});

test("an event that comes again makes no second delivery, and one that nobody asks for is not stored", async () => {
  const organization = system.organization();
  await createHook(organization, { eventTypes: ["document.completed"] });
  await publishDocuments(system.bus, organization.orgId);
  const [row] = await deliveriesOf(organization, 1);
  // As if the inbox had forgotten it: the second lock holds as well.
  await system.superuser.query("delete from webhooks.inbox where event_id = $1", [row?.event]);
  const { rows } = await system.superuser.query<{ data: string }>("select data from webhooks.event where id = $1", [
    row?.event,
  ]);
  const bus = await system.another();
  const subject = "assent.docgen.document.completed";
  // Another message with the same event: the bus itself would drop the same one.
  await bus.bus.publish([{ id: crypto.randomUUID(), subject, data: rows[0]?.data ?? "" }]);
  await publishAgreements(system.bus, organization.orgId);
  await settled();
  expect(await deliveriesOf(organization, 1)).toHaveLength(1);
  const stored = await system.superuser.query("select from webhooks.event where organization_id = $1", [
    organization.orgId,
  ]);
  expect(stored.rowCount).toBe(1);
});

test("what organizations do is counted once, on the day on which it happened, whoever listens, and shown for 30 days", async () => {
  const [busy, other] = [system.organization(), system.organization()];
  await createHook(busy, { eventTypes: ["document.completed"] });
  await createHook(busy, { eventTypes: ["document.completed", "agreement.sent"] });
  const ago = (days: number) => new Date(system.clock.now().getTime() - days * 86_400_000);
  const [event = ""] = await publishDocuments(system.bus, busy.orgId, 2, ago(0));
  await publishDocuments(system.bus, busy.orgId, 3, ago(29));
  await publishDocuments(system.bus, busy.orgId, 5, ago(30));
  await publishAgreements(system.bus, busy.orgId);
  await publishAgreements(system.bus, other.orgId, { count: 4 });
  await deliveriesOf(busy, 2 * (2 + 3 + 5) + 1);
  const { rows } = await system.superuser.query<{ data: string }>("select data from webhooks.event where id = $1", [
    event,
  ]);
  // As after a restore: the same event in another message.
  const again = { id: event, messageId: `${event}.again`, subject: "assent.docgen.document.completed" };
  await system.bus.publish([{ ...again, data: rows[0]?.data ?? "" }]);
  await settled();
  const countsOf = async (orgIds: readonly string[]) =>
    (await system.organization().countUse({ organizationIds: [...orgIds] })).organizations;
  await until(async () => (await countsOf([other.orgId]))[0]?.last30Days?.agreements === 4n);
  const [found, ...more] = await countsOf([busy.orgId, system.organization().orgId]);
  expect(more).toEqual([]);
  expect(found).toMatchObject({
    organizationId: busy.orgId,
    today: { acceptances: 0n, documents: 2n, agreements: 1n, deliveries: 5n },
    last30Days: { acceptances: 0n, documents: 5n, agreements: 1n, deliveries: 11n },
  });
});

test("what is done to endpoints is told once to those that ask for it, and not to those that take everything", async () => {
  const organization = system.organization();
  const watching = await createHook(organization, { eventTypes: ["assent.audit.*"] });
  const narrow = await createHook(organization, { eventTypes: ["assent.audit.privacy", "assent.audit.integration"] });
  const everything = await createHook(organization);
  const other = system.organization();
  await createHook(other, { eventTypes: ["assent.audit.*"] });
  const settings = { urlToPublishTo: hookUrl, events: [] };
  const { connect } = await organization.createConnect({ settingsJson: JSON.stringify(settings) });
  await organization.updateEndpoint({ id: everything.id, url: "https://other.example.com/?key=secret", enabled: true });
  await organization.updateEndpoint({ id: everything.id, enabled: true });
  await organization.rotateEndpointSecret({ id: everything.id });
  const wanted = ["endpoint.created", "connect.created", "endpoint.updated", "endpoint.secret-rotated"];
  const told = await until(async () => {
    const { rows } = await system.superuser.query<{ receiver: string; data: string }>(
      `select d.receiver_id as receiver, e.data from webhooks.delivery d join webhooks.event e on e.id = d.event_id
       where d.organization_id = $1 order by e.occurred_at, e.id`,
      [organization.orgId],
    );
    // Who is told of these two depends on how soon their events come.
    const events = rows
      .map(({ receiver, data }) => ({ receiver, event: JSON.parse(data).auditedIntegration }))
      .filter(({ event }) => ![watching.id, narrow.id].includes(event.target.id));
    return events.length >= 2 * wanted.length && events;
  });
  const receivedBy = ({ id }: { readonly id: string }) =>
    told.filter(({ receiver }) => receiver === id).map(({ event }) => event);
  expect(receivedBy(everything)).toEqual([]);
  for (const one of [watching, narrow]) {
    expect(receivedBy(one).map(({ action }) => action)).toEqual(wanted);
  }
  const [updated] = receivedBy(watching).filter(({ action }) => action === "endpoint.updated");
  expect(updated).toMatchObject({
    ...{ target: { kind: "webhook-endpoint", id: everything.id }, changes: [{ field: "url" }] },
  });
  expect(receivedBy(watching)[1].target).toEqual({ kind: "connect-configuration", id: String(connect?.id) });
  expect(told).toHaveLength(2 * wanted.length);
  expect(JSON.stringify(told)).not.toContain("other.example.com");
  expect((await deliveriesOf(other, 1)).map(({ type }) => type)).toEqual(["assent.audit.integration"]);
});

test("an agreement's own receivers get its events beside the configurations of the account", async () => {
  const organization = system.organization();
  const settings = { urlToPublishTo: hookUrl, events: ["envelope-sent"] };
  await organization.createConnect({ settingsJson: JSON.stringify(settings) });
  await organization.createConnect({ settingsJson: JSON.stringify({ ...settings, events: ["envelope-voided"] }) });
  await publishAgreements(system.bus, organization.orgId, { receivers: 2 });
  const rows = await deliveriesOf(organization, 3);
  expect(rows.map(({ type, index }) => [type, index])).toEqual([
    ["envelope-sent", null],
    ["envelope-sent", 0],
    ["envelope-sent", 1],
  ]);
  expect(new Set(rows.map(({ receiver }) => receiver)).size).toBe(3);
});

test("a request follows without being asked for, and is measured", async () => {
  const organization = system.organization();
  await createHook(organization);
  const [event = ""] = await publishDocuments(system.bus, organization.orgId);
  await until(() => receivers.requests.some(({ eventId }) => eventId === event));
  const measured = async () => (await system.metrics.webhookFirstAttempt.get()).values;
  const counted = await until(async () =>
    (await measured()).find(({ metricName = "" }) => metricName.endsWith("_count")),
  );
  expect(counted.value).toBeGreaterThan(0);
});
