import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { exportSPKI, generateKeyPair, SignJWT } from "jose";
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

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

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

  test("the scheme may be written in any case", async () => {
    expect((await list(`bEARER ${await gateway.auth.token("click:read")}`)).status).toBe(200);
  });
});

describe("forged tokens", () => {
  const forgeries: [string, () => Promise<string> | string][] = [
    ["what is no token", () => "nonsense"],
    ["a token of two parts", () => "a.b"],
    ["a key with a bad checksum", () => "ak_live_0000000000000000_notakey"],
    ["a key that is far too long", () => `ak_live_${"a".repeat(300)}`],
    ["what is longer than any token", () => "a".repeat(9_000)],
    ["alg none", async () => `${base64({ alg: "none", typ: "at+jwt" })}.${base64(claims())}.`],
    [
      "alg none with a signature",
      async () => `${base64({ alg: "none", typ: "at+jwt" })}.${(await good()).split(".").slice(1).join(".")}`,
    ],
    ["HS256 signed with the public key", hs256WithPublicKey],
    ["another algorithm", async () => signWith(await generateKeyPair("EdDSA"), { alg: "EdDSA", typ: "at+jwt" })],
    [
      "another key under our key id",
      async () => signWith(await generateKeyPair("ES256"), { alg: "ES256", typ: "at+jwt", kid: "key-1" }),
    ],
    ["an unknown key id", () => gateway.auth.sign(claims(), { kid: "../../etc/passwd" })],
    ["typ JWT", () => gateway.auth.sign(claims(), { typ: "JWT" })],
    ["no typ", () => gateway.auth.sign(claims(), { typ: undefined })],
    ["another audience", () => gateway.auth.sign({ ...claims(), aud: "other" })],
    ["another issuer", () => gateway.auth.sign({ ...claims(), iss: "other" })],
    ["not yet valid", () => gateway.auth.sign({ ...claims(), nbf: Math.floor(Date.now() / 1000) + 3600 })],
    ["no expiry", () => gateway.auth.sign(without("exp"))],
    ["no client", () => gateway.auth.sign(without("client_id"))],
    ["no token id", () => gateway.auth.sign(without("jti"))],
    ["no organization", () => gateway.auth.sign(without("org_id"))],
    ["a malformed organization", () => gateway.auth.sign({ ...claims(), org_id: "everyone" })],
    [
      "a changed payload",
      async () => (await good()).replace(/\.[^.]*\./, `.${base64({ ...claims(), scope: "click:admin" })}.`),
    ],
    ["an embedded key", embeddedKey],
    ["a key set address", () => gateway.auth.sign(claims(), { jku: "https://evil.example/jwks.json", kid: "evil" })],
  ];

  const claims = () => gateway.auth.claims("cl_test", orgA, "click:read");
  const good = () => gateway.auth.token("click:read");
  const without = (claim: string) => Object.fromEntries(Object.entries(claims()).filter(([name]) => name !== claim));
  const signWith = (
    { privateKey }: Awaited<ReturnType<typeof generateKeyPair>>,
    header: { alg: string; [name: string]: unknown },
  ) => new SignJWT(claims()).setProtectedHeader(header).sign(privateKey);

  async function hs256WithPublicKey(): Promise<string> {
    const input = `${base64({ alg: "HS256", typ: "at+jwt", kid: "key-1" })}.${base64(claims())}`;
    const secret = await exportSPKI(gateway.auth.signing.publicKey);
    return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
  }

  async function embeddedKey(): Promise<string> {
    const pair = await generateKeyPair("ES256", { extractable: true });
    const { exportJWK } = await import("jose");
    return signWith(pair, { alg: "ES256", typ: "at+jwt", jwk: await exportJWK(pair.publicKey) });
  }

  test.each(forgeries)("%s is INVALID_TOKEN", async (_name, forge) => {
    const answer = await list(`Bearer ${await forge()}`);
    expect([answer.status, answer.body.errorCode]).toEqual([401, "INVALID_TOKEN"]);
    expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
    expect(answer.headers.get("x-ratelimit-limit")).toBeNull();
  });

  test("headers of our own protocol from outside change nothing", async () => {
    const answer = await gateway.call("POST", "/v1/click/templates", {
      token: await gateway.auth.token("click:write"),
      body: { name: "Headers", type: "STATIC" },
      headers: { "x-org-id": "0190a000-0000-7000-8000-00000000000b", "x-client-id": "somebody" },
    });
    expect(answer.body).toMatchObject({ organizationId: orgA, createdBy: "cl_test" });
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
