import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { withOrg } from "#platform/db/pool.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { maxConnectSecrets, maxEndpoints } from "../domain/endpoint.ts";
import { listReceivers } from "../store/endpoint-store.ts";
import { type Organization, startWebhooks, type WebhooksHarness, type WebhooksProcess } from "./harness.ts";
import { countDeliveries, hookUrl, insertDeliveries } from "./samples.ts";

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

const settings = { urlToPublishTo: hookUrl, name: "Orders", events: ["envelope-sent", "Completed"] };
const receiversOf = ({ orgId }: Organization) =>
  withOrg(system.superuser, orgId, async ({ client }) => (await listReceivers(client, [orgId])).get(orgId) ?? []);

async function createConnect(owner: Organization, given: object = settings): Promise<bigint> {
  return (await owner.createConnect({ settingsJson: JSON.stringify(given) })).connect?.id ?? 0n;
}

/** Which row of the table it is. */
async function rowIdOf(owner: Organization, connectId: bigint): Promise<string> {
  const { rows } = await system.superuser.query<{ id: string }>(
    "select id from webhooks.endpoint where organization_id = $1 and connect_id = $2",
    [owner.orgId, connectId],
  );
  return rows[0]?.id ?? "";
}

describe("a configuration", () => {
  test("answers its settings as they were given, and is understood", async () => {
    const id = await createConnect(organization);
    expect(id).toBeGreaterThan(0n);
    expect(id).toBeLessThan(2n ** 31n);
    const { connect } = await organization.getConnect({ id });
    expect(JSON.parse(connect?.settingsJson ?? "")).toEqual(settings);
    const id2 = await createConnect(organization, { urlToPublishTo: hookUrl, allowEnvelopePublish: "false" });
    const { connects } = await organization.listConnects({});
    expect(connects.map((one) => one.id)).toEqual([id, id2]);
    expect(await receiversOf(organization)).toEqual([
      {
        ...{ id: await rowIdOf(organization, id), kind: "connect", connectId: Number(id) },
        eventTypes: ["envelope-sent", "envelope-completed"],
      },
    ]);
    await organization.updateConnect({ id: id2, settingsJson: JSON.stringify({ urlToPublishTo: hookUrl }) });
    expect((await receiversOf(organization))[1]).toMatchObject({ connectId: Number(id2), eventTypes: [] });
    await organization.deleteConnect({ id });
    await expectUnknown(organization, id);
    expect((await organization.listConnects({})).connects.map((one) => one.id)).toEqual([id2]);
  });

  test("that is switched off or deleted gives up what waits for it", async () => {
    const { orgId } = organization;
    for (const end of ["off", "deleted"]) {
      const id = await createConnect(organization);
      const endpointId = await rowIdOf(organization, id);
      await insertDeliveries(system, { orgId, endpointId }, { pending: 2, failed: 1, delivered: 1 });
      await organization.updateConnect({ id, settingsJson: JSON.stringify({ ...settings, name: "Later" }) });
      expect((await countDeliveries(system, endpointId)).pending).toBe(2);
      const off = JSON.stringify({ ...settings, allowEnvelopePublish: "False" });
      await (end === "off"
        ? organization.updateConnect({ id, settingsJson: off })
        : organization.deleteConnect({ id }));
      expect(await countDeliveries(system, endpointId)).toEqual({ dead: 3, delivered: 1 });
    }
    expect(await receiversOf(organization)).toEqual([]);
  });

  test("is a JSON object of limited size that can be stored", async () => {
    const id = await createConnect(organization);
    const deep = `{"urlToPublishTo":"${hookUrl}","a":${"[".repeat(200)}${"]".repeat(200)}}`;
    const bad = ["", "[]", "null", "{", "1", JSON.stringify({ ...settings, a: "\0" }), deep];
    const large = JSON.stringify({ ...settings, a: "\u00e9".repeat(40_000) });
    const growing = JSON.stringify({ ...settings, a: [] }).replace("[]", `[${Array(9_000).fill("1e20").join()}]`);
    for (const settingsJson of [...bad, large, growing]) {
      for (const call of [
        () => organization.createConnect({ settingsJson }),
        () => organization.updateConnect({ id, settingsJson }),
      ]) {
        expect((await expectDomainError(call(), "VALIDATION_FAILED")).details).toMatchObject([{ field: "settings" }]);
      }
    }
    const events = Array.from({ length: 201 }, (_, index) => `envelope-${index}`);
    const many = organization.createConnect({ settingsJson: JSON.stringify({ ...settings, events }) });
    expect((await expectDomainError(many, "VALIDATION_FAILED")).details).toMatchObject([{ field: "events" }]);
  });

  test("names an address that may be called", async () => {
    const outside = strict.organization();
    const id = await createConnect(outside, { urlToPublishTo: "https://1.1.1.1/hook" });
    const refused = [undefined, null, 1, {}, "", "http://1.1.1.1/", "https://127.0.0.1/", "https://localhost/"];
    for (const urlToPublishTo of refused) {
      const settingsJson = JSON.stringify({ ...settings, urlToPublishTo });
      for (const call of [
        () => outside.createConnect({ settingsJson }),
        () => outside.updateConnect({ id, settingsJson }),
      ]) {
        const { details } = await expectDomainError(call(), "VALIDATION_FAILED");
        expect(details).toMatchObject([{ field: "urlToPublishTo" }]);
      }
    }
  });
});

test("an organization has so many configurations, however many it makes at once, beside its endpoints", async () => {
  const { orgId } = organization;
  await system.superuser.query(
    `insert into webhooks.endpoint (organization_id, id, kind, connect_id, settings, url, description, event_types, is_enabled, created_at, updated_at)
     select $1, gen_random_uuid(), 'connect', n, '{}', 'https://a.example', '', '{}', true, now(), now() from generate_series(1, $2) n`,
    [orgId, maxEndpoints - 1],
  );
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => createConnect(organization)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  await expectDomainError(createConnect(organization), "WEBHOOK_ENDPOINT_LIMIT");
  await organization.createEndpoint({ url: hookUrl });
  await organization.deleteConnect({ id: 1n });
  await createConnect(organization);
});

describe("a key of the compatible interface", () => {
  test("is shown once, and listed without its value, oldest first", async () => {
    const { secret, value } = await organization.createConnectSecret({});
    expect(Buffer.from(value, "base64")).toHaveLength(32);
    const { secret: second, value: other } = await organization.createConnectSecret({});
    expect(other).not.toBe(value);
    expect((await organization.listConnectSecrets({})).secrets).toEqual([secret, second]);
    await organization.deleteConnectSecret({ id: (secret?.id ?? "").toUpperCase() });
    expect((await organization.listConnectSecrets({})).secrets).toEqual([second]);
    await expectDomainError(organization.deleteConnectSecret({ id: secret?.id ?? "" }), "CONNECT_SECRET_NOT_FOUND");
  });

  test("has few beside it, however many are made at once", async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: maxConnectSecrets + 2 }, () => organization.createConnectSecret({})),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(maxConnectSecrets);
    await expectDomainError(organization.createConnectSecret({}), "CONNECT_SECRET_LIMIT");
  });
});

test.each([
  ["the service's role", {}],
  // Row-level security does not hold for it: what is left are the conditions of the statements.
  ["a superuser", { databaseRole: "-" }],
])("as %s, unknown, impossible and foreign ids are answered alike, and change nothing", async (_role, role) => {
  const process = await system.another({ config: { databaseUrl: system.database.superuserUrl, ...role } });
  const theirs = process.organization();
  organization = process.organization();
  const id = await createConnect(theirs);
  const { connect } = await theirs.getConnect({ id });
  const { secret } = await theirs.createConnectSecret({});
  for (const foreign of [id, 0n, -1n, 2n ** 31n, 2n ** 62n, id === 1n ? 2n : 1n]) {
    await expectUnknown(organization, foreign);
  }
  for (const foreign of [secret?.id ?? "", randomUUID(), "", "x", "\0"]) {
    await expectDomainError(organization.deleteConnectSecret({ id: foreign }), "CONNECT_SECRET_NOT_FOUND");
  }
  expect((await organization.listConnects({})).connects).toEqual([]);
  expect((await organization.listConnectSecrets({})).secrets).toEqual([]);
  expect((await theirs.listConnects({})).connects).toEqual([connect]);
  expect((await theirs.listConnectSecrets({})).secrets).toEqual([secret]);
});

async function expectUnknown(asker: Organization, id: bigint): Promise<void> {
  for (const call of [
    () => asker.getConnect({ id }),
    () => asker.updateConnect({ id, settingsJson: "x" }),
    () => asker.updateConnect({ id, settingsJson: JSON.stringify(settings) }),
    () => asker.deleteConnect({ id }),
  ]) {
    await expectDomainError(call(), "SUBSCRIPTION_NOT_FOUND");
  }
}
