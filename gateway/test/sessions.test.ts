import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { completedReceiptId } from "./fake-click.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url, { config: { trustedProxies: ["127.0.0.1"] } });
  token = await gateway.auth.token("click:read click:write");
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const create = (body: unknown) => gateway.call("POST", "/v1/click/sessions", { token, body });

describe("createSession", () => {
  test("answers 201 with every field of the interface", async () => {
    const answer = await create({ templateSlug: "terms", userRef: "user-1" });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      organizationId: orgA,
      templateId: expect.any(String),
      templateSlug: "terms",
      templateType: "STATIC",
      versionId: expect.any(String),
      revision: 1,
      label: "1.0",
      locale: "en",
      contentHash: expect.stringMatching(/^sha256:/),
      renderHash: null,
      userRef: "user-1",
      status: "PENDING",
      outcome: null,
      origin: "API",
      deploymentId: null,
      data: null,
      renderUrl: null,
      renderToken: null,
      verification: { required: false, methods: [], satisfied: true },
      policy: { verificationMethods: [] },
      receiptIds: [],
      metadata: {},
      returnUrl: null,
      createdAt: "2026-11-20T17:00:00.123Z",
      presentedAt: null,
      acceptedAt: null,
      completedAt: null,
      expiresAt: "2026-11-20T17:00:00.123Z",
      updatedAt: "2026-11-20T17:00:00.123Z",
      erased: false,
      restricted: false,
    });
  });

  test("passes everything on", async () => {
    const templateId = newId();
    const context = {
      ip: "203.0.113.9",
      userAgent: "Browser",
      pageUrl: "https://shop.example/",
      referrer: null,
      gpc: true,
    };
    await create({
      templateId: templateId.toUpperCase(),
      locale: "de",
      versionId: templateId.toUpperCase(),
      returnUrl: "https://shop.example/done?order=1",
      ttlSeconds: 120,
      metadata: { order: "1" },
      context,
      deploymentId: templateId.toUpperCase(),
      data: { fullName: "Ada" },
      purposes: ["marketing_email"],
      counterpartyName: "Example AG",
    });
    expect(gateway.click.seen.sessions.at(-1)).toMatchObject({
      template: { case: "templateId", value: templateId },
      locale: "de",
      versionId: templateId,
      returnUrl: "https://shop.example/done?order=1",
      ttlSeconds: 120,
      metadata: { order: "1" },
      context: { ip: "203.0.113.9", userAgent: "Browser", pageUrl: "https://shop.example/", gpc: true },
      deploymentId: templateId,
      data: { fullName: "Ada" },
      purposes: ["marketing_email"],
      counterpartyName: "Example AG",
    });
  });

  test.each([
    ["neither template", {}, "templateId"],
    ["both templates", { templateId: newId(), templateSlug: "terms" }, ""],
    ["a template id that is no UUID", { templateId: "x" }, "templateId"],
    ["an empty userRef", { templateSlug: "x", userRef: "" }, "userRef"],
    ["a userRef of 256 characters", { templateSlug: "x", userRef: "x".repeat(256) }, "userRef"],
    ["a returnUrl by http", { templateSlug: "x", returnUrl: "http://x.example/" }, "returnUrl"],
    ["a returnUrl with a password", { templateSlug: "x", returnUrl: "https://a:b@x.example/" }, "returnUrl"],
    [
      "a returnUrl with a line break",
      { templateSlug: "x", returnUrl: "https://x.example/\r\nSet-Cookie: a" },
      "returnUrl",
    ],
    ["a returnUrl that is a script", { templateSlug: "x", returnUrl: "javascript:alert(1)" }, "returnUrl"],
    ["a life of 59 s", { templateSlug: "x", ttlSeconds: 59 }, "ttlSeconds"],
    ["a life of a month and a second", { templateSlug: "x", ttlSeconds: 2_592_001 }, "ttlSeconds"],
    ["a life that is a text", { templateSlug: "x", ttlSeconds: "120" }, "ttlSeconds"],
    ["half a second", { templateSlug: "x", ttlSeconds: 120.5 }, "ttlSeconds"],
    ["data that is a list", { templateSlug: "x", data: [] }, "data"],
    ["a deployment that is no UUID", { templateSlug: "x", deploymentId: "dep_1" }, "deploymentId"],
    ["an empty purpose", { templateSlug: "x", purposes: [""] }, "purposes[0]"],
    ["21 purposes", { templateSlug: "x", purposes: Array(21).fill("a") }, "purposes"],
    ["a counterparty of 256 characters", { templateSlug: "x", counterpartyName: "x".repeat(256) }, "counterpartyName"],
    ["a context that is a text", { templateSlug: "x", context: "x" }, "context"],
  ])("%s is 400", async (_name, body, field) => {
    const answer = await create(body);
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
    expect(answer.body.details.map((detail: { field: string }) => detail.field)).toContain(field);
  });
});

describe("getSession", () => {
  test("answers the session", async () => {
    const { id } = (await create({ templateSlug: "terms" })).body;
    const answer = await gateway.call("GET", `/v1/click/sessions/${id}`, { token });
    expect([answer.status, answer.body.id, answer.body.userRef]).toEqual([200, id, null]);
  });
});

describe("what a session says of its rendering", () => {
  const verification = { required: true, mode: "ANY", methods: ["CUSTOMER_SESSION"], satisfied: false };
  const read = async (headers: Record<string, string> = {}, from = gateway) => {
    from.click.extras.session = {
      renderToken: "aaa.bbb.ccc",
      deploymentId: newId(),
      data: { fullName: "Ada" },
      verification,
    };
    const { id } = (await from.call("POST", "/v1/click/sessions", { token, body: { templateSlug: "terms" } })).body;
    const answer = await from.call("GET", `/v1/click/sessions/${id}`, { token, headers });
    const { deploymentId } = from.click.extras.session;
    from.click.extras.session = {};
    return { id, body: answer.body, deploymentId };
  };

  test("the token, an absolute address with it, and what it was made from", async () => {
    const { id, body, deploymentId } = await read();
    expect(body).toMatchObject({
      renderToken: "aaa.bbb.ccc",
      renderUrl: `${gateway.url}/v1/click/render/sessions/${id}?token=aaa.bbb.ccc`,
      deploymentId,
      data: { fullName: "Ada" },
      verification,
    });
  });

  test("a proxy that is trusted tells where clients reach us, one that is not does not", async () => {
    const headers = { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "api.example.com" };
    expect((await read(headers)).body.renderUrl).toMatch(/^https:\/\/api\.example\.com\/v1\//);
    const open = await startTestGateway(database.url, { fakes: gateway });
    expect((await read(headers, open)).body.renderUrl).toMatch(new RegExp(`^${open.url}/v1/`));
    await open.stop();
  });

  test("a host that is none makes the address relative", async () => {
    const headers = { "X-Forwarded-Host": 'x"><script>' };
    expect((await read(headers)).body.renderUrl).toMatch(/^\/v1\/click\/render\/sessions\//);
  });

  test("the configured address wins", async () => {
    const config = { publicUrl: "https://agree.example.com/api" };
    const configured = await startTestGateway(database.url, { fakes: gateway, config });
    expect((await read({}, configured)).body.renderUrl).toMatch(/^https:\/\/agree\.example\.com\/api\/v1\//);
    await configured.stop();
  });
});

describe("cancelSession", () => {
  test("answers the cancelled session", async () => {
    const { id } = (await create({ templateSlug: "terms" })).body;
    const answer = await gateway.call("DELETE", `/v1/click/sessions/${id}`, { token });
    expect([answer.status, answer.body.id, answer.body.status]).toEqual([200, id, "CANCELLED"]);
  });
});

describe("appendSessionEvents", () => {
  const append = async (body: unknown) => {
    const { id } = (await create({ templateSlug: "terms" })).body;
    return { id, answer: await gateway.call("POST", `/v1/click/sessions/${id}/events`, { token, body }) };
  };

  test("answers the events with the server's time, and nothing else of the session", async () => {
    const events = [
      { type: "DISPLAYED", at: "2026-11-20T16:59:59.000Z" },
      { type: "LINK_OPENED", target: "#a", at: null },
    ];
    const { id, answer } = await append({ events });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      sessionId: id,
      status: "PENDING",
      events: [
        { type: "DISPLAYED", at: "2026-11-20T16:59:59.000Z", target: null, serverAt: "2026-11-20T17:00:00.123Z" },
        { type: "LINK_OPENED", at: null, target: "#a", serverAt: "2026-11-20T17:00:00.123Z" },
      ],
    });
  });

  test.each([
    [{}],
    [{ events: [] }],
    [{ events: Array(101).fill({ type: "DISPLAYED" }) }],
    [{ events: [{ type: "OTHER" }] }],
    [{ events: [{ at: "2026-11-20T16:59:59.000Z" }] }],
    [{ events: [{ type: "DISPLAYED", at: "now" }] }],
    [{ events: [{ type: "DISPLAYED", target: "x".repeat(501) }] }],
  ])("%j is 400", async (body) => {
    const { answer } = await append(body);
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
  });
});

describe("completeSession", () => {
  const complete = async (body?: unknown, headers: Record<string, string> = {}) => {
    const { id } = (await create({ templateSlug: "terms" })).body;
    const sent = body === undefined ? {} : { body };
    return gateway.call("POST", `/v1/click/sessions/${id}/complete`, { token, headers, ...sent });
  };

  test("an empty body is enough", async () => {
    const answer = await complete();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: "COMPLETED",
      outcome: "NONE",
      receipts: [{ receiptId: completedReceiptId }],
    });
    expect(gateway.click.seen.completions.at(-1)).toMatchObject({ outcome: 0, acceptanceJson: new Uint8Array() });
  });

  test("hands on the idempotency key, with the hash of the whole body whatever its order", async () => {
    const key = { "X-Idempotency-Key": "order-42" };
    const answers = [
      await complete({ acceptance: { userRef: "u" }, reason: "done" }, key),
      await complete({ reason: "done", acceptance: { userRef: "u" } }, key),
      await complete({ reason: "over", acceptance: { userRef: "u" } }, key),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [first, same, other] = gateway.click.seen.completions.slice(-3);
    expect([first?.idempotencyKey, first?.requestHash.length]).toEqual(["order-42", 32]);
    expect(same?.requestHash).toEqual(first?.requestHash);
    expect(other?.requestHash).not.toEqual(first?.requestHash);
    expect(answers[0]?.headers.get("idempotent-replayed")).toBeNull();
    const bad = await complete({ acceptance: {} }, { "X-Idempotency-Key": "x".repeat(256) });
    expect([bad.status, bad.body.errorCode]).toEqual([400, "CLICK_IDEMPOTENCY_KEY_INVALID"]);
  });

  test("an acceptance goes on in canonical form, with who was seen to call", async () => {
    await complete(
      { outcome: "ACCEPTED", acceptance: { userRef: "u", action: "BUTTON" }, reason: "clicked" },
      { "User-Agent": "Backend/1", "X-Forwarded-For": "198.51.100.7" },
    );
    const seen = gateway.click.seen.completions.at(-1);
    expect(Buffer.from(seen?.acceptanceJson ?? []).toString()).toBe('{"action":"BUTTON","userRef":"u"}');
    expect(seen).toMatchObject({
      outcome: 1,
      reason: "clicked",
      observed: { ip: "198.51.100.7", userAgent: "Backend/1" },
    });
  });

  test.each([[{ outcome: "NONE" }], [{ outcome: 1 }], [{ acceptance: [] }], [{ reason: 5 }], [[]], ["text"]])(
    "%p is 400",
    async (body) => {
      const answer = await complete(typeof body === "string" ? JSON.stringify(body) : body);
      expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
    },
  );
});
