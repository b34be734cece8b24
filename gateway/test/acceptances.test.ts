import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { receipt } from "#api/receipts.ts";
import { newId } from "#platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { orgA } from "./fake-auth.ts";
import { uniqueName } from "./sample-requests.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";
import { wholeJson } from "./whole-json.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;
let superuser: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client({ connectionString: database.superuserUrl });
  await superuser.connect();
  gateway = await startTestGateway(database.url);
  token = await gateway.auth.token("click:accept click:read click:write");
});

afterAll(async () => {
  await gateway?.stop();
  await superuser?.end();
  await database?.drop();
});

afterEach(() => {
  gateway.click.before.batch = () => {};
});

const body = { templateSlug: "terms", userRef: "user-1", action: "BUTTON" };
const accept = (key: string | undefined, sent: unknown = body, headers: Record<string, string> = {}) =>
  gateway.call("POST", "/v1/click/accept", {
    token,
    body: sent,
    headers: { ...(key === undefined ? {} : { "X-Idempotency-Key": key }), ...headers },
  });

async function takenBy(client: string): Promise<number> {
  const { rows } = await superuser.query(
    "select coalesce(sum(used), 0)::int as used from gateway.rate_window where bucket like $1",
    [`${client} %`],
  );
  return rows[0].used;
}

describe("accept", () => {
  test("a record is 201 with the receipt's own bytes", async () => {
    const key = uniqueName("key");
    const answer = await accept(key);
    expect(answer.status).toBe(201);
    expect(answer.text).toBe([...gateway.click.receipts.values()].at(-1)?.json);
    expect(answer.headers.get("idempotent-replayed")).toBeNull();
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  });

  test("a replay is 200 with the same bytes, whatever the order of keys and the white space", async () => {
    const key = uniqueName("key");
    const first = await accept(key, { ...body, metadata: { b: "2", a: "1" }, unknown: { y: [1, 2], x: null } });
    const again = await accept(
      key,
      '{ "unknown":{"x":null,"y":[1,2]}, "metadata":{"a":"1","b":"2"},\n"action":"BUTTON","userRef":"user-1","templateSlug":"terms" }',
    );
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  test("another body under the same key is 422, even if it differs in an unknown field only", async () => {
    const key = uniqueName("key");
    await accept(key);
    const answer = await accept(key, { ...body, unknown: true });
    expect([answer.status, answer.body.errorCode]).toEqual([422, "CLICK_IDEMPOTENCY_KEY_REUSED"]);
    expect(answer.body.message).toContain("different body");
  });

  test("a receipt beyond ASCII keeps its bytes", async () => {
    const key = uniqueName("key");
    const json = wholeJson(receipt.schemas.answer, { templateName: "Zoë 🖋" });
    gateway.click.before.batch = ({ items }) => {
      const text = Buffer.from(items[0]?.body ?? []).toString();
      gateway.click.receipts.set(`${orgA} ${key}`, { body: text, receiptId: "x", json, organizationId: orgA });
    };
    const answer = await accept(key);
    expect(answer.text).toBe(json);
    expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(answer.text)));
  });

  test("each item carries who called, as the gateway saw it", async () => {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const headers = {
      "X-Forwarded-For": "203.0.113.66",
      "User-Agent": "Backend/1",
      "X-Request-Id": "req-1",
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
    };
    const answer = await accept(uniqueName("key"), body, headers);
    const item = gateway.click.seen.batches.at(-1)?.items[0];
    expect(item?.caller).toMatchObject({
      organizationId: orgA,
      clientId: "cl_test",
      requestId: "req-1",
      traceparent: answer.headers.get("traceparent"),
      observed: { ip: "127.0.0.1", userAgent: "Backend/1" },
    });
    expect(item?.caller?.traceparent).toMatch(new RegExp(`^00-${trace}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
    expect(Buffer.from(item?.body ?? []).toString()).toBe(
      '{"action":"BUTTON","templateSlug":"terms","userRef":"user-1"}',
    );
  });

  test("acceptances that come while two batches are under way share the next one", async () => {
    const before = gateway.click.seen.batches.length;
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    gateway.click.before.batch = () => gate;
    const crowd = await gateway.auth.token("click:accept", "cl_crowd");
    const send = (n: number) =>
      gateway.call("POST", "/v1/click/accept", { token: crowd, body, headers: { "X-Idempotency-Key": `crowd ${n}` } });
    const answers = [send(0)];
    await until(() => gateway.click.seen.batches.length === before + 1);
    answers.push(send(1));
    await until(() => gateway.click.seen.batches.length === before + 2);
    for (let n = 2; n < 50; n += 1) answers.push(send(n));
    await until(async () => (await takenBy("cl_crowd")) === 50);
    open();
    const settled = await Promise.all(answers);
    expect(settled.map(({ status }) => status)).toEqual(Array(50).fill(201));
    expect(settled.map((answer) => answer.body.idempotencyKey)).toEqual(
      Array.from({ length: 50 }, (_, n) => `crowd ${n}`),
    );
    expect(gateway.click.seen.batches.length - before).toBeLessThan(10);
  });

  test("the header is required", async () => {
    const answer = await accept(undefined);
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_IDEMPOTENCY_KEY_REQUIRED"]);
  });

  test.each([
    ["empty", ""],
    ["256 characters long", "x".repeat(256)],
    ["beyond ASCII", "schlüssel"],
    ["with a tab", "a\tb"],
  ])("a key that is %s is CLICK_IDEMPOTENCY_KEY_INVALID", async (_name, key) => {
    const answer = await accept(key);
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_IDEMPOTENCY_KEY_INVALID"]);
  });

  test.each(["x", "x".repeat(255), 'with spaces, commas and "quotes" ~'])("%p is a key", async (key) => {
    expect((await accept(key)).status).toBe(201);
  });

  test.each([
    ["a template id that is no UUID", { ...body, templateId: "x" }, "templateId"],
    ["a userRef that is no text", { ...body, userRef: 5 }, "userRef"],
    ["an unknown action", { ...body, action: "NOD" }, "action"],
    ["a list", [], ""],
    ["null", null, ""],
    ["a text", '"text"', ""],
  ])("%s is 400 and nothing is sent on", async (_name, sent, field) => {
    const before = gateway.click.seen.batches.length;
    const answer = await accept(uniqueName("key"), sent);
    expect([answer.status, answer.body.errorCode, answer.body.details[0].field]).toEqual([
      400,
      "CLICK_VALIDATION_FAILED",
      field,
    ]);
    expect(gateway.click.seen.batches.length).toBe(before);
  });

  test("a body is required", async () => {
    const answer = await gateway.call("POST", "/v1/click/accept", { token, headers: { "X-Idempotency-Key": "x" } });
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
  });

  test("a click service that is down is 503 with Retry-After, after one more try", async () => {
    let attempts = 0;
    gateway.click.before.batch = () => {
      attempts += 1;
      throw new ConnectError("down", Code.Unavailable);
    };
    const answer = await accept(uniqueName("key"));
    expect([answer.status, answer.body.errorCode, answer.headers.get("retry-after")]).toEqual([
      503,
      "SERVICE_UNAVAILABLE",
      "1",
    ]);
    expect(attempts).toBe(2);
  });

  test("a defect of the click service is 500 with a fixed text", async () => {
    gateway.click.before.batch = () => {
      throw new Error("secret detail");
    };
    const answer = await accept(uniqueName("key"));
    expect([answer.status, answer.body.errorCode]).toEqual([500, "INTERNAL_ERROR"]);
    expect(answer.text).not.toContain("secret");
    expect(Object.keys(answer.body)).toEqual(["errorCode", "message", "requestId"]);
  });
});

describe("getReceipt", () => {
  test("answers the same bytes as accept did", async () => {
    const accepted = await accept(uniqueName("key"));
    const answer = await gateway.call("GET", `/v1/click/receipts/${accepted.body.receiptId}`, { token });
    expect([answer.status, answer.text]).toEqual([200, accepted.text]);
  });

  test("an unknown receipt is 404", async () => {
    const answer = await gateway.call("GET", `/v1/click/receipts/${newId()}`, { token });
    expect([answer.status, answer.body.errorCode]).toEqual([404, "CLICK_RECEIPT_NOT_FOUND"]);
  });
});

describe("listAcceptances", () => {
  const list = async (query: string, organizationId: string, client: string) =>
    gateway.call("GET", `/v1/click/acceptances${query}`, {
      token: await gateway.auth.token("click:read", client, organizationId),
    });

  test("answers a bare array of receipts as they were recorded, page by page when asked", async () => {
    const organizationId = "0190a000-0000-7000-8000-0000000000ac";
    const writer = await gateway.auth.token("click:accept", "cl_list", organizationId);
    for (let n = 0; n < 5; n += 1) {
      const headers = { "X-Idempotency-Key": uniqueName("listed") };
      await gateway.call("POST", "/v1/click/accept", { token: writer, body, headers });
    }
    const receipts = [...gateway.click.receipts.values()].filter((one) => one.organizationId === organizationId);
    gateway.click.pages.items = 2;
    const all = await list("", organizationId, "cl_list");
    expect([all.status, all.text]).toEqual([200, `[${receipts.map(({ json }) => json).join(",")}]`]);
    expect(all.headers.get("x-next-cursor")).toBeNull();
    const some = await list("?limit=3", organizationId, "cl_list");
    expect([some.body.length, some.headers.get("x-next-cursor")]).toEqual([3, "3"]);
    const rest = await list("?cursor=3", organizationId, "cl_list");
    expect([rest.body.length, rest.headers.get("x-next-cursor")]).toEqual([2, null]);
    gateway.click.pages.items = 1_000;
  });

  test("an organization without acceptances has an empty array", async () => {
    const answer = await list("", "0190a000-0000-7000-8000-0000000000ad", "cl_empty");
    expect([answer.status, answer.text]).toEqual([200, "[]"]);
  });

  test("passes the query on", async () => {
    const id = "0190a000-0000-7000-8000-00000000000f";
    const times = "from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z";
    const ids = `templateId=${id.toUpperCase()}&versionId=${id.toUpperCase()}&revision=3`;
    await list(`?userRef=user%201&${ids}&${times}&limit=7`, orgA, "cl_query");
    expect(gateway.click.seen.lists.at(-1)).toMatchObject({
      userRef: "user 1",
      ...{ templateId: id, versionId: id, revision: 3 },
      from: { seconds: BigInt(Date.parse("2026-11-01T00:00:00Z") / 1000) },
      to: { seconds: BigInt(Date.parse("2026-12-01T00:00:00Z") / 1000) },
      limit: 7,
    });
  });

  test.each(["userRef=", "templateId=x", "from=2026-11-01", "to=now", "limit=1001", "cursor="])(
    "the query %s is 400",
    async (query) => {
      const answer = await list(`?${query}`, orgA, "cl_bad_query");
      expect([answer.status, answer.body.details[0].field]).toEqual([400, query.split("=")[0]]);
    },
  );
});
