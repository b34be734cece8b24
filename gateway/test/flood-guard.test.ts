import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createMetrics } from "#platform/metrics.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import type { GatewayConfig } from "../config.ts";
import { createFakes, type Fakes, startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let fakes: Fakes;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();
  fakes = await createFakes();
  token = await fakes.auth.token("click:read");
});

afterAll(async () => {
  await database?.drop();
});

/** A gateway of its own, since all tests come from one address. */
async function withGateway(
  config: Partial<GatewayConfig>,
  run: (gateway: TestGateway, refusals: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const metrics = createMetrics();
  const gateway = await startTestGateway(database.url, { fakes, config, metrics });
  try {
    await run(gateway, async () => (await metrics.limiterRefusals.get()).values);
  } finally {
    await gateway.stop();
  }
}

const list = (gateway: TestGateway, headers: Record<string, string> = {}) =>
  gateway.call("GET", "/v1/click/templates", { token, headers });
const from = (address: string) => ({ "X-Forwarded-For": address });

describe("an address that sends too much", () => {
  test("is refused before authentication, with everything that a refusal tells", () =>
    withGateway({ floodGuardRequests: 3 }, async (gateway, refusals) => {
      for (let n = 0; n < 3; n += 1) expect((await list(gateway)).status).toBe(200);
      const before = Date.now() / 1_000;
      const answer = await gateway.call("GET", "/v1/click/templates", { headers: { "X-Request-Id": "flooding" } });
      expect([answer.status, answer.body]).toEqual([
        429,
        { errorCode: "CLICK_RATE_LIMITED", message: expect.any(String), requestId: "flooding" },
      ]);
      expect(answer.headers.get("x-request-id")).toBe("flooding");
      expect(answer.headers.get("traceparent")).not.toBeNull();
      expect(answer.headers.get("x-ratelimit-limit")).toBe("3");
      expect(answer.headers.get("x-ratelimit-remaining")).toBe("0");
      const retryAfter = Number(answer.headers.get("retry-after"));
      expect(retryAfter).toBeGreaterThanOrEqual(1);
      expect(retryAfter).toBeLessThanOrEqual(20);
      const resetAt = Number(answer.headers.get("x-ratelimit-reset"));
      expect(resetAt).toBeGreaterThanOrEqual(before);
      expect(resetAt).toBeLessThanOrEqual(Date.now() / 1_000 + 21);
      expect(await refusals()).toEqual([expect.objectContaining({ labels: { group: "flood" }, value: 1 })]);
    }));

  test("reads the error that the address has, on addresses that do not exist too", () =>
    withGateway({ floodGuardRequests: 1 }, async (gateway) => {
      await gateway.call("GET", "/nothing");
      for (const [method, path, error] of [
        ["GET", "/nothing", { errorCode: "RATE_LIMIT_EXCEEDED" }],
        ["GET", "/v1/click/nothing", { errorCode: "CLICK_RATE_LIMITED" }],
        ["DELETE", "/v1/click/accept", { errorCode: "CLICK_RATE_LIMITED" }],
        ["GET", "/v1/gen/nothing", { code: "rate_limited", details: expect.objectContaining({ plan: null }) }],
        ["PUT", "/batches", { code: "rate_limited" }],
        ["GET", "/openapi.json", { errorCode: "RATE_LIMIT_EXCEEDED" }],
        ["POST", "/oauth2/token", { error: "temporarily_unavailable" }],
      ] as const) {
        const answer = await gateway.call(method, path);
        expect([path, answer.status, answer.body]).toEqual([path, 429, expect.objectContaining(error)]);
      }
    }));

  test("may read the refusal in a page where it may read the answer", () =>
    withGateway({ floodGuardRequests: 1 }, async (gateway) => {
      await gateway.call("GET", "/nothing");
      const allowed = async (path: string) =>
        (await gateway.call("GET", path)).headers.get("access-control-allow-origin");
      expect(await allowed("/v1/click/render/dep_1/embed.js")).toBe("*");
      expect(await allowed("/v1/click/render/dep_1/embed/js")).toBeNull();
      expect(await allowed("/v1/click/templates")).toBeNull();
    }));

  test("takes nothing from the budget of the client, and asks no service", () =>
    withGateway({ floodGuardRequests: 1 }, async (gateway) => {
      const first = await list(gateway);
      const asked = fakes.templates.seen.callers.length;
      for (let n = 0; n < 5; n += 1) expect((await list(gateway)).headers.get("x-ratelimit-limit")).toBe("1");
      expect(fakes.templates.seen.callers).toHaveLength(asked);
      await withGateway({}, async (other) => {
        const remaining = Number((await list(other)).headers.get("x-ratelimit-remaining"));
        expect(remaining).toBeGreaterThanOrEqual(Number(first.headers.get("x-ratelimit-remaining")) - 1);
      });
    }));

  test("may still ask whether the gateway is healthy", () =>
    withGateway({ floodGuardRequests: 1 }, async (gateway) => {
      await list(gateway);
      expect((await list(gateway)).status).toBe(429);
      for (let n = 0; n < 10; n += 1) expect((await gateway.call("GET", "/healthz")).status).toBe(200);
    }));

  test("is never refused with 0", () =>
    withGateway({ floodGuardRequests: 0 }, async (gateway) => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => gateway.call("GET", "/nothing")));
      expect(answers.every(({ status }) => status === 404)).toBe(true);
    }));
});

describe("guesses at credentials", () => {
  test.each([
    ["no credential", (gateway: TestGateway) => gateway.call("GET", "/v1/click/templates")],
    ["a token that is none", (gateway: TestGateway) => gateway.call("GET", "/v1/click/templates", { token: "guess" })],
    [
      "a wrong client secret",
      (gateway: TestGateway) =>
        gateway.call("POST", "/oauth2/token", {
          body: { grant_type: "client_credentials", client_id: "cl_guess", client_secret: "guess" },
        }),
    ],
  ])("%s costs 20", (_name, guess) =>
    // Two guesses leave a debt that a slow machine does not pay back while the test runs.
    withGateway({ floodGuardRequests: 21 }, async (gateway) => {
      for (let n = 0; n < 2; n += 1) expect((await guess(gateway)).status).toBe(401);
      expect((await guess(gateway)).status).toBe(429);
      expect((await list(gateway)).status).toBe(429);
    }),
  );

  test("what is refused for another reason costs 1", () =>
    withGateway({ floodGuardRequests: 50 }, async (gateway) => {
      for (let n = 0; n < 20; n += 1) {
        const answer = await gateway.call("POST", "/v1/click/templates", {
          token,
          body: { name: "x", type: "STATIC" },
        });
        expect(answer.status).toBe(403);
      }
      expect((await list(gateway)).status).toBe(200);
    }));
});

describe("which address counts", () => {
  test("X-Forwarded-For of somebody who is not trusted changes nothing", () =>
    withGateway({ floodGuardRequests: 2 }, async (gateway) => {
      expect((await list(gateway, from("192.0.2.1"))).status).toBe(200);
      expect((await list(gateway, from("192.0.2.2"))).status).toBe(200);
      for (const name of ["X-Forwarded-For", "Forwarded", "X-Real-IP", "CF-Connecting-IP", "True-Client-IP"]) {
        const value = name === "Forwarded" ? "for=192.0.2.3" : "192.0.2.3";
        expect((await list(gateway, { [name]: value })).status).toBe(429);
      }
    }));

  test("a trusted proxy tells it, and only what the proxy itself added is believed", () =>
    withGateway({ floodGuardRequests: 2, trustedProxies: ["127.0.0.1"] }, async (gateway) => {
      expect((await list(gateway, from("198.51.100.1, 192.0.2.1"))).status).toBe(200);
      expect((await list(gateway, from("198.51.100.2, 192.0.2.1"))).status).toBe(200);
      expect((await list(gateway, from("198.51.100.3, 192.0.2.1"))).status).toBe(429);
      expect((await list(gateway, from("192.0.2.2"))).status).toBe(200);
    }));

  test("proxies behind each other are gone through while they are trusted", () =>
    withGateway({ floodGuardRequests: 1, trustedProxies: ["127.0.0.1", "10.0.0.0/8"] }, async (gateway) => {
      expect((await list(gateway, from("192.0.2.1, 10.1.2.3"))).status).toBe(200);
      expect((await list(gateway, from("192.0.2.1, 10.9.9.9"))).status).toBe(429);
      expect((await list(gateway, from("192.0.2.1, 203.0.113.5"))).status).toBe(200);
    }));

  test("an IPv6 /64 is one, and a port that a proxy tells is none", () =>
    withGateway({ floodGuardRequests: 1, trustedProxies: ["127.0.0.1"] }, async (gateway) => {
      expect((await list(gateway, from("2001:db8::1"))).status).toBe(200);
      expect((await list(gateway, from("[2001:db8::2]:4711"))).status).toBe(429);
      expect((await list(gateway, from("2001:db8:0:1::1"))).status).toBe(200);
      expect((await list(gateway, from("192.0.2.1:1"))).status).toBe(200);
      expect((await list(gateway, from("192.0.2.1:2"))).status).toBe(429);
      expect((await list(gateway, from("::ffff:192.0.2.1"))).status).toBe(429);
    }));

  test("a text that is no address counts as the proxy, and is recorded nowhere", () =>
    withGateway({ floodGuardRequests: 3, trustedProxies: ["127.0.0.1"] }, async (gateway) => {
      const accepting = await fakes.auth.token("click:accept");
      const answer = await gateway.call("POST", "/v1/click/accept", {
        token: accepting,
        body: { templateSlug: "terms", userRef: "u" },
        headers: { "X-Idempotency-Key": "no address", ...from("x".repeat(5_000)) },
      });
      expect(answer.status).toBe(201);
      expect(fakes.click.seen.batches.at(-1)?.items[0]?.caller?.observed?.ip).toBe("127.0.0.1");
      expect((await list(gateway, from("unknown"))).status).toBe(200);
      expect((await list(gateway, from("_hidden"))).status).toBe(200);
      expect((await list(gateway, from("999.1.1.1"))).status).toBe(429);
    }));
});
