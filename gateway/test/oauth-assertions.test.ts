import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { uniqueName } from "./sample-requests.ts";
import { type Answer, startTestGateway, type TestGateway } from "./test-gateway.ts";

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

const secret = "cs_secret";

beforeEach(() => {
  clientId = uniqueName("cl").replace(" ", "_");
  const scopes = ["click:read", "click:write"];
  gateway.auth.clients.set(clientId, { secret, organizationId: orgA, scopes });
});

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const formType = { "Content-Type": "application/x-www-form-urlencoded" };
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const assertionOf = (iss: string, signature = "good") => `${base64({ alg: "ES256" })}.${base64({ iss })}.${signature}`;
const assert = (
  fields: Record<string, string> = {},
  headers = {},
  assertion = assertionOf(clientId),
  sender = gateway,
) =>
  sender.call("POST", "/oauth/token", {
    body: new URLSearchParams({ grant_type: jwtBearer, assertion, ...fields }).toString(),
    headers: { ...formType, ...headers },
  });

describe("JWT-bearer grant", () => {
  test.each(["/oauth2/token", "/oauth/token"])("%s issues a token, to forms and to JSON", async (path) => {
    const asForm = await assert({ client_id: clientId });
    expect(asForm.body).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 3600,
      scope: "click:read click:write",
    });
    expect(asForm.headers.get("cache-control")).toBe("private, no-store");
    const asJson = await gateway.call("POST", path, {
      body: { grant_type: jwtBearer, assertion: assertionOf(clientId) },
    });
    const list = await gateway.call("GET", "/v1/click/templates", { token: asJson.body.access_token });
    expect([asJson.status, list.status]).toEqual([200, 200]);
  });

  test("an old access token beside the assertion says nothing", async () => {
    expect((await assert({}, { Authorization: "Bearer old" })).status).toBe(200);
  });

  test("the auth service is told the scopes and the names of this token endpoint", async () => {
    await assert({ scope: "signature  impersonation" });
    const host = `127.0.0.1:${gateway.port}`;
    expect(gateway.auth.assertions.at(-1)).toMatchObject({
      assertion: assertionOf(clientId),
      scopes: ["signature", "impersonation"],
      audiences: [host, `http://${host}`, `http://${host}/oauth2/token`, `http://${host}/oauth/token`],
    });
  });

  test("with PUBLIC_URL the names are its own, whatever Host a request has", async () => {
    const fakes = { auth: gateway.auth, templates: gateway.templates, click: gateway.click };
    const configured = await startTestGateway(database.url, {
      fakes,
      config: { publicUrl: "https://api.example.com/assent" },
    });
    try {
      expect((await assert({}, {}, assertionOf(clientId), configured)).status).toBe(200);
      expect(gateway.auth.assertions.at(-1)?.audiences).toEqual([
        "api.example.com",
        "https://api.example.com",
        "https://api.example.com/assent/oauth2/token",
        "https://api.example.com/assent/oauth/token",
      ]);
    } finally {
      await configured.stop();
    }
  });

  const form = (fields: Record<string, string>) =>
    gateway.call("POST", "/oauth/token", { body: new URLSearchParams(fields).toString(), headers: formType });
  const twice = () =>
    gateway.call("POST", "/oauth/token", {
      body: `grant_type=${encodeURIComponent(jwtBearer)}&assertion=${assertionOf(clientId)}&assertion=a.b.c`,
      headers: formType,
    });
  const basic = { Authorization: `Basic ${btoa(`cl_somebody:${secret}`)}` };
  const failures: [string, () => Promise<Answer>, number, string][] = [
    ["an assertion that is missing", () => form({ grant_type: jwtBearer }), 400, "invalid_request"],
    ["an assertion that comes twice", twice, 400, "invalid_request"],
    [
      "an assertion that is far too long",
      () => form({ grant_type: jwtBearer, assertion: "a".repeat(9_000) }),
      400,
      "invalid_request",
    ],
    ["an assertion with a secret", () => assert({ client_secret: secret }), 400, "invalid_request"],
    ["an assertion with Basic", () => assert({}, basic), 400, "invalid_request"],
    ["an assertion of nobody", () => form({ grant_type: jwtBearer, assertion: "a.b.c" }), 400, "invalid_grant"],
    ["an assertion that is no JWT", () => form({ grant_type: jwtBearer, assertion: "nonsense" }), 400, "invalid_grant"],
    ["an assertion of another client than is named", () => assert({ client_id: "cl_other" }), 400, "invalid_grant"],
    ["an assertion of an unknown client", () => assert({}, {}, assertionOf("cl_unknown")), 400, "invalid_grant"],
    ["an assertion that is not signed well", () => assert({}, {}, assertionOf(clientId, "bad")), 400, "invalid_grant"],
  ];

  test.each(failures)("%s is refused", async (_name, send, status, error) => {
    const answer = await send();
    expect([answer.status, answer.body]).toEqual([status, { error, error_description: expect.any(String) }]);
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
  });

  test("assertions that are refused get one answer", async () => {
    const answers = [
      await assert({}, {}, assertionOf("cl_unknown")),
      await assert({}, {}, assertionOf(clientId, "bad")),
      await assert({}, {}, "nonsense"),
    ];
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });
});
