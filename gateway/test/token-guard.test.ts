import { randomInt } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { uniqueName } from "./sample-requests.ts";
import { type Answer, startTestGateway, type TestGateway } from "./test-gateway.ts";

// Two gateways on one database, behind a proxy that tells whom a request is from.
let database: TestDatabase;
let first: TestGateway;
let second: TestGateway;
let clientId: string;
let ip: string;
let addresses = 0;

const secret = "cs_good";

beforeAll(async () => {
  database = await createTestDatabase();
  const config = { trustedProxies: ["127.0.0.1"] };
  first = await startTestGateway(database.url, { config });
  const { auth, templates, click } = first;
  second = await startTestGateway(database.url, { config, fakes: { auth, templates, click } });
});

afterAll(async () => {
  await first?.stop();
  await second?.stop();
  await database?.drop();
});

beforeEach(() => {
  clientId = uniqueName("cl").replace(" ", "_");
  addresses += 1;
  ip = `203.0.113.${addresses}`;
  first.auth.clients.set(clientId, { secret, organizationId: orgA, scopes: ["click:read"] });
});

interface Attempt {
  readonly gateway?: TestGateway;
  readonly from?: string;
  readonly id?: string;
  readonly secret?: string;
}

const ask = ({ gateway = first, from = ip, id = clientId, secret = "cs_guess" }: Attempt = {}): Promise<Answer> =>
  gateway.call("POST", "/oauth2/token", {
    body: { grant_type: "client_credentials", client_id: id, client_secret: secret },
    headers: { "X-Forwarded-For": from },
  });

/** Fails until it is refused: how often it was answered, and the refusal. Windows may end meanwhile, hence at least. */
async function failUntilRefused(attempt: (n: number) => Attempt): Promise<{ answered: number; refusal: Answer }> {
  for (let answered = 0; answered < 500; answered += 1) {
    const answer = await ask(attempt(answered));
    if (answer.status === 429) return { answered, refusal: answer };
    expect([answer.status, answer.body.error]).toEqual([401, "invalid_client"]);
  }
  throw new Error("nothing was refused");
}

const expectRefusal = (answer: Answer): void => {
  expect([answer.status, answer.body.error]).toEqual([429, "temporarily_unavailable"]);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(Number(answer.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  expect(answer.headers.get("cache-control")).toBe("private, no-store");
};

describe("failures at the token endpoint", () => {
  test("two gateways count those of a client from an address together", async () => {
    const { answered, refusal } = await failUntilRefused((n) => ({ gateway: n % 2 === 0 ? first : second }));
    expect(answered).toBeGreaterThanOrEqual(10);
    expect(answered).toBeLessThanOrEqual(20);
    expectRefusal(refusal);
  });

  test("two gateways count those of an address over all clients together", async () => {
    const { answered, refusal } = await failUntilRefused((n) => ({
      gateway: n % 2 === 0 ? first : second,
      id: `cl_unknown_${n}`,
    }));
    expect(answered).toBeGreaterThanOrEqual(100);
    expect(answered).toBeLessThanOrEqual(200);
    expectRefusal(refusal);
    const gateway = answered % 2 === 0 ? first : second;
    const before = first.auth.calls.tokens;
    expectRefusal(await ask({ gateway, secret }));
    expect(first.auth.calls.tokens).toBe(before);
  });

  test("a client that is refused in one place gets its tokens in every other", async () => {
    await failUntilRefused(() => ({}));
    expectRefusal(await ask({ secret }));
    const elsewhere = await ask({ from: "198.51.100.1", secret });
    const other = uniqueName("cl").replace(" ", "_");
    first.auth.clients.set(other, { secret, organizationId: orgA, scopes: ["click:read"] });
    const neighbour = await ask({ id: other, secret });
    expect([elsewhere.status, neighbour.status]).toEqual([200, 200]);
  });

  test("an assertion that is refused counts as a wrong secret does", async () => {
    const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const assertion = `${base64({ alg: "ES256" })}.${base64({ iss: clientId })}.bad`;
    const statuses = [];
    for (let n = 0; n < 21; n += 1) {
      const body = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
      const answer = await first.call("POST", "/oauth/token", { body, headers: { "X-Forwarded-For": ip } });
      statuses.push(answer.status);
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(400));
    expect(statuses).toContain(429);
  });

  test("no other way to write a client's id is that client", async () => {
    const written = [
      clientId.toUpperCase(),
      ` ${clientId}`,
      `${clientId} `,
      `${clientId}\t`,
      `${clientId}\u0000`,
      `${clientId}\u200b`,
      encodeURIComponent(`${clientId}/`),
    ];
    for (const id of written) expect([id, (await ask({ id, secret })).body.error]).not.toEqual([id, undefined]);
    // Those count too, though they name nobody.
    const { answered } = await failUntilRefused((n) => ({ id: `${" ".repeat(randomInt(1, 9))}${clientId}${n}` }));
    expect(answered).toBeLessThanOrEqual(200);
  });

  test("addresses of one IPv6 network count as one", async () => {
    const network = `2001:db8:${randomInt(1, 9_999)}:1`;
    const { answered } = await failUntilRefused((n) => ({ from: `${network}::${n + 1}` }));
    expect(answered).toBeLessThanOrEqual(20);
    expect((await ask({ from: "2001:db8:ffff:2::1", secret })).status).toBe(200);
  });
});
