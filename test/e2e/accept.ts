import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createPool } from "#platform/db/pool.ts";
import { until } from "#platform/testing/until.ts";
import type { Api } from "../support/api.ts";
import { collectEvents, type EventLog } from "../support/events.ts";
import { type System, scenario } from "../support/system.ts";

export const concurrentAccepts = scenario("accept", (_mode, running) => {
  let system: System;
  let events: EventLog;
  let api: Api;
  let slug: string;

  beforeAll(async () => {
    system = running();
    events = await collectEvents(system.bus, "accept");
    api = await system.newOrganization();
    ({ slug } = await api.publishTemplate());
  });
  afterAll(async () => {
    await events?.stop();
  });

  test("500 concurrent requests over 50 keys from several clients record 50 acceptances, and every caller gets its receipt", async () => {
    const keys = Array.from({ length: 50 }, (_, n) => `concurrent-${n}`);
    const clients = await Promise.all(
      [1, 2, 3].map(async () => {
        const { organizationId } = api;
        const { apiKey } = await system.admin.createApiKey({ organizationId, name: "client" });
        return api.with({ token: apiKey });
      }),
    );
    const callers = clients.flatMap((client) => system.baseUrls.map((baseUrl) => client.with({ baseUrl })));
    const requests = Array.from({ length: 10 }, () => keys).flat();
    const answers = await Promise.all(
      requests.map(async (key, n) => {
        const caller = callers[n % callers.length] ?? api;
        const answer = await caller.accept(key, { templateSlug: slug, userRef: `user-of-${key}` });
        return { key, answer };
      }),
    );
    const receiptOf = new Map<string, string>();
    for (const { key, answer } of answers) {
      expect([200, 201]).toContain(answer.status);
      expect(answer.body.idempotencyKey).toBe(key);
      expect(answer.body.userRef).toBe(`user-of-${key}`);
      expect(receiptOf.get(key) ?? answer.body.receiptId).toBe(answer.body.receiptId);
      receiptOf.set(key, answer.body.receiptId);
    }
    expect(new Set(receiptOf.values()).size).toBe(50);
    expect(answers.filter(({ answer }) => answer.status === 201)).toHaveLength(50);
    expect(await countAcceptances(system, api)).toBe(50);
    const recorded = () =>
      events.of("assent.click.acceptance.recorded").filter((e) => e.organizationId === api.organizationId);
    await until(() => recorded().length >= 50);
    expect(new Set(recorded().map((e) => e.acceptanceRecorded?.receiptId))).toEqual(new Set(receiptOf.values()));
    expect(recorded()).toHaveLength(50);
  });

  test("concurrent requests with one key and different bodies record one acceptance and refuse the others", async () => {
    const before = await countAcceptances(system, api);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => api.accept("fought-over", { templateSlug: slug, userRef: `user-${n}` })),
    );
    expect(answers.filter((a) => a.status === 201)).toHaveLength(1);
    const refused = answers.filter((a) => a.status === 422);
    expect(refused).toHaveLength(19);
    for (const answer of refused) expect(answer.body.errorCode).toBe("CLICK_IDEMPOTENCY_KEY_REUSED");
    expect(await countAcceptances(system, api)).toBe(before + 1);
  });

  test("the order of keys, white space and escapes make no different body; an unknown field does", async () => {
    const first = await api.accept(
      "same-body",
      `{"templateSlug":"${slug}","userRef":"é","metadata":{"a":"1","b":"2"}}`,
    );
    const again = await api.accept(
      "same-body",
      `{ "metadata": {"b":"2", "a":"1"},\n "userRef": "\\u00e9", "templateSlug": "${slug}" }`,
    );
    expect(first.status).toBe(201);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
    const other = await api.accept("same-body", {
      templateSlug: slug,
      userRef: "é",
      metadata: { a: "1", b: "2" },
      extra: 1,
    });
    expect(other.status).toBe(422);
  });

  test("two keys that race for one session record one acceptance", async () => {
    for (let round = 0; round < 10; round++) {
      const session = await api.post("/v1/click/sessions", { templateSlug: slug, userRef: "racer" });
      const answers = await Promise.all(
        ["a", "b", "c", "d"].map((suffix, n) =>
          api
            .with({ baseUrl: system.baseUrls[n % system.baseUrls.length] ?? api.baseUrl })
            .accept(`race-${round}-${suffix}`, { sessionId: session.body.id }),
        ),
      );
      expect(answers.map((a) => a.status).sort()).toEqual([201, 409, 409, 409]);
      for (const answer of answers.filter((a) => a.status === 409)) {
        expect(answer.body.errorCode).toBe("CLICK_SESSION_CLOSED");
      }
      const read = await api.get(`/v1/click/sessions/${session.body.id}`);
      expect(read.body.receiptIds).toHaveLength(1);
    }
  });

  test.each<[string, Record<string, string>, unknown, number, string]>([
    ["no idempotency key", {}, { templateSlug: "?", userRef: "u" }, 400, "CLICK_IDEMPOTENCY_KEY_REQUIRED"],
    ["an empty key", { "x-idempotency-key": "" }, { userRef: "u" }, 400, "CLICK_IDEMPOTENCY_KEY_INVALID"],
    ["a key that is too long", { "x-idempotency-key": "k".repeat(256) }, {}, 400, "CLICK_IDEMPOTENCY_KEY_INVALID"],
    ["a key that is not ASCII", { "x-idempotency-key": "sch\u00f6n" }, {}, 400, "CLICK_IDEMPOTENCY_KEY_INVALID"],
    ["malformed JSON", { "x-idempotency-key": "bad" }, "{", 400, "CLICK_VALIDATION_FAILED"],
    ["an array as body", { "x-idempotency-key": "bad" }, [], 400, "CLICK_VALIDATION_FAILED"],
    ["neither session nor template", { "x-idempotency-key": "bad" }, { userRef: "u" }, 400, "CLICK_VALIDATION_FAILED"],
    ["no user", { "x-idempotency-key": "bad" }, { templateSlug: "terms" }, 400, "CLICK_VALIDATION_FAILED"],
    ["a wrong type", { "x-idempotency-key": "bad" }, { templateSlug: 7, userRef: "u" }, 400, "CLICK_VALIDATION_FAILED"],
    [
      "an unknown slug",
      { "x-idempotency-key": "bad" },
      { templateSlug: "none", userRef: "u" },
      404,
      "CLICK_TEMPLATE_NOT_FOUND",
    ],
    [
      "a template id that is no UUID",
      { "x-idempotency-key": "bad" },
      { templateId: "1", userRef: "u" },
      400,
      "CLICK_VALIDATION_FAILED",
    ],
  ])("%s is refused and records nothing", async (_name, headers, body, status, errorCode) => {
    const before = await countAcceptances(system, api);
    const answer = await api.call("POST", "/v1/click/accept", body, headers);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ errorCode, requestId: answer.headers.get("x-request-id") });
    expect(answer.body.message.length).toBeGreaterThan(10);
    expect(await countAcceptances(system, api)).toBe(before);
  });

  test("a refused request does not use up its key", async () => {
    expect((await api.accept("reused-after-failure", { templateSlug: "none", userRef: "u" })).status).toBe(404);
    expect((await api.accept("reused-after-failure", { templateSlug: slug, userRef: "u" })).status).toBe(201);
  });
});

async function countAcceptances(system: System, api: Api): Promise<number> {
  const pool = createPool({ url: system.inspectUrl, name: "test", max: 1 });
  try {
    const { rows } = await pool.query("select count(*)::int as n from click.acceptance where organization_id = $1", [
      api.organizationId,
    ]);
    return rows[0].n;
  } finally {
    await pool.end();
  }
}
