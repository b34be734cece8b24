import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  type CreateEndpointRequest,
  DeliveryStatus,
  type RecoverEndpointRequest,
  type UpdateEndpointRequest,
} from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
  token = await gateway.auth.token("webhooks:read webhooks:write");
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  gateway.call(method, `/v1/webhooks${path}`, { token, headers, ...(body === undefined ? {} : { body }) });
const url = "https://www.example.com/hooks";

describe("endpoints", () => {
  test("one is made of a URL alone, for all types, and shows its secret only then", async () => {
    const { status, body, headers } = await call("POST", "/endpoints", { url, somethingElse: 1 });
    expect([status, headers.get("location")]).toEqual([201, `/v1/webhooks/endpoints/${body.id}`]);
    const endpoint = {
      ...{ id: body.id, organizationId: orgA, url, description: null, eventTypes: [], enabled: true },
      ...{ status: "ACTIVE", disabledReason: null, disabledAt: null, failingSince: null, previousSecretUntil: null },
      auditFormat: "ASSENT",
      ...{ createdAt: "2026-11-20T17:00:00.123Z", updatedAt: "2026-11-20T17:00:00.123Z" },
    };
    expect(body).toEqual({ ...endpoint, secret: expect.stringMatching(/^whsec_/) });
    expect((await call("GET", `/endpoints/${body.id}`)).body).toEqual(endpoint);
    expect((await call("GET", "/endpoints?limit=1")).body).toEqual([endpoint]);
  });

  test("null is what is absent, and the key of a repetition is handed on", async () => {
    const wish = { url, description: null, eventTypes: null, enabled: null };
    const key = { "X-Idempotency-Key": "first" };
    const made = await call("POST", "/endpoints", wish, key);
    expect(gateway.webhooks.lastRequest<CreateEndpointRequest>("createEndpoint")).toMatchObject({
      ...{ url, description: "", eventTypes: [], enabled: true, idempotencyKey: "first" },
    });
    expect(made.headers.get("idempotent-replayed")).toBeNull();
    const again = await call("POST", "/endpoints", wish, key);
    expect([again.body.id, again.headers.get("idempotent-replayed")]).toEqual([made.body.id, "true"]);
  });

  test("a change names fields, of which null brings back the default", async () => {
    const { id } = gateway.webhooks.addEndpoint(orgA, { description: "Orders", eventTypes: ["receipt.created"] });
    const disabled = await call("PATCH", `/endpoints/${id}`, { enabled: false });
    expect(disabled.body).toMatchObject({ description: "Orders", status: "DISABLED", disabledReason: "BY_REQUEST" });
    const request = gateway.webhooks.lastRequest<UpdateEndpointRequest>("updateEndpoint");
    expect([request.url, request.description, request.eventTypes]).toEqual([undefined, undefined, undefined]);
    const changed = await call("PATCH", `/endpoints/${id}`, { description: null, eventTypes: null, enabled: true });
    expect(changed.body).toMatchObject({ description: null, eventTypes: [], status: "ACTIVE", disabledAt: null });
    expect((await call("DELETE", `/endpoints/${id}`)).status).toBe(204);
    expect((await call("GET", `/endpoints/${id}`)).body.errorCode).toBe("WEBHOOK_ENDPOINT_NOT_FOUND");
  });

  test("a new secret is shown once, with how long the one before is valid", async () => {
    const { id } = gateway.webhooks.addEndpoint(orgA);
    const { status, body } = await call("POST", `/endpoints/${id}/rotate-secret`);
    expect([status, body.id, body.previousSecretUntil]).toEqual([200, id, "2026-11-20T17:24:00.123Z"]);
    expect(body.secret).toMatch(/^whsec_/);
  });

  test("a test and a recovery are accepted, but not by an endpoint that is disabled", async () => {
    const { id } = gateway.webhooks.addEndpoint(orgA);
    const tested = await call("POST", `/endpoints/${id}/test`);
    expect([tested.status, tested.body.eventType, tested.body.endpointId]).toEqual([202, "webhook.test", id]);
    expect(tested.headers.get("location")).toBe(`/v1/webhooks/deliveries/${tested.body.id}`);
    const since = "2026-11-20T00:00:00.000Z";
    const recovered = await call("POST", `/endpoints/${id}/recover`, { since, until: null });
    expect([recovered.status, recovered.body]).toEqual([202, { queued: 12 }]);
    const request = gateway.webhooks.lastRequest<RecoverEndpointRequest>("recoverEndpoint");
    expect([request.since && timestampDate(request.since).toISOString(), request.until]).toEqual([since, undefined]);
    const off = gateway.webhooks.addEndpoint(orgA, { enabled: false });
    for (const [action, body] of [["test"], ["recover", { since }]] as const) {
      const answer = await call("POST", `/endpoints/${off.id}/${action}`, body);
      expect([answer.status, answer.body.errorCode]).toEqual([409, "WEBHOOK_ENDPOINT_DISABLED"]);
    }
  });

  test.each([
    ["POST", "/endpoints", {}, "url"],
    ["POST", "/endpoints", { url: 1 }, "url"],
    ["POST", "/endpoints", { url, enabled: "yes" }, "enabled"],
    ["POST", "/endpoints", { url, eventTypes: "receipt.created" }, "eventTypes"],
    ["POST", "/endpoints", { url, description: "x".repeat(501) }, "description"],
    ["PATCH", `/endpoints/${newId()}`, { url: null }, "url"],
    ["POST", `/endpoints/${newId()}/recover`, {}, "since"],
    ["POST", `/endpoints/${newId()}/recover`, { since: "yesterday" }, "since"],
  ])("%s %s refuses what is not valid: %j", async (method, path, body, field) => {
    const answer = await call(method, path, body);
    expect([answer.status, answer.body.errorCode, answer.body.details[0].field]).toEqual([
      400,
      "VALIDATION_FAILED",
      field,
    ]);
  });

  test("what the service finds wrong is told with its field", async () => {
    const details = [{ field: "url", code: "FORMAT", message: "must name a public host" }];
    gateway.webhooks.fail.with = new DomainError("VALIDATION_FAILED", { details });
    const { status, body } = await call("POST", "/endpoints", { url: "https://localhost/" });
    gateway.webhooks.fail.with = undefined;
    expect([status, body.errorCode, body.details]).toEqual([400, "VALIDATION_FAILED", details]);
  });
});

describe("deliveries", () => {
  test("are filtered and come page by page", async () => {
    const { id: endpointId } = gateway.webhooks.addEndpoint(orgA);
    const ids = Array.from({ length: 3 }, () => gateway.webhooks.addDelivery(orgA, { endpointId }).id).reverse();
    const dead = gateway.webhooks.addDelivery(orgA, { endpointId, status: DeliveryStatus.DEAD, eventType: "a.b" });
    const list = (query: string) => call("GET", `/deliveries?endpointId=${endpointId.toUpperCase()}${query}`);
    const first = await list("&status=PENDING&limit=2");
    const cursor = first.headers.get("x-next-cursor");
    const second = await list(`&status=PENDING&limit=2&cursor=${cursor}`);
    expect([...first.body, ...second.body].map(({ id }) => id)).toEqual(ids);
    expect(second.headers.get("x-next-cursor")).toBeNull();
    for (const query of ["&status=DEAD", "&eventType=a.b", `&eventId=${dead.eventId}`]) {
      expect((await list(query)).body.map(({ id }: { id: string }) => id)).toEqual([dead.id]);
    }
    for (const query of ["&status=dead", "&limit=0", "&eventId=1", "&eventType="]) {
      expect((await list(query)).status).toBe(400);
    }
  });

  test("one is read and sent again", async () => {
    const delivery = gateway.webhooks.addDelivery(orgA, { status: DeliveryStatus.DEAD });
    expect((await call("GET", `/deliveries/${delivery.id}`)).body).toMatchObject({ id: delivery.id, status: "DEAD" });
    const again = await call("POST", `/deliveries/${delivery.id}/resend`);
    expect([again.status, again.body.status]).toEqual([202, "PENDING"]);
    expect((await call("GET", "/deliveries/1")).body.errorCode).toBe("WEBHOOK_DELIVERY_NOT_FOUND");
  });
});

test("the types of events are listed with an example", async () => {
  expect((await call("GET", "/event-types")).body).toEqual([
    { type: "agreement.completed", description: "All have signed.", example: { agreement: { id: "1" } } },
  ]);
});
