import { randomBytes, randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { DisabledReason } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { resealAll } from "#platform/testing/database-dump.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { maxEndpoints } from "../domain/endpoint.ts";
import { findEndpoint, listReceivers, secretsOf } from "../store/endpoint-store.ts";
import { masterKey, type Organization, startWebhooks, type WebhooksHarness, type WebhooksProcess } from "./harness.ts";
import { countDeliveries, createHook, hookUrl, insertDeliveries } from "./samples.ts";

let system: WebhooksHarness;
/** One more process, which allows nothing but public addresses. */
let strict: WebhooksProcess;
let organization: Organization;

beforeAll(async () => {
  system = await startWebhooks();
  strict = await system.another({ config: { allowPrivate: false } });
});
beforeEach(() => {
  organization = system.organization();
});
afterAll(() => system.stop());

const hourMs = 60 * 60 * 1000;
const unknownIds = (): string[] => [randomUUID(), "", "x", "' or true --", `${randomUUID()}x`, "\0"];

describe("an endpoint", () => {
  test("answers what it was created with, and its secret once", async () => {
    const wish = { url: `${hookUrl}?a=1`, description: "Orders", eventTypes: ["agreement.sent", "document.completed"] };
    const { endpoint, secret, replayed } = await createHook(organization, {
      ...wish,
      eventTypes: [...wish.eventTypes, "agreement.sent"],
    });
    expect(endpoint).toMatchObject({ ...wish, enabled: true, disabledReason: DisabledReason.UNSPECIFIED });
    expect([endpoint.disabledAt, endpoint.failingSince, endpoint.previousSecretUntil]).toEqual(
      Array(3).fill(undefined),
    );
    expect(endpoint.createdAt).toEqual(endpoint.updatedAt);
    expect(secret.startsWith("whsec_")).toBe(true);
    expect(Buffer.from(secret.slice("whsec_".length), "base64")).toHaveLength(32);
    expect(replayed).toBe(false);
    expect((await organization.getEndpoint({ id: endpoint.id.toUpperCase() })).endpoint).toEqual(endpoint);
    const other = await createHook(organization, { enabled: false });
    expect(other.secret).not.toBe(secret);
    expect(other.endpoint).toMatchObject({ enabled: false, disabledReason: DisabledReason.BY_REQUEST });
  });

  test("lists of them have the newest first, and go on where a page ended whatever was deleted", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.unshift((await createHook(organization)).id);
    const first = await organization.listEndpoints({ limit: 2 });
    await organization.deleteEndpoint({ id: ids[1] ?? "" });
    const second = await organization.listEndpoints({ limit: 2, cursor: first.nextCursor });
    const third = await organization.listEndpoints({ limit: 2, cursor: second.nextCursor });
    const pages = [first, second, third].map(({ endpoints }) => endpoints.map(({ id }) => id));
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect(third.nextCursor).toBe("");
    expect((await organization.listEndpoints({})).endpoints).toHaveLength(4);
    for (const cursor of ["x", "AAAA", Buffer.from("9e9 x").toString("base64url"), "\0", ids[0] ?? ""]) {
      const { details } = await expectDomainError(organization.listEndpoints({ cursor }), "VALIDATION_FAILED");
      expect(details[0]?.field).toBe("cursor");
    }
  });

  test("what is changed changes, and nothing else", async () => {
    const { endpoint, id } = await createHook(organization, { description: "Orders", eventTypes: ["agreement.sent"] });
    const { endpoint: renamed } = await organization.updateEndpoint({ id, description: "" });
    expect(renamed).toMatchObject({
      url: endpoint.url,
      description: "",
      eventTypes: ["agreement.sent"],
      enabled: true,
    });
    const { endpoint: moved } = await organization.updateEndpoint({
      ...{ id, url: "https://other.example.com/", eventTypes: { types: [] } },
    });
    expect(moved).toMatchObject({ url: "https://other.example.com/", eventTypes: [], description: "" });
    expect((await organization.getEndpoint({ id })).endpoint).toEqual(moved);
    expect(moved?.createdAt).toEqual(endpoint.createdAt);
  });

  test("lists the types of events", async () => {
    const { eventTypes } = await organization.listEventTypes({});
    expect(eventTypes.map(({ type }) => type)).toContain("document.completed");
    for (const { description, exampleJson } of eventTypes) {
      expect(description).not.toBe("");
      expect(typeof JSON.parse(exampleJson)).toBe("object");
    }
  });
});

describe("what is wrong with a request", () => {
  test("is an address that must not be called", async () => {
    const outside = strict.organization();
    const { id } = await createHook(outside, { url: "https://1.1.1.1/hook" });
    const refused = [
      ...["", "x", "http://1.1.1.1/", "https://127.0.0.1/", "https://10.0.0.1/", "https://169.254.169.254/latest"],
      ...["https://[::1]/", "https://localhost/", "https://a.internal/", "https://user:pass@1.1.1.1/", "file:///x"],
      ...["https://1.1.1.1:22/", "https://1.1.1.1/#x", "https://1.1.1.1/\0"],
    ];
    for (const url of refused) {
      for (const call of [
        () => outside.createEndpoint({ url, enabled: true }),
        () => outside.updateEndpoint({ id, url }),
      ]) {
        const { details } = await expectDomainError(call(), "VALIDATION_FAILED");
        expect(details).toMatchObject([{ field: "url" }]);
      }
    }
    expect((await outside.listEndpoints({})).endpoints).toMatchObject([{ url: "https://1.1.1.1/hook" }]);
  });

  test("is a type that there is not, and a text that is none", async () => {
    const { id } = await createHook(organization);
    const types = ["agreement.sent", "agreement.melted", "__proto__", ""];
    const calls = [
      () => organization.createEndpoint({ url: hookUrl, eventTypes: types }),
      () => organization.updateEndpoint({ id, eventTypes: { types } }),
    ];
    for (const call of calls) {
      const { details } = await expectDomainError(call(), "VALIDATION_FAILED");
      expect(details.map(({ field }) => field)).toEqual(["eventTypes[1]", "eventTypes[2]", "eventTypes[3]"]);
    }
    const description = organization.updateEndpoint({ id, description: "\0" });
    expect((await expectDomainError(description, "VALIDATION_FAILED")).details).toMatchObject([
      { field: "description" },
    ]);
    const key = organization.createEndpoint({ url: hookUrl, idempotencyKey: "\0" });
    expect((await expectDomainError(key, "VALIDATION_FAILED")).details).toMatchObject([{ field: "idempotencyKey" }]);
    const tooLong = { url: hookUrl, description: "x".repeat(501) };
    await expectDomainError(organization.createEndpoint(tooLong), "VALIDATION_FAILED");
  });
});

describe("an idempotency key", () => {
  test("answers the same endpoint with the same secret for a day, and for no other request", async () => {
    const wish = { description: "Orders", idempotencyKey: randomUUID() };
    const first = await createHook(organization, wish);
    const again = await createHook(organization, wish);
    expect(again).toEqual({ ...first, replayed: true });
    for (const change of [{ url: `${hookUrl}2` }, { description: "" }, { eventTypes: ["agreement.sent"] }]) {
      await expectDomainError(createHook(organization, { ...wish, ...change }), "IDEMPOTENCY_KEY_REUSED");
    }
    expect((await createHook(system.organization(), wish)).replayed).toBe(false);
    system.clock.advance(24 * hourMs + 1_000);
    const later = await createHook(organization, { ...wish, description: "Anew" });
    expect(later.replayed).toBe(false);
    expect(later.id).not.toBe(first.id);
    await organization.deleteEndpoint({ id: later.id });
    await expectDomainError(createHook(organization, { ...wish, description: "Anew" }), "WEBHOOK_ENDPOINT_NOT_FOUND");
  });

  test("is that of one endpoint when it comes many times at once, and of none that was refused", async () => {
    const wish = { idempotencyKey: randomUUID() };
    const made = await Promise.all(Array.from({ length: 6 }, () => createHook(organization, wish)));
    expect(new Set(made.map(({ id, secret }) => `${id} ${secret}`)).size).toBe(1);
    expect(made.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect((await organization.listEndpoints({})).endpoints).toHaveLength(1);
    const refused = { idempotencyKey: randomUUID() };
    await expectDomainError(createHook(organization, { ...refused, url: "x" }), "VALIDATION_FAILED");
    expect((await createHook(organization, refused)).replayed).toBe(false);
  });
});

test("an organization has so many endpoints, however many it makes at once", async () => {
  const { orgId } = organization;
  await system.superuser.query(
    `insert into webhooks.endpoint (organization_id, id, kind, url, description, event_types, is_enabled, secret, created_at, updated_at)
     select $1, gen_random_uuid(), 'standard', 'https://a.example', '', '{}', true, '', now(), now() from generate_series(1, $2)`,
    [orgId, maxEndpoints - 2],
  );
  const key = randomUUID();
  const wishes = [{ idempotencyKey: key }, { idempotencyKey: randomUUID() }, {}, {}, {}];
  const outcomes = await Promise.allSettled(wishes.map((wish) => createHook(organization, wish)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  expect((await organization.listEndpoints({ limit: 1000 })).endpoints).toHaveLength(maxEndpoints);
  await expectDomainError(createHook(organization), "WEBHOOK_ENDPOINT_LIMIT");
  await createHook(system.organization());
  const [one, two] = (await organization.listEndpoints({})).endpoints;
  await organization.deleteEndpoint({ id: one?.id ?? "" });
  await organization.deleteEndpoint({ id: two?.id ?? "" });
  // A request that met the limit has not used up its key.
  const { id } = await createHook(organization, { idempotencyKey: randomUUID() });
  expect((await organization.getEndpoint({ id })).endpoint?.id).toBe(id);
});

describe("a deleted endpoint", () => {
  test("is not found any more, and nothing is sent to it", async () => {
    const { id } = await createHook(organization);
    const { orgId } = organization;
    await insertDeliveries(system, { orgId, endpointId: id }, { pending: 2, failed: 1, delivered: 1 });
    const receivers = () =>
      withOrg(system.superuser, orgId, async ({ client }) => (await listReceivers(client, [orgId])).get(orgId) ?? []);
    expect(await receivers()).toEqual([{ id, kind: "standard", connectId: undefined, eventTypes: [] }]);
    await organization.deleteEndpoint({ id });
    expect(await countDeliveries(system, id)).toEqual({ dead: 3, delivered: 1 });
    expect(await receivers()).toEqual([]);
    await expectAllUnknown(organization, id);
  });

  test("stays deleted and silent whatever else is done at the same time", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await createHook(organization);
      const outcomes = await Promise.allSettled([
        organization.updateEndpoint({ id, description: "Later" }),
        organization.deleteEndpoint({ id }),
        organization.rotateEndpointSecret({ id }),
        organization.deleteEndpoint({ id }),
      ]);
      expect([outcomes[1], outcomes[3]].filter((outcome) => outcome?.status === "fulfilled")).toHaveLength(1);
      await expectAllUnknown(organization, id);
      const { rows } = await system.superuser.query(
        "select octet_length(secret) as n from webhooks.endpoint where id = $1",
        [id],
      );
      expect(rows).toEqual([{ n: 0 }]);
    }
  });
});

test.each([
  ["the service's role", {}],
  // Row-level security does not hold for it: what is left are the conditions of the statements.
  ["a superuser", { databaseRole: "-" }],
])("as %s, unknown, malformed and foreign ids are answered alike, and change nothing", async (_role, role) => {
  const process = await system.another({ config: { databaseUrl: system.database.superuserUrl, ...role } });
  const theirs = process.organization();
  organization = process.organization();
  const { endpoint, id } = await createHook(theirs, { idempotencyKey: "key" });
  const { connect } = await theirs.createConnect({ settingsJson: JSON.stringify({ urlToPublishTo: hookUrl }) });
  const { rows } = await system.superuser.query<{ id: string }>(
    "select id from webhooks.endpoint where organization_id = $1 and kind = 'connect'",
    [theirs.orgId],
  );
  for (const foreign of [id, ...unknownIds()]) await expectAllUnknown(organization, foreign);
  // A configuration of the compatible interface is no endpoint, not even of the organization itself.
  await expectAllUnknown(theirs, rows[0]?.id ?? "");
  expect((await organization.listEndpoints({})).endpoints).toEqual([]);
  expect((await createHook(organization, { idempotencyKey: "key" })).replayed).toBe(false);
  expect((await theirs.getEndpoint({ id })).endpoint).toEqual(endpoint);
  expect((await theirs.listEndpoints({})).endpoints).toEqual([endpoint]);
  expect((await theirs.listConnects({})).connects).toEqual([connect]);
  await withOrg(system.superuser, organization.orgId, async (tenant) => {
    expect(await findEndpoint(tenant, id)).toBeUndefined();
    expect(await secretsOf(tenant, id)).toBeUndefined();
  });
});

async function expectAllUnknown(asker: Organization, id: string): Promise<void> {
  for (const call of [
    () => asker.getEndpoint({ id }),
    () => asker.updateEndpoint({ id, url: "x" }),
    () => asker.updateEndpoint({ id, enabled: false }),
    () => asker.rotateEndpointSecret({ id }),
    () => asker.deleteEndpoint({ id }),
  ]) {
    await expectDomainError(call(), "WEBHOOK_ENDPOINT_NOT_FOUND");
  }
}

test("the activity counts endpoints by how they are, and what did not arrive since a moment", async () => {
  const [well, failing, gone] = [
    await createHook(organization),
    await createHook(organization),
    await createHook(organization),
  ];
  await createHook(organization, { enabled: false });
  await system.superuser.query("update webhooks.endpoint set failing_since = now() where id = $1", [failing.id]);
  await system.superuser.query(
    "update webhooks.endpoint set is_enabled = false, disabled_at = now(), disabled_reason = 'gone' where id = $1",
    [gone.id],
  );
  await insertDeliveries(system, { orgId: organization.orgId, endpointId: well.id }, { delivered: 2, failed: 3 });
  const since = (time: string) => organization.getActivity({ since: timestampFromDate(new Date(time)) });
  expect(await since("2020-01-01T00:00:00Z")).toMatchObject({ endpoints: 4, failing: 1, disabled: 1, undelivered: 3n });
  expect((await since("9000-01-01T00:00:00Z")).undelivered).toBe(0n);
});

describe("replacing the master key", () => {
  test("secrets of before are known with the newest key alone", async () => {
    const request = { url: hookUrl, enabled: true, idempotencyKey: randomUUID() };
    const { secret } = await organization.createEndpoint(request);
    const newest = randomBytes(32).toString("base64");
    const both = await system.another({ config: { masterKey: `${newest},${masterKey}` } });
    await resealAll(both.service.resealer);
    const alone = await system.another({ config: { masterKey: newest } });
    const again = await alone.organization(organization.orgId).createEndpoint(request);
    expect(again).toMatchObject({ secret, replayed: true });
  });
});
