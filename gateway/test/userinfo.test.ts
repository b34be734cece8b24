import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { scopeMeanings } from "#api/scopes.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA, orgB } from "./fake-auth.ts";
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

const ask = (token: string, headers: Record<string, string> = {}) =>
  gateway.call("GET", "/oauth/userinfo", { token, headers });

describe("userinfo", () => {
  test("a token learns its client and the one account that it works for", async () => {
    const answer = await ask(await gateway.auth.token("click:read", "cl_shop"));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      sub: orgA,
      name: "Name of cl_shop",
      given_name: "Name of cl_shop",
      family_name: "Organization A",
      created: "2026-06-01T12:00:00.500Z",
      email: "cl_shop@clients.invalid",
      accounts: [
        {
          account_id: orgA,
          is_default: true,
          account_name: "Organization A",
          base_uri: `http://127.0.0.1:${gateway.port}`,
        },
      ],
    });
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
  });

  test("an API key learns the same of itself", async () => {
    gateway.auth.apiKeys.set("ak_test_userinfo", { keyId: "userinfokey00000", organizationId: orgB });
    const answer = await ask("ak_test_userinfo");
    expect(answer.body).toMatchObject({ sub: orgB, name: "Name of userinfokey00000", family_name: "Organization B" });
  });

  test.each(Object.keys(scopeMeanings))("the scope %s is enough", async (scope) => {
    expect((await ask(await gateway.auth.token(scope, "cl_any"))).status).toBe(200);
  });

  test("it counts among the requests of signing", async () => {
    const organization = "0190a000-0000-7000-8000-00000000000c";
    gateway.auth.setLimits(organization, { sign: 2 });
    const token = await gateway.auth.token("sign:read", "cl_counted", organization);
    const answers = [await ask(token), await ask(token), await ask(token), await ask(token), await ask(token)];
    expect(answers[0]?.headers.get("x-ratelimit-limit")).toBe("2");
    // A window may end in between, but never twice.
    expect(answers.map(({ status }) => status)).toContain(429);
    expect(answers.find(({ status }) => status === 429)?.body.errorCode).toBe("RATE_LIMIT_EXCEEDED");
  });

  test("base_uri is an origin, as configured or as asked", async () => {
    const fakes = { auth: gateway.auth, templates: gateway.templates, click: gateway.click };
    const config = { publicUrl: "https://api.example.com/assent" };
    const configured = await startTestGateway(database.url, { fakes, config });
    try {
      const token = await gateway.auth.token("click:read", "cl_any");
      const answer = await configured.call("GET", "/oauth/userinfo", { token });
      expect(answer.body.accounts[0].base_uri).toBe("https://api.example.com");
    } finally {
      await configured.stop();
    }
  });

  test("without a credential, with a bad one and with one that may do nothing it is refused as everywhere", async () => {
    const none = await gateway.call("GET", "/oauth/userinfo");
    expect([none.status, none.body.errorCode, none.headers.get("www-authenticate")]).toEqual([
      401,
      "UNAUTHORIZED",
      'Bearer realm="assent"',
    ]);
    const bad = await ask("nonsense");
    expect([bad.status, bad.body.errorCode, bad.headers.get("www-authenticate")]).toEqual([
      401,
      "INVALID_TOKEN",
      'Bearer realm="assent", error="invalid_token"',
    ]);
    const powerless = await ask(await gateway.auth.token("", "cl_powerless"));
    expect([powerless.status, powerless.body.errorCode, powerless.headers.get("www-authenticate")]).toEqual([
      403,
      "INSUFFICIENT_SCOPE",
      'Bearer realm="assent", error="insufficient_scope"',
    ]);
  });

  test("a credential of somebody who is not there any more is invalid", async () => {
    const answer = await ask(await gateway.auth.token("click:read", "cl_forgotten"));
    expect([answer.status, answer.body.errorCode]).toEqual([401, "INVALID_TOKEN"]);
  });

  test("a session of the dashboard is neither a key nor a client, also where integrations ask for the account", async () => {
    const session = gateway.auth.people.signIn(orgA);
    for (const path of ["/oauth/userinfo", "/restapi/v2.1/login_information", `/restapi/v2.1/accounts/${orgA}`]) {
      const answer = await gateway.call("GET", path, { session });
      expect([answer.status, answer.body.errorCode]).toEqual([
        401,
        path.startsWith("/oauth") ? "INVALID_TOKEN" : expect.any(String),
      ]);
    }
  });

  test("without the auth service it is unavailable", async () => {
    const token = await gateway.auth.token("click:read", "cl_any");
    await ask(token);
    gateway.auth.setDown(true);
    try {
      expect((await ask(token)).status).toBe(503);
    } finally {
      gateway.auth.setDown(false);
    }
  });
});
