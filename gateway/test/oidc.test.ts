import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { createEgress } from "#platform/net/egress-proxy.ts";
import { type ConnectProxy, startConnectProxy } from "#platform/testing/connect-proxy.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { startIdentityProvider, type TestProvider } from "../../test/support/identity-provider.ts";
import { orgA, orgB } from "./fake-auth.ts";
import { type HostileProvider, startHostileProvider } from "./hostile-provider.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

const begin = "/v1/dashboard/login/oidc";
const callback = `${begin}/callback`;

let database: TestDatabase;
let provider: TestProvider;
let gateway: TestGateway;
let hostile: HostileProvider;
let deceived: TestGateway;
let proxy: ConnectProxy;

beforeAll(async () => {
  database = await createTestDatabase();
  provider = await startIdentityProvider();
  hostile = await startHostileProvider(provider.clientId);
  const { clientId, clientSecret } = provider;
  const oidcOf = (issuer: string) => ({ issuer, clientId, clientSecret, name: "Example SSO" });
  // All that is tried here goes through a proxy, but for what the other gateway does.
  proxy = await startConnectProxy();
  const egress = createEgress(proxy.url);
  gateway = await startTestGateway(database.url, { config: { oidc: { ...oidcOf(provider.issuer), egress } } });
  deceived = await startTestGateway(database.url, { config: { oidc: oidcOf(hostile.issuer) } });
  provider.serve(`${gateway.url}${callback}`);
});

afterAll(async () => {
  await gateway?.stop();
  await deceived?.stop();
  await provider?.stop();
  await hostile?.stop();
  await proxy?.stop();
  await database?.drop();
});

/** The cookies of one browser, wherever it goes: hosts of a test differ by their port only. */
type Jar = Map<string, string>;

async function visit(url: string, jar: Jar): Promise<Response> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const response = await fetch(url, { headers: { Cookie: cookie }, redirect: "manual" });
  for (const line of response.headers.getSetCookie()) {
    const [name = "", value = ""] = line.split(";")[0]?.split("=") ?? [];
    if (value === "") jar.delete(name);
    else jar.set(name, value);
  }
  return response;
}

/** Follows where a browser is led until it is back; the address that it is led back to. */
async function throughProvider(jar: Jar, query = ""): Promise<string> {
  let next = (await visit(`${gateway.url}${begin}${query}`, jar)).headers.get("location") ?? "";
  while (next.startsWith(provider.issuer)) {
    next = new URL((await visit(next, jar)).headers.get("location") ?? "", provider.issuer).href;
  }
  return next;
}

async function logIn(jar: Jar, query = ""): Promise<string> {
  const response = await visit(await throughProvider(jar, query), jar);
  expect(response.status).toBe(303);
  return response.headers.get("location") ?? "";
}

const isIn = async (jar: Jar): Promise<boolean> =>
  (await visit(`${gateway.url}/v1/dashboard/session`, jar)).status === 200;

describe("with a provider", () => {
  let email: string;

  beforeEach(() => {
    email = `${newId()}@example.com`;
    provider.person = { subject: newId(), email, isVerified: true };
  });

  test("a person is signed in and led to where they wanted to be, with a session like any other", async () => {
    gateway.auth.people.add(orgA, { email });
    const jar: Jar = new Map();
    expect(await logIn(jar, `?next=${encodeURIComponent("/webhooks?state=failing")}`)).toBe(
      "/dashboard/webhooks?state=failing",
    );
    expect(await isIn(jar)).toBe(true);
    expect([...jar.keys()].filter((name) => name.startsWith("assent_"))).toEqual(["assent_session"]);
  });

  test.each([
    ["//evil.example/", "/dashboard//evil.example/"],
    ["/../v1/dashboard/logout", "/dashboard/"],
    ["@evil.example", "/dashboard/@evil.example"],
    ["\\\\evil.example", "/dashboard///evil.example"],
  ])("nobody is led away from the dashboard by %s", async (next, expected) => {
    gateway.auth.people.add(orgA, { email });
    expect(await logIn(new Map(), `?next=${encodeURIComponent(next)}`)).toBe(expected);
  });

  test("somebody in several organizations chooses one, and begins again with it", async () => {
    gateway.auth.people.add(orgA, { email });
    gateway.auth.people.add(orgB, { email });
    const jar: Jar = new Map();
    expect(await logIn(jar, "?next=%2Fkeys")).toBe("/dashboard/login?choose=organization&next=%2Fkeys");
    expect(await isIn(jar)).toBe(false);
    const answer = await visit(`${gateway.url}/v1/dashboard/login/methods`, jar);
    const methods = (await answer.json()) as { organizations: { id: string }[] };
    expect(methods).toMatchObject({ password: true, identityProvider: { name: "Example SSO", url: begin } });
    expect(methods.organizations.map(({ id }) => id)).toEqual([orgA, orgB]);
    expect(await logIn(jar, `?organizationId=${orgB}`)).toBe("/dashboard/");
    expect(await (await visit(`${gateway.url}/v1/dashboard/session`, jar)).json()).toMatchObject({
      organizationId: orgB,
    });
    expect(jar.has("assent_oidc_choice")).toBe(false);
  });

  test("an address that the provider has not verified logs nobody in", async () => {
    gateway.auth.people.add(orgA, { email });
    provider.person = { subject: newId(), email, isVerified: false };
    expect(await logIn(new Map())).toBe("/dashboard/login?failed=unknown");
  });

  test("who cancels at the provider is told so", async () => {
    provider.person = undefined;
    expect(await logIn(new Map())).toBe("/dashboard/login?failed=denied");
  });

  test("an answer to another state, of another browser or without a login under way is refused", async () => {
    gateway.auth.people.add(orgA, { email });
    const [mine, other]: Jar[] = [new Map(), new Map()];
    const [ofMine, ofOther] = [await throughProvider(mine as Jar), await throughProvider(other as Jar)];
    const locationOf = async (url: string, jar: Jar) => (await visit(url, jar)).headers.get("location");
    expect(await locationOf(ofOther, mine as Jar)).toBe("/dashboard/login?failed=failed");
    // The login that was under way has ended by it.
    expect(await locationOf(ofMine, mine as Jar)).toBe("/dashboard/login?failed=expired");
    expect(await locationOf(ofOther, new Map())).toBe("/dashboard/login?failed=expired");
    expect(await isIn(mine as Jar)).toBe(false);
  });

  test("a code works once, also with the cookie that it belongs to", async () => {
    gateway.auth.people.add(orgA, { email });
    const jar: Jar = new Map();
    const back = await throughProvider(jar);
    const copy: Jar = new Map(jar);
    const head = await fetch(back, { method: "HEAD", redirect: "manual" });
    expect([head.status, head.headers.get("location")]).toEqual([200, null]);
    expect((await visit(back, jar)).headers.get("location")).toBe("/dashboard/");
    expect((await visit(back, copy)).headers.get("location")).toBe("/dashboard/login?failed=failed");
    expect(await isIn(copy)).toBe(false);
  });
});

describe("logins that fail", () => {
  /** Where a browser is brought back to, with a code that the provider never gave. */
  async function withWrongCode(jar: Jar): Promise<string> {
    const back = new URL(await throughProvider(jar));
    back.searchParams.set("code", "wrong");
    return back.href;
  }

  test("of many lock nobody else out who has the same address", async () => {
    const email = `${newId()}@example.com`;
    provider.person = { subject: newId(), email, isVerified: true };
    gateway.auth.people.add(orgA, { email });
    for (let count = 0; count < 15; count += 1) {
      const jar: Jar = new Map();
      const answer = await visit(await withWrongCode(jar), jar);
      expect(answer.headers.get("location")).toBe("/dashboard/login?failed=failed");
    }
    expect(await logIn(new Map())).toBe("/dashboard/");
  });

  test("end when one is tried again and again", async () => {
    const jar: Jar = new Map();
    const back = await withWrongCode(jar);
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1) statuses.push((await visit(back, new Map(jar))).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([303, 429]);
  });
});

describe("with a provider that cannot be trusted", () => {
  const hour = 3_600;
  const now = Math.floor(Date.now() / 1000);
  const first = { claims: {} };

  const finish = async (): Promise<string> => {
    const jar: Jar = new Map();
    const away = new URL((await visit(`${deceived.url}${begin}`, jar)).headers.get("location") ?? "");
    hostile.nonce ||= away.searchParams.get("nonce") ?? "";
    const answer = new URLSearchParams({ code: "code", state: away.searchParams.get("state") ?? "" });
    return (await visit(`${deceived.url}${callback}?${answer}`, jar)).headers.get("location") ?? "";
  };

  beforeAll(() => {
    deceived.auth.people.add(orgA, { email: "ann@example.com" });
  });

  beforeEach(() => {
    hostile.nonce = "";
    hostile.forgery = first;
  });

  test("what is right is accepted", async () => {
    expect(await finish()).toBe("/dashboard/");
  });

  test.each([
    ["has expired", { claims: { exp: now - hour, iat: now - 2 * hour } }],
    ["is of another issuer", { claims: { iss: "https://other.example" } }],
    ["is for another client", { claims: { aud: "another" } }],
    ["has another nonce", { claims: { nonce: "another" } }],
    ["is signed by somebody else", { isForged: true }],
  ])("an ID token that %s logs nobody in", async (_name, forgery) => {
    hostile.forgery = forgery;
    expect(await finish()).toBe("/dashboard/login?failed=failed");
  });
});

test("a provider that does not answer leads back to the sign-in page, and is asked again by the next", async () => {
  const late = await startIdentityProvider();
  const { clientId, clientSecret, issuer } = late;
  const other = await startTestGateway(database.url, {
    config: { oidc: { issuer, clientId, clientSecret, name: "Example SSO", egress: createEgress(proxy.url) } },
  });
  const where = async () => (await visit(`${other.url}${begin}`, new Map())).headers.get("location") ?? "";
  expect(await where()).toBe("/dashboard/login?failed=unavailable");
  late.serve(`${other.url}${callback}`);
  proxy.answer((client) => client.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
  expect(await where()).toBe("/dashboard/login?failed=unavailable");
  proxy.answer(undefined);
  expect(await where()).toContain(`${issuer}/auth?`);
  expect(proxy.asked.filter((head) => head.startsWith(`CONNECT ${new URL(issuer).host} `)).length).toBe(3);
  await late.stop();
  await other.stop();
});

test("without a provider there is only the password", async () => {
  const without = await startTestGateway(database.url);
  expect((await without.call("GET", "/v1/dashboard/login/methods")).body).toEqual({
    password: true,
    passkeys: false,
    identityProvider: null,
    organizations: [],
  });
  for (const path of [begin, callback]) expect((await without.call("GET", path)).status).toBe(404);
  await without.stop();
});
