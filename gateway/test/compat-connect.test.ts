import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import {
  type CreateConnectRequest,
  type Delivery,
  DeliveryStatus,
  type RetryConnectRequest,
} from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { newId } from "#platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA, orgB } from "./fake-auth.ts";
import { at } from "./sample-agreement.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

/** Has no types. */
const docusign = createRequire(import.meta.url)("docusign-esign");

let database: TestDatabase;
let gateway: TestGateway;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
  token = await gateway.auth.token("sign:read sign:admin sign:write");
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const account = `/restapi/v2.1/accounts/${orgA}`;
const call = (method: string, path: string, body?: unknown, as = token) =>
  gateway.call(method, `${account}${path}`, { token: as, ...(body === undefined ? {} : { body }) });

const configuration = {
  name: "Orders",
  urlToPublishTo: "https://www.example.com/hooks",
  configurationType: "custom",
  allowEnvelopePublish: true,
  requiresAcknowledgement: "True",
  deliveryMode: "SIM",
  events: ["envelope-completed"],
  eventData: { version: "restv2.1", format: "json", includeData: ["recipients"] },
  whatever: { is: "ignored" },
};

describe("configurations", () => {
  test("one is stored with texts, changed in part, listed and deleted", async () => {
    const created = await call("POST", "/connect", configuration);
    expect([created.status, created.body]).toMatchObject([
      201,
      { connectId: expect.stringMatching(/^\d+$/), allowEnvelopePublish: "true", requiresAcknowledgement: "true" },
    ]);
    const { settingsJson } = gateway.webhooks.lastRequest<CreateConnectRequest>("createConnect");
    expect(JSON.parse(settingsJson)).not.toHaveProperty("whatever");
    const { connectId } = created.body;
    const changed = await call("PUT", "/connect", { connectId: Number(connectId), envelopeEvents: "Completed,Voided" });
    expect(changed.body).toEqual({ ...created.body, envelopeEvents: ["Completed", "Voided"] });
    for (const path of ["/connect", `/connect/${connectId}`]) {
      const read = docusign.ConnectConfigResults.constructFromObject((await call("GET", path)).body);
      expect([read.totalRecords, read.configurations[0].eventData.includeData]).toEqual(["1", ["recipients"]]);
    }
    expect((await call("DELETE", `/connect/${connectId}`, {})).status).toBe(200);
    expect((await call("GET", `/connect/${connectId}`)).body.errorCode).toBe("SUBSCRIPTION_NOT_FOUND");
    expect((await call("GET", "/connect")).body).toEqual({ configurations: [], totalRecords: "0" });
  });

  test.each([
    ["urlToPublishTo", { urlToPublishTo: undefined }],
    ["urlToPublishTo", { urlToPublishTo: "http://www.example.com/hooks" }],
    ["urlToPublishTo", { urlToPublishTo: "https://user:secret@www.example.com/" }],
    ["urlToPublishTo", { urlToPublishTo: "https://169.254.169.254/latest" }],
    ["urlToPublishTo", { urlToPublishTo: "https://database.internal/" }],
    ["includeOAuth", { includeOAuth: "true" }],
    ["password", { password: "secret" }],
    ["eventData.format", { eventData: { format: "xml" } }],
  ])("%s cannot be kept as it is meant, and is refused", async (field, change) => {
    const { status, body } = await call("POST", "/connect", { ...configuration, ...change });
    expect([status, body.errorCode, body.details[0].field]).toEqual([400, "VALIDATION_FAILED", field]);
  });

  test.each([
    ["url", { url: "https://127.0.0.1/hooks" }],
    ["eventData.format", { url: "https://www.example.com/", eventData: { format: "XML" } }],
    ["useSoapInterface", { url: "https://www.example.com/", useSoapInterface: "true" }],
  ])("%s of a receiver that an envelope names is refused alike", async (field, notification) => {
    for (const [place, body] of [
      ["eventNotification", { eventNotification: notification }],
      ["eventNotifications[0]", { eventNotifications: [notification] }],
    ] as const) {
      const { status, body: error } = await call("POST", "/envelopes", body);
      expect([status, error.details.map((one: { field: string }) => one.field)]).toEqual([400, [`${place}.${field}`]]);
    }
  });
});

describe("keys", () => {
  test("one is shown when it is made, listed without its secret, and deleted", async () => {
    const made = await call("POST", "/connect/secret", {});
    const keyId = made.body.keyId;
    expect([made.status, made.body]).toEqual([
      201,
      { keyId, created: "2026-11-20T17:00:00.1230000Z", secret: Buffer.alloc(32, 3).toString("base64") },
    ]);
    expect((await call("GET", "/connect/secret")).body).toEqual({
      secrets: [{ keyId, created: "2026-11-20T17:00:00.1230000Z" }],
      totalRecords: "1",
    });
    const reader = await gateway.auth.token("sign:read", "cl_reader");
    expect((await call("POST", "/connect/secret", {}, reader)).status).toBe(403);
    expect((await call("DELETE", `/connect/secret/${keyId}`, {})).status).toBe(200);
    const again = await call("DELETE", `/connect/secret/${keyId}`, {});
    expect([again.status, again.body.errorCode]).toEqual([404, "CONNECT_SECRET_NOT_FOUND"]);
  });
});

describe("the log", () => {
  const attempt = {
    at: at(7),
    statusCode: 503,
    durationMs: 20,
    response: "Busy",
    url: "https://www.example.com/hooks",
  };
  let agreementId: string;
  let delivered: Delivery;
  let dead: Delivery;

  beforeAll(() => {
    agreementId = gateway.sign.add(orgA, { status: AgreementStatus.COMPLETED }).id;
    const common = { agreementId, connectId: 7n, attemptCount: 1 };
    delivered = gateway.webhooks.addDelivery(orgA, {
      ...common,
      ...{ status: DeliveryStatus.DELIVERED, createdAt: at(5), eventType: "envelope-sent" },
      attempts: [{ ...attempt, statusCode: 200 }],
    });
    dead = gateway.webhooks.addDelivery(orgA, {
      ...common,
      ...{ status: DeliveryStatus.DEAD, createdAt: at(6), attemptCount: 3 },
      attempts: [{ ...attempt, error: "the answer has the status 503" }],
    });
    gateway.webhooks.addDelivery(orgA);
    gateway.webhooks.addDelivery(orgB, { connectId: 7n });
  });

  test("has what was sent and what failed, as clients know it, and nothing of endpoints", async () => {
    const { body } = await call("GET", "/connect/logs");
    const read = docusign.ConnectLogs.constructFromObject(body);
    expect([read.totalRecords, read.logs.length, read.failures.length]).toEqual(["2", 1, 1]);
    expect(body.logs[0]).toEqual({
      accountId: orgA,
      connectId: "7",
      envelopeId: agreementId,
      status: "Sent",
      created: "2026-11-20T17:05:00.1230000Z",
      lastTry: "2026-11-20T17:07:00.1230000Z",
      configUrl: "https://www.example.com/hooks",
      retryCount: "0",
      logId: delivered.id,
      logUri: `/connect/logs/${delivered.id}`,
    });
    const failures = (await call("GET", "/connect/failures")).body;
    expect([failures.totalRecords, failures.logs]).toEqual(["1", []]);
    expect(failures.failures).toEqual([
      expect.objectContaining({
        ...{ failureId: dead.id, status: "Completed", error: "the answer has the status 503", retryCount: "2" },
        retryUri: `/connect/envelopes/${agreementId}/retry_queue`,
      }),
    ]);
  });

  test("is of the time that is asked for", async () => {
    const count = async (query: string) => (await call("GET", `/connect/logs?${query}`)).body.totalRecords;
    expect(await count("from_date=2026-11-20T17:06:00Z")).toBe("1");
    expect(await count("to_date=2026-11-20T17:05:30Z")).toBe("1");
    expect(await count("from_date=2026-11-21")).toBe("0");
    expect((await call("GET", "/connect/logs?from_date=soon")).status).toBe(400);
  });

  test("tells each attempt of an entry when it is asked to", async () => {
    const plain = (await call("GET", `/connect/logs/${dead.id}`)).body;
    expect(plain).not.toHaveProperty("connectDebugLog");
    const { body } = await call("GET", `/connect/logs/${dead.id.toUpperCase()}?additional_info=true`);
    expect(docusign.ConnectLog.constructFromObject(body).connectDebugLog[0]).toMatchObject({
      ...{ connectConfig: "7", eventDescription: "503 Busy", eventDateTime: "2026-11-20T17:07:00.1230000Z" },
      errorDetails: { errorCode: "CONNECT_FAILED", message: "the answer has the status 503" },
    });
    for (const id of [gateway.webhooks.addDelivery(orgA).id, newId(), "1"]) {
      const { status, body: error } = await call("GET", `/connect/logs/${id}`);
      expect([status, error.errorCode]).toEqual([404, "WEBHOOK_DELIVERY_NOT_FOUND"]);
    }
  });

  test("what failed is sent again: of one envelope, of several, or of all", async () => {
    const queue = { envelopeId: agreementId, configId: "7", configUrl: "https://www.example.com/hooks" };
    const one = await call("PUT", `/connect/envelopes/${agreementId}/retry_queue`, {});
    expect([one.status, one.body]).toEqual([200, { retryQueue: [expect.objectContaining(queue)] }]);
    const several = await call("PUT", "/connect/envelopes/retry_queue", {
      envelopeIds: [agreementId.toUpperCase(), "no id"],
      synchronous: "false",
    });
    expect(docusign.ConnectFailureResults.constructFromObject(several.body).retryQueue).toHaveLength(1);
    expect(gateway.webhooks.lastRequest<RetryConnectRequest>("retryConnect").agreementIds).toEqual([agreementId]);
    expect((await call("PUT", "/connect/envelopes/retry_queue", { envelopeIds: ["no id"] })).body.retryQueue).toEqual(
      [],
    );
    expect((await call("PUT", "/connect/envelopes/retry_queue")).body.retryQueue).toHaveLength(1);
    expect(gateway.webhooks.lastRequest<RetryConnectRequest>("retryConnect").agreementIds).toEqual([]);
    for (const id of [gateway.sign.add(orgB).id, newId()]) {
      expect((await call("PUT", `/connect/envelopes/${id}/retry_queue`)).body.errorCode).toBe("ENVELOPE_NOT_FOUND");
    }
  });
});
