import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();

  gateway = await startTestGateway(database.url);
  token = await gateway.auth.token("click:read click:write click:accept");
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

describe("bodies", () => {
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/v1/click/templates`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers },
      body,
    }).then(async (response) => [response.status, ((await response.json()) as { errorCode: string }).errorCode]);
  const good = '{"name":"x","type":"STATIC"}';
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

  test.each([
    ["nothing but a brace", "{", 400, "CLICK_VALIDATION_FAILED"],
    ["a trailing comma", '{"name":"x",}', 400, "CLICK_VALIDATION_FAILED"],
    ["another language", "name=x", 400, "CLICK_VALIDATION_FAILED"],
    ["a list", "[]", 400, "CLICK_VALIDATION_FAILED"],
    ["null", "null", 400, "CLICK_VALIDATION_FAILED"],
    ["a number", "5", 400, "CLICK_VALIDATION_FAILED"],
    ["a hundred thousand nested lists", nested(100_000), 400, "CLICK_VALIDATION_FAILED"],
    ["33 levels", `{"name":"x","type":"STATIC","typeConfig":{"a":${nested(31)}}}`, 400, "CLICK_VALIDATION_FAILED"],
    ["half a surrogate pair", '{"name":"\\ud800","type":"STATIC"}', 400, "CLICK_VALIDATION_FAILED"],
    ["the character NUL", '{"name":"a\\u0000b","type":"STATIC"}', 400, "CLICK_VALIDATION_FAILED"],
    [
      "the character NUL in a key",
      '{"name":"a","type":"STATIC","metadata":{"\\u0000":""}}',
      400,
      "CLICK_VALIDATION_FAILED",
    ],
  ])("%s is refused", async (_name, body, status, errorCode) => {
    expect(await post(body)).toEqual([status, errorCode]);
  });

  test("bytes that are not UTF-8 are refused", async () => {
    expect(
      await post(new Uint8Array([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('","type":"STATIC"}')])),
    ).toEqual([400, "CLICK_VALIDATION_FAILED"]);
  });

  test("32 levels are allowed", async () => {
    expect(await post(`{"name":"deep","type":"STATIC","typeConfig":{"a":${nested(30)}}}`)).toEqual([201, undefined]);
  });

  test.each([
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["application/json; charset=iso-8859-1", 415],
    ["application/jsonp", 415],
    ["application/json; charset=utf-8", 409],
    ['Application/JSON;charset="UTF-8"', 409],
    ["application/json;charset=utf8", 409],
  ])("the content type %s answers %i", async (contentType, status) => {
    await post('{"name":"typed","type":"STATIC"}');
    expect((await post('{"name":"typed","type":"STATIC"}', { "Content-Type": contentType }))[0]).toBe(status);
  });

  test("a compressed body is 415", async () => {
    expect(await post(new Uint8Array(gzipSync(good)), { "Content-Encoding": "gzip" })).toEqual([
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ]);
  });

  test("a body of more than 256 KiB is refused, whether its length is told or not", async () => {
    const large = JSON.stringify({ name: "x", type: "STATIC", padding: "x".repeat(262_144) });
    expect(await post(large)).toEqual([400, "CLICK_PAYLOAD_TOO_LARGE"]);
    const chunked = await fetch(`${gateway.url}/v1/click/templates`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: new Blob([large]).stream(),
      duplex: "half",
    });
    expect([chunked.status, ((await chunked.json()) as { errorCode: string }).errorCode]).toEqual([
      400,
      "CLICK_PAYLOAD_TOO_LARGE",
    ]);
  });

  test("a huge list of wrong items is refused fast, with a bounded answer", async () => {
    const answer = await gateway.call("POST", "/v1/click/accept", {
      token,
      body: `{"templateSlug":"x","userRef":"u","purposes":[${"1,".repeat(100_000)}1]}`,
      headers: { "X-Idempotency-Key": "huge" },
    });
    expect([answer.status, answer.body.details.length]).toEqual([400, 1]);
  });
});
