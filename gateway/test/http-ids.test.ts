import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { type CallOptions, startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;
const logged: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const logger = createLogger("gateway", "info", { write: (line: string) => void logged.push(line) });
  gateway = await startTestGateway(database.url, { logger });
  token = await gateway.auth.token("click:read click:write click:accept");
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ownTrace = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

describe("request id and trace", () => {
  const accept = { token, body: { templateSlug: "terms", userRef: "u" }, headers: { "X-Idempotency-Key": "ids" } };
  const requests: [string, number, string, string, CallOptions][] = [
    ["a success", 200, "GET", "/healthz", {}],
    ["an unknown path", 404, "GET", "/nothing/here", {}],
    ["a wrong method", 405, "DELETE", "/v1/click/accept", {}],
    ["no credential", 401, "POST", "/v1/click/accept", accept],
    ["a path with a bad escape", 400, "GET", "/v1/click/templates/%zz", {}],
    ["an options request", 405, "OPTIONS", "/v1/click/accept", {}],
    ["a reference page", 200, "GET", "/docs", {}],
  ];

  test.each(requests)("%s carries both", async (_name, status, method, path, options) => {
    const answer = await gateway.call(method, path, options);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("x-request-id")).toMatch(uuidV7);
    expect(answer.headers.get("traceparent")).toMatch(ownTrace);
    expect(answer.headers.get("x-powered-by")).toBeNull();
    // Only files have one, which are the same for everybody; what must not be kept has none.
    if (path !== "/docs") expect(answer.headers.get("etag")).toBeNull();
    if (status >= 400) {
      expect(answer.body).toEqual({
        errorCode: expect.any(String),
        message: expect.any(String),
        requestId: answer.headers.get("x-request-id"),
      });
    }
  });

  test("the caller's are kept when they are well-formed", async () => {
    const answer = await gateway.call("GET", "/nothing", {
      headers: {
        "X-Request-Id": "My.request_id-1",
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      },
    });
    expect(answer.headers.get("x-request-id")).toBe("My.request_id-1");
    expect(answer.body.requestId).toBe("My.request_id-1");
    expect(answer.headers.get("traceparent")).toMatch(
      /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)\w{16}-01$/,
    );
  });

  test.each(["has space", "x".repeat(129), "semi;colon", "<script>", "a,b"])(
    "the request id %p is replaced",
    async (sent) => {
      const answer = await gateway.call("GET", "/nothing", { headers: { "X-Request-Id": sent } });
      expect(answer.headers.get("x-request-id")).toMatch(uuidV7);
    },
  );

  test.each([
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "nonsense",
  ])("the trace %s starts anew", async (traceparent) => {
    const answer = await gateway.call("GET", "/nothing", { headers: { traceparent } });
    expect(answer.headers.get("traceparent")).not.toContain("4bf92f3577b34da6a3ce929d0e0e4736");
    expect(answer.headers.get("traceparent")).toMatch(ownTrace);
  });

  test("services get the trace and the request id", async () => {
    const answer = await gateway.call("GET", "/v1/click/templates", {
      token,
      headers: { "X-Request-Id": "for-services" },
    });
    expect(gateway.templates.seen.callers.at(-1)).toMatchObject({
      requestId: "for-services",
      traceparent: answer.headers.get("traceparent"),
    });
  });
});

describe("the access log", () => {
  test("has one line per request, without credentials", async () => {
    await gateway.call("GET", "/v1/click/templates?limit=3", { token, headers: { "X-Request-Id": "logged" } });
    const line = await until(() => logged.find((text) => text.includes('"requestId":"logged"')));
    expect(JSON.parse(line)).toMatchObject({
      level: "info",
      requestId: "logged",
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      orgId: "0190a000-0000-7000-8000-00000000000a",
      clientId: "cl_test",
      method: "GET",
      route: "/v1/click/templates",
      status: 200,
      ms: expect.any(Number),
      msg: "request",
    });
    expect(logged.join("")).not.toContain(token);
  });
});
