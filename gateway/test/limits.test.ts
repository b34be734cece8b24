import { createConnection } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { createFaultProxy, type FaultProxy } from "#platform/net/fault-proxy.ts";
import { createTestDatabase, overNetwork, type TestDatabase } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { allRoutes } from "../routes/index.ts";
import { orgA } from "./fake-auth.ts";
import { uniqueName } from "./sample-requests.ts";
import { type Answer, createFakes, type Fakes, startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let fakes: Fakes;
/** Two replicas on one database. */
let gateways: [TestGateway, TestGateway];
let superuser: pg.Client;
let organization = 0;
const unknownId = "0190a000-0000-7000-9000-000000000000";

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client({ connectionString: database.superuserUrl });
  await superuser.connect();
  fakes = await createFakes();
  gateways = [await startTestGateway(database.url, { fakes }), await startTestGateway(database.url, { fakes })];
});

afterAll(async () => {
  await Promise.all((gateways ?? []).map((gateway) => gateway.stop()));
  await superuser?.end();
  await database?.drop();
});

beforeEach(async () => {
  await awayFromWindowEnd();
});

/** Waits for the next window when this one ends soon, so that a test counts within one. */
async function awayFromWindowEnd(): Promise<void> {
  await until(async () => {
    const { rows } = await superuser.query("select (60 - extract(epoch from clock_timestamp()) % 60)::float8 as left");
    return rows[0].left > 6;
  });
}

/** A token of an organization and a client of its own, with these limits. */
async function tokenWith(limits: Parameters<Fakes["auth"]["setLimits"]>[1], client = uniqueName("cl")) {
  organization += 1;
  const organizationId = `0190a000-0000-7000-8000-${String(organization).padStart(12, "0")}`;
  fakes.auth.setLimits(organizationId, limits);
  return {
    organizationId,
    token: await fakes.auth.token("click:read click:write click:accept", client, organizationId),
  };
}

const accept = (gateway: TestGateway, token: string) =>
  gateway.call("POST", "/v1/click/accept", {
    token,
    body: { templateSlug: "terms", userRef: "u" },
    headers: { "X-Idempotency-Key": uniqueName("key") },
  });
const list = (gateway: TestGateway, token: string) => gateway.call("GET", "/v1/click/templates", { token });

const limitHeaders = ({ headers }: Answer) => ({
  limit: Number(headers.get("x-ratelimit-limit")),
  remaining: Number(headers.get("x-ratelimit-remaining")),
  reset: Number(headers.get("x-ratelimit-reset")),
  retryAfter: Number(headers.get("retry-after")),
});

describe("budgets", () => {
  test("two gateways together grant exactly the limit, and say truly what is left", async () => {
    const { token } = await tokenWith({ accept: 50 });
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, n) => accept(gateways[n % 2] as TestGateway, token)),
    );
    const granted = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status === 429);
    expect([granted.length, refused.length]).toEqual([50, 70]);
    const remaining = granted.map((answer) => limitHeaders(answer).remaining).sort((a, b) => a - b);
    expect(remaining).toEqual(Array.from({ length: 50 }, (_, n) => n));
    expect(new Set(answers.map((answer) => limitHeaders(answer).reset)).size).toBe(1);
  });

  test("a refusal has the interface's body and headers, and nothing is recorded", async () => {
    const { token } = await tokenWith({ accept: 1 });
    await accept(gateways[0], token);
    const batches = fakes.click.seen.batches.length;
    const answer = await accept(gateways[0], token);
    expect(answer.status).toBe(429);
    expect(answer.body).toEqual({
      errorCode: "CLICK_RATE_LIMITED",
      message: expect.any(String),
      requestId: answer.headers.get("x-request-id"),
    });
    const { limit, remaining, reset, retryAfter } = limitHeaders(answer);
    expect([limit, remaining]).toEqual([1, 0]);
    expect(reset % 60).toBe(0);
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(Math.abs(reset - retryAfter - Date.now() / 1000)).toBeLessThan(2);
    expect(fakes.click.seen.batches.length).toBe(batches);
  });

  test("are told with what was refused, by organization, when a gateway stops", async () => {
    const { token, organizationId } = await tokenWith({ accept: 1 });
    const gateway = await startTestGateway(database.url, { fakes });
    for (let n = 0; n < 3; n += 1) await accept(gateway, token);
    await list(gateway, token);
    await gateway.stop();
    const told = fakes.auth.reports
      .flatMap(({ requests }) => requests)
      .filter((one) => one.organizationId === organizationId);
    const sum = (member: "requests" | "refused") => told.reduce((total, one) => total + one[member], 0);
    expect([sum("requests"), sum("refused")]).toEqual([4, 2]);
    const loads = fakes.auth.reports.flatMap(({ load }) => load?.organizations ?? []);
    expect(loads.find((one) => one.organizationId === organizationId)).toMatchObject({ errorMs: 0 });
  });

  test("the defaults are 6,000 for accept and 1,200 for other calls", async () => {
    const { token } = await tokenWith({});
    expect(limitHeaders(await accept(gateways[0], token))).toMatchObject({ limit: 6_000, remaining: 5_999 });
    expect(limitHeaders(await list(gateways[0], token))).toMatchObject({ limit: 1_200, remaining: 1_199 });
  });

  test("groups and clients have budgets of their own, and tokens of one client share one", async () => {
    const { token, organizationId } = await tokenWith({ other: 1, accept: 1 }, "cl_shared");
    const sameClient = await fakes.auth.token("click:read", "cl_shared", organizationId);
    const otherClient = await fakes.auth.token("click:read", "cl_other", organizationId);
    expect((await list(gateways[0], token)).status).toBe(200);
    expect((await list(gateways[1], sameClient)).status).toBe(429);
    expect((await list(gateways[1], otherClient)).status).toBe(200);
    expect((await accept(gateways[1], token)).status).toBe(201);
  });

  test("an API key is a client of its own", async () => {
    fakes.auth.apiKeys.set("ak_test_limited", { keyId: "limitedkey", organizationId: orgA });
    expect(limitHeaders(await list(gateways[0], "ak_test_limited")).remaining).toBe(1_199);
  });

  test("every answer after the take carries the headers, whatever it says", async () => {
    const { token } = await tokenWith({ other: 10 });
    const readOnly = await fakes.auth.token("click:read", "cl_read_only");
    const answers = [
      await list(gateways[0], token),
      await gateways[0].call("GET", "/v1/click/templates/unknown", { token }),
      await gateways[0].call("POST", "/v1/click/templates", { token, body: {} }),
      await gateways[0].call("POST", "/v1/click/templates", { token: readOnly, body: {} }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 403]);
    for (const answer of answers) {
      const { limit, remaining, reset, retryAfter } = limitHeaders(answer);
      expect(limit).toBeGreaterThan(0);
      expect(remaining).toBeLessThan(limit);
      expect(reset).toBeGreaterThan(Date.now() / 1000);
      expect(retryAfter).toBeGreaterThan(0);
    }
    expect(limitHeaders(answers[2] as Answer).remaining).toBe(7);
  });

  test("a replay and a refused scope count too, and the limit comes before the scope", async () => {
    const { organizationId } = await tokenWith({ accept: 1, other: 1 });
    const reader = await fakes.auth.token("click:read", "cl_scope", organizationId);
    expect((await accept(gateways[0], reader)).status).toBe(403);
    expect((await accept(gateways[0], reader)).status).toBe(429);
  });

  test("of what is read while the request is counted, nothing is told when it is refused, and then nothing is read", async () => {
    const { token } = await tokenWith({ other: 3 });
    const body = { name: uniqueName("Terms"), type: "STATIC" };
    const made = await gateways[0].call("POST", "/v1/click/templates", { token, body });
    const { id } = made.body as { id: string };
    const read = (one: string) => gateways[0].call("GET", `/v1/click/templates/${one}`, { token });
    const answers = [await read(unknownId), await read(id), await read(unknownId), await read(id)];
    expect(answers.map(({ status }) => status)).toEqual([404, 200, 429, 429]);
    expect(answers.map((answer) => limitHeaders(answer).remaining)).toEqual([1, 0, 0, 0]);
    expect(answers[2]?.body).toMatchObject({ errorCode: "CLICK_RATE_LIMITED" });
    const callers = fakes.templates.seen.callers.length;
    await Promise.all(Array.from({ length: 10 }, () => read(id)));
    expect(fakes.templates.seen.callers.length).toBe(callers);
  });

  test("a refusal comes before what is wrong with the body, and does not wait for the rest of it", async () => {
    const { token } = await tokenWith({ accept: 1 });
    const bad = () => gateways[0].call("POST", "/v1/click/accept", { token, body: { userRef: 7 } });
    expect((await bad()).status).toBe(400);
    // This gateway has not seen a refusal yet, so it reads what there is of the body meanwhile.
    expect((await bad()).status).toBe(429);
    const { promise, resolve } = Promise.withResolvers<string>();
    const { token: other } = await tokenWith({ accept: 1 });
    await accept(gateways[1], other);
    const head = ["POST /v1/click/accept HTTP/1.1", "Host: x", `Authorization: Bearer ${other}`];
    const socket = createConnection({ host: "127.0.0.1", port: gateways[0].port })
      .setEncoding("utf8")
      .on("data", resolve);
    socket.write([...head, "Content-Type: application/json", "Content-Length: 100", "", '{"userRef":'].join("\r\n"));
    expect(await promise).toMatch(/^HTTP\/1.1 429 /);
    socket.destroy();
  });

  test("requests without a credential take nothing", async () => {
    const { rows } = await superuser.query("select coalesce(sum(used), 0)::int as used from gateway.rate_window");
    await gateways[0].call("GET", "/v1/click/templates");
    const after = await superuser.query("select coalesce(sum(used), 0)::int as used from gateway.rate_window");
    expect(after.rows).toEqual(rows);
  });

  test("a flood of refusals does not reach the database", async () => {
    const { token } = await tokenWith({ other: 1 });
    await list(gateways[0], token);
    await list(gateways[0], token);
    const statements = async () =>
      (
        await superuser.query(
          "select coalesce(sum(n_tup_ins + n_tup_upd), 0)::int as n from pg_stat_user_tables where relname = 'rate_window'",
        )
      ).rows[0].n;
    const before = await statements();
    const answers = await Promise.all(Array.from({ length: 50 }, () => list(gateways[0], token)));
    expect(answers.every(({ status }) => status === 429)).toBe(true);
    expect(await statements()).toBe(before);
  });
});

describe("changed limits", () => {
  test("a raised limit holds within a second, also for a client that was refused", async () => {
    const { token, organizationId } = await tokenWith({ other: 1 });
    for (const gateway of gateways) await list(gateway, token);
    expect((await list(gateways[0], token)).status).toBe(429);
    fakes.auth.setLimits(organizationId, { other: 5 });
    fakes.auth.change({ case: "changedOrganizationId", value: organizationId });
    for (const gateway of gateways) await until(async () => (await list(gateway, token)).status === 200, 1_000);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => list(gateways[n % 2] as TestGateway, token)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
  });
});

describe("an organization", () => {
  test("has a budget of all its clients, exact over gateways and clients, which other organizations do not feel", async () => {
    const { organizationId } = await tokenWith({ other: 10, shared: { other: 12 } });
    const tokens = await Promise.all(
      Array.from({ length: 4 }, () => fakes.auth.token("click:read", uniqueName("cl"), organizationId)),
    );
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => list(gateways[n % 2] as TestGateway, tokens[n % 4] as string)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(12);
    const refused = await list(gateways[0], tokens[0] as string);
    expect(refused.status).toBe(429);
    expect(limitHeaders(refused)).toMatchObject({ limit: 12, remaining: 0 });
    const { token } = await tokenWith({ other: 1 });
    expect((await list(gateways[0], token)).status).toBe(200);
  });

  test("that is suspended reads, and changes nothing, within a second on every gateway, until it is resumed", async () => {
    const { token, organizationId } = await tokenWith({});
    expect((await accept(gateways[0], token)).status).toBe(201);
    const tell = (limits: Parameters<Fakes["auth"]["setLimits"]>[1]) => {
      fakes.auth.setLimits(organizationId, limits);
      fakes.auth.change({ case: "changedOrganizationId", value: organizationId });
    };
    tell({ suspendedAt: new Date() });
    for (const gateway of gateways) {
      await until(async () => (await accept(gateway, token)).status === 403, 1_000);
      const refused = await accept(gateway, token);
      expect([refused.status, refused.body.errorCode]).toEqual([403, "ORGANIZATION_SUSPENDED"]);
      expect((await list(gateway, token)).status).toBe(200);
    }
    const batches = fakes.click.seen.batches.length;
    expect((await gateways[0].call("DELETE", "/v1/click/templates/terms", { token })).status).toBe(403);
    // A read is what a scope to read is enough for, whatever its method.
    const content = { type: "STATIC", content: "<p>Be kind.</p>" };
    const checked = await gateways[0].call("POST", "/v1/click/templates/validate-content", { token, body: content });
    expect(checked.status).not.toBe(403);
    expect(fakes.click.seen.batches.length).toBe(batches);
    tell({});
    for (const gateway of gateways) await until(async () => (await accept(gateway, token)).status === 201, 1_000);
  });
});

describe("when the database goes away and comes back", () => {
  let proxy: FaultProxy;
  let lonely: TestGateway;

  beforeAll(async () => {
    const url = new URL(overNetwork(database.url));
    proxy = await createFaultProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    lonely = await startTestGateway(url.href, { fakes });
  });
  afterAll(async () => {
    await lonely?.stop();
    await proxy?.close();
  });

  const takeAway = (): void => {
    proxy.setMode("refuse");
    proxy.cut();
  };

  test("reads go on, who was refused stays refused, no write is processed, and counts go on where they were", async () => {
    const { token, organizationId } = await tokenWith({ other: 3, accept: 2, render: 1 });
    const refusedToken = await fakes.auth.token("click:read click:write", "cl_refused", organizationId);
    expect(limitHeaders(await list(lonely, token)).remaining).toBe(2);
    expect(limitHeaders(await accept(lonely, token)).remaining).toBe(1);
    for (let n = 0; n < 4; n += 1) await list(lonely, refusedToken);
    const batches = fakes.click.seen.batches.length;

    takeAway();
    try {
      const answers = [];
      for (let n = 0; n < 4; n += 1) answers.push(await list(lonely, token));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      expect(answers.map((answer) => limitHeaders(answer).remaining)).toEqual([2, 1, 0, 0]);
      expect((await list(lonely, refusedToken)).status).toBe(429);
      const write = await accept(lonely, token);
      expect([write.status, write.body.errorCode]).toEqual([503, "SERVICE_UNAVAILABLE"]);
      expect(Number(write.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      expect(write.headers.get("x-ratelimit-limit")).toBeNull();
      expect(fakes.click.seen.batches.length).toBe(batches);
    } finally {
      proxy.setMode("pass");
    }

    const back = await until(async () => {
      const answer = await accept(lonely, token);
      return answer.status === 503 ? undefined : answer;
    });
    expect([back.status, limitHeaders(back).remaining]).toEqual([201, 0]);
    expect(limitHeaders(await list(gateways[0], token)).remaining).toBe(1);
  });

  test("writes in every group wait, whatever they are", async () => {
    takeAway();
    try {
      const { token } = await tokenWith({});
      const statuses = [];
      for (const { method, path, body } of protectedWrites) {
        statuses.push([path, (await lonely.call(method, path, { token, body })).status]);
      }
      expect(statuses).toEqual(protectedWrites.map(({ path }) => [path, 503]));
    } finally {
      proxy.setMode("pass");
    }
  });
});

/**
 * Every operation that changes something and counts in a budget of the gateway; without what its path and body would
 * need. What counts in a plan is counted by the service that generates documents, which cannot do without its database.
 */
const protectedWrites = allRoutes
  .filter(({ method, access }) => method !== "GET" && access !== "public" && access.limitGroup !== "plan")
  .map(({ method, path, body }) => ({
    method,
    path: path.replaceAll(/\{\w+\}/g, "0190a000-0000-7000-8000-000000000001"),
    body: body === undefined ? undefined : {},
  }));

describe("without the database", () => {
  test("reads go on with a limit per process, writes and acceptances wait", async () => {
    const lonely = await startTestGateway(`${database.url.slice(0, database.url.lastIndexOf("/"))}/missing`, { fakes });
    try {
      const { token } = await tokenWith({ other: 2 });
      const statuses = [];
      for (let n = 0; n < 3; n += 1) statuses.push((await list(lonely, token)).status);
      expect(statuses).toEqual([200, 200, 429]);
      const refused = await accept(lonely, token);
      expect([refused.status, refused.body.errorCode, refused.headers.get("retry-after")]).toEqual([
        503,
        "SERVICE_UNAVAILABLE",
        "1",
      ]);
      const write = await lonely.call("POST", "/v1/click/templates", { token, body: { name: "x", type: "STATIC" } });
      expect(write.status).toBe(503);
      expect((await lonely.call("GET", "/healthz")).status).toBe(503);
    } finally {
      await lonely.stop();
    }
  });
});
