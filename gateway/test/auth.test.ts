import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { orgA } from "./fake-auth.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const list = (authorization: string | undefined) =>
  gateway.call("GET", "/v1/click/templates", {
    headers: authorization === undefined ? {} : { Authorization: authorization },
  });

describe("authentication", () => {
  test("an access token with the scope is let in", async () => {
    const answer = await list(`Bearer ${await gateway.auth.token("click:read")}`);
    expect(answer.status).toBe(200);
  });

  test("an API key is let in, has every scope and acts for its organization", async () => {
    gateway.auth.apiKeys.set("ak_test_good", { keyId: "goodkeygoodkey00", organizationId: orgA });
    const created = await gateway.call("POST", "/v1/click/templates", {
      token: "ak_test_good",
      body: { name: "By key", type: "STATIC" },
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ organizationId: orgA, createdBy: "goodkeygoodkey00" });
  });

  test("a key is looked up once, whether it is good or not", async () => {
    gateway.auth.apiKeys.set("ak_test_cached", { keyId: "cached", organizationId: orgA });
    const before = gateway.auth.calls.apiKeys;
    for (const key of ["ak_test_cached", "ak_test_unknown", "ak_test_cached", "ak_test_unknown"])
      await list(`Bearer ${key}`);
    expect(gateway.auth.calls.apiKeys - before).toBe(2);
  });

  test.each([
    ["no header", undefined],
    ["an empty header", ""],
    ["another scheme", "Basic YTpi"],
    ["a scheme without a token", "Bearer"],
    ["two tokens", "Bearer a b"],
    ["a token with characters that none has", "Bearer a,b"],
  ])("%s is UNAUTHORIZED", async (_name, header) => {
    const answer = await list(header);
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({
      errorCode: "UNAUTHORIZED",
      message: expect.any(String),
      requestId: answer.headers.get("x-request-id"),
    });
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="assent"');
  });

  test("an expired token is TOKEN_EXPIRED, with 5 s of tolerance", async () => {
    const now = Math.floor(Date.now() / 1000);
    const claims = gateway.auth.claims("cl_test", orgA, "click:read");
    const expired = await list(`Bearer ${await gateway.auth.sign({ ...claims, exp: now - 6 })}`);
    expect([expired.status, expired.body.errorCode]).toEqual([401, "TOKEN_EXPIRED"]);
    const tolerated = await list(`Bearer ${await gateway.auth.sign({ ...claims, exp: now - 1 })}`);
    expect(tolerated.status).toBe(200);
  });

  test("a token of the moment, and one without a scope that is needed, are told apart", async () => {
    const answer = await list(`Bearer ${await gateway.auth.token("click:accept")}`);
    expect([answer.status, answer.body.errorCode]).toEqual([403, "INSUFFICIENT_SCOPE"]);
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="assent", error="insufficient_scope"');
  });

  test("an expired token that is not genuine is INVALID_TOKEN", async () => {
    const expired = { ...gateway.auth.claims("cl_test", orgA, "click:read"), exp: 1 };
    const forged = `${(await gateway.auth.sign(expired)).split(".").slice(0, 2).join(".")}.${"A".repeat(86)}`;
    const elsewhere = await gateway.auth.sign({ ...expired, aud: "other" });
    for (const token of [forged, elsewhere]) {
      expect((await list(`Bearer ${token}`)).body.errorCode).toBe("INVALID_TOKEN");
    }
  });

  test("the scheme may be written in any case", async () => {
    expect((await list(`bEARER ${await gateway.auth.token("click:read")}`)).status).toBe(200);
  });
});

describe("revocation", () => {
  const statusOf = async (token: string) => (await list(`Bearer ${token}`)).status;

  test("a revoked token is refused within a second although it was verified before", async () => {
    const token = await gateway.auth.token("click:read");
    const other = await gateway.auth.token("click:read");
    expect(await statusOf(token)).toBe(200);
    const { jti } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    gateway.auth.change({ case: "revokedTokenId", value: jti });
    await until(async () => (await statusOf(token)) === 401, 1_000);
    expect((await list(`Bearer ${token}`)).body.errorCode).toBe("INVALID_TOKEN");
    expect(await statusOf(other)).toBe(200);
  });

  test("all tokens of a revoked client are refused", async () => {
    const tokens = [
      await gateway.auth.token("click:read", "cl_gone"),
      await gateway.auth.token("click:read", "cl_gone"),
    ];
    expect(await statusOf(tokens[0] ?? "")).toBe(200);
    gateway.auth.change({ case: "revokedClientId", value: "cl_gone" });
    await until(async () => (await statusOf(tokens[1] ?? "")) === 401, 1_000);
    expect(await statusOf(tokens[0] ?? "")).toBe(401);
  });

  test("a revoked API key is refused although it was looked up before", async () => {
    gateway.auth.apiKeys.set("ak_test_revoked", { keyId: "revokedkey", organizationId: orgA });
    expect(await statusOf("ak_test_revoked")).toBe(200);
    gateway.auth.change({ case: "revokedKeyId", value: "revokedkey" });
    await until(async () => (await statusOf("ak_test_revoked")) === 401, 1_000);
  });
});

describe("rotation of the signing key", () => {
  const started = () => {
    const { auth, templates, click } = gateway;
    return startTestGateway(database.url, { fakes: { auth, templates, click } });
  };
  const statusAt = async (place: TestGateway, token: string) =>
    (await place.call("GET", "/v1/click/templates", { token })).status;

  test("a token of the old key is good while its key is published, and no longer", async () => {
    const { auth } = gateway;
    const sign = (kid: string) => auth.sign(auth.claims("cl_test", orgA, "click:read"), { kid });
    const [byOld, byNew] = [await sign("key-1"), await sign("key-2")];
    const before = await started();
    auth.publishedKeys.set("key-2", auth.nextSigning);
    const during = await started();
    try {
      // Before the first use of a new key every gateway has read the set with it: it is published a day earlier.
      expect([await statusAt(before, byOld), await statusAt(during, byOld)]).toEqual([200, 200]);
      expect(await statusAt(during, byNew)).toBe(200);
      auth.publishedKeys.delete("key-1");
      const after = await started();
      try {
        expect([await statusAt(after, byOld), await statusAt(after, byNew)]).toEqual([401, 200]);
      } finally {
        await after.stop();
      }
    } finally {
      auth.publishedKeys.set("key-1", auth.signing).delete("key-2");
      await Promise.all([before.stop(), during.stop()]);
    }
  });
});

describe("without the auth service", () => {
  test("a gateway that has not read the revocations trusts nobody and is not ready", async () => {
    const fakes = { auth: gateway.auth, templates: gateway.templates, click: gateway.click };
    const token = await gateway.auth.token("click:read");
    gateway.auth.setDown(true);
    const started = await startTestGateway(database.url, { fakes });
    try {
      const answer = await started.call("GET", "/v1/click/templates", { token });
      expect([answer.status, answer.body.errorCode]).toEqual([503, "SERVICE_UNAVAILABLE"]);
      expect(answer.headers.get("retry-after")).toBe("1");
      expect((await started.call("GET", "/healthz")).status).toBe(503);
      gateway.auth.setDown(false);
      await until(async () => (await started.call("GET", "/healthz")).status === 200);
      expect((await started.call("GET", "/v1/click/templates", { token })).status).toBe(200);
    } finally {
      gateway.auth.setDown(false);
      await started.stop();
    }
  });

  test("tokens still work, and unknown keys answer 503 instead of 401", async () => {
    const token = await gateway.auth.token("click:read");
    await list(`Bearer ${token}`);
    gateway.auth.setDown(true);
    try {
      expect((await list(`Bearer ${token}`)).status).toBe(200);
      expect((await list("Bearer ak_test_somebody")).status).toBe(503);
    } finally {
      gateway.auth.setDown(false);
    }
  });
});
