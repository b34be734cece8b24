import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createLocalJWKSet, jwtVerify } from "jose";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { uniqueName } from "./sample-requests.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let clientId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

beforeEach(() => {
  clientId = uniqueName("cl").replace(" ", "_");
  gateway.auth.clients.set(clientId, {
    secret: "cs_s3cret:%+",
    organizationId: orgA,
    scopes: ["click:read", "click:write"],
  });
});

const secret = "cs_s3cret:%+";
const request = (body: unknown, headers: Record<string, string> = {}, path = "/oauth2/token") =>
  gateway.call("POST", path, { body, headers });
const form = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  request(new URLSearchParams(fields).toString(), { "Content-Type": "application/x-www-form-urlencoded", ...headers });
const basic = (id: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(password)}`).toString("base64")}`,
});
const grant = { grant_type: "client_credentials" };
const formType = { "Content-Type": "application/x-www-form-urlencoded" };

describe("token endpoint", () => {
  test.each(["/oauth2/token", "/oauth/token"])("%s issues a token that works", async (path) => {
    const answer = await request(
      { ...grant, client_id: clientId, client_secret: secret, scope: "click:read" },
      {},
      path,
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 3600,
      scope: "click:read",
    });
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    expect(answer.headers.get("pragma")).toBe("no-cache");
    expect((await gateway.call("GET", "/v1/click/templates", { token: answer.body.access_token })).status).toBe(200);
  });

  test("ignores a credential of another scheme beside those in the body", async () => {
    const body = { ...grant, client_id: clientId, client_secret: secret };
    expect((await request(body, { Authorization: "Bearer an-old-token" })).status).toBe(200);
  });

  test("understands forms and HTTP Basic", async () => {
    expect((await form({ ...grant, client_id: clientId, client_secret: secret })).body.scope).toBe(
      "click:read click:write",
    );
    expect((await form({ ...grant, scope: "click:write" }, basic(clientId, secret))).body.scope).toBe("click:write");
    expect((await request(grant, basic(clientId, secret))).status).toBe(200);
  });

  const credentials = () => ({ client_id: clientId, client_secret: secret });
  const twice = (name: string) =>
    request(`${new URLSearchParams({ ...grant, ...credentials() })}&${name}=a&${name}=b`, formType);
  const failures: [string, () => ReturnType<typeof request>, number, string][] = [
    [
      "a wrong secret",
      () => request({ ...grant, client_id: clientId, client_secret: "cs_wrong" }),
      401,
      "invalid_client",
    ],
    [
      "an unknown client",
      () => request({ ...grant, client_id: "cl_unknown", client_secret: secret }),
      401,
      "invalid_client",
    ],
    ["no credentials", () => request(grant), 401, "invalid_client"],
    [
      "an id that no client has",
      () => request({ ...grant, client_id: "ünbekannt", client_secret: secret }),
      401,
      "invalid_client",
    ],
    ["a malformed Basic header", () => request(grant, { Authorization: "Basic %%%" }), 401, "invalid_client"],
    [
      "a Basic header with a bad escape",
      () => request(grant, { Authorization: `Basic ${btoa("%zz:%zz")}` }),
      401,
      "invalid_client",
    ],
    [
      "an empty Basic header",
      () => request({ ...grant, ...credentials() }, { Authorization: "Basic" }),
      401,
      "invalid_client",
    ],
    [
      "a Basic header without a colon",
      () => request(grant, { Authorization: `Basic ${btoa("abc")}` }),
      401,
      "invalid_client",
    ],
    [
      "a Basic header in bytes that are no text",
      () => request(grant, { Authorization: "Basic /////w==" }),
      401,
      "invalid_client",
    ],
    ["another scheme", () => request(grant, { Authorization: "Bearer abc" }), 401, "invalid_client"],
    [
      "two ways to authenticate",
      () => request({ ...grant, ...credentials() }, basic(clientId, secret)),
      400,
      "invalid_request",
    ],
    [
      "another client id beside Basic",
      () => request({ ...grant, client_id: "cl_other" }, basic(clientId, secret)),
      400,
      "invalid_request",
    ],
    ["another grant type", () => request({ ...credentials(), grant_type: "password" }), 400, "unsupported_grant_type"],
    [
      "a grant type in capitals",
      () => form({ ...credentials(), grant_type: "CLIENT_CREDENTIALS" }),
      400,
      "unsupported_grant_type",
    ],
    ["no grant type", () => request(credentials()), 400, "invalid_request"],
    ["an empty grant type", () => form({ ...credentials(), grant_type: "" }), 400, "invalid_request"],
    ["a list as its body", () => request([grant]), 400, "invalid_request"],
    ["null as its body", () => request("null"), 400, "invalid_request"],
    ["a scope that comes twice", () => twice("scope"), 400, "invalid_request"],
    ["a secret that comes twice", () => twice("client_secret"), 400, "invalid_request"],
    [
      "a scope that is not granted",
      () => request({ ...grant, ...credentials(), scope: "sign:admin" }),
      400,
      "invalid_scope",
    ],
    [
      "a parameter that comes twice",
      () =>
        form({}, {}).then(() =>
          request("grant_type=client_credentials&grant_type=client_credentials", {
            "Content-Type": "application/x-www-form-urlencoded",
          }),
        ),
      400,
      "invalid_request",
    ],
    [
      "a secret that is no text",
      () => request({ ...grant, client_id: clientId, client_secret: 5 }),
      400,
      "invalid_request",
    ],
    ["malformed JSON", () => request("{"), 400, "invalid_request"],
    ["a body of 20 KiB", () => request({ ...grant, padding: "x".repeat(20_000) }), 400, "invalid_request"],
    ["no body", () => gateway.call("POST", "/oauth2/token"), 400, "invalid_request"],
    ["another content type", () => request("x", { "Content-Type": "text/plain" }), 415, "invalid_request"],
  ];

  test.each(failures)("%s", async (_name, send, status, error) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({
      error,
      error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
    });
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    expect(answer.headers.get("x-request-id")).toBeTruthy();
    if (status === 401) expect(answer.headers.get("www-authenticate")).toBe('Basic realm="assent"');
  });

  test("an empty parameter counts as omitted", async () => {
    const answer = await form({ ...grant, client_id: "", client_secret: "", scope: "" }, basic(clientId, secret));
    expect([answer.status, answer.body.scope]).toEqual([200, "click:read click:write"]);
  });

  test("an unknown client and a wrong secret are one answer", async () => {
    const unknown = await request({ ...grant, client_id: "cl_unknown", client_secret: secret });
    const wrong = await request({ ...grant, client_id: clientId, client_secret: "cs_wrong" });
    expect(unknown.text).toBe(wrong.text);
  });

  test("ten failures of a client are answered, then 429 until the window ends", async () => {
    const guess = () => request({ ...grant, client_id: clientId, client_secret: "cs_guess" });
    const statuses = [];
    for (let n = 0; n < 12; n += 1) statuses.push((await guess()).status);
    // A window may end in between; then there are more answers, never fewer.
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    if (!statuses.includes(429)) for (let n = 0; n < 10; n += 1) statuses.push((await guess()).status);
    const refused = await request({ ...grant, client_id: clientId, client_secret: secret });
    expect([refused.status, refused.body.error]).toEqual([429, "temporarily_unavailable"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("an auth service that is down is 503", async () => {
    gateway.auth.setDown(true);
    try {
      const answer = await request({ ...grant, client_id: clientId, client_secret: secret });
      expect([answer.status, answer.body.error, answer.headers.get("retry-after")]).toEqual([
        503,
        "temporarily_unavailable",
        "1",
      ]);
    } finally {
      gateway.auth.setDown(false);
    }
  });
});

describe("key set", () => {
  test("verifies the tokens that are issued", async () => {
    const answer = await gateway.call("GET", "/.well-known/jwks.json");
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "public, max-age=300"]);
    const verified = await jwtVerify(await gateway.auth.token("click:read"), createLocalJWKSet(answer.body));
    expect(verified.payload.org_id).toBe(orgA);
    expect(answer.text).not.toContain('"d"');
  });
});
