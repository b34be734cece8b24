import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { buildOpenApi } from "../openapi/build.ts";
import { referencePage, referencePagePolicy } from "../openapi/page/reference-page.ts";
import { allRoutes } from "../routes/index.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;

const publicUrl = "https://agreements.example.com";
const document = buildOpenApi(allRoutes, publicUrl);

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url, { config: { publicUrl } });
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

describe.each([
  ["/openapi.json", "application/json; charset=utf-8", JSON.stringify(document)],
  ["/docs", "text/html; charset=utf-8", referencePage(document)],
])("%s", (path, contentType, text) => {
  test("is what was built from the routes", async () => {
    const answer = await gateway.call("GET", path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, contentType]);
    expect(answer.text).toBe(text);
    expect(answer.headers.get("cache-control")).toBe("no-cache");
    expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  });

  test("is not sent again to whoever has it", async () => {
    const etag = (await gateway.call("HEAD", path)).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const answer = await gateway.call("GET", path, { headers: { "If-None-Match": known } });
      expect([answer.status, answer.text, answer.headers.get("etag")]).toEqual([304, "", etag]);
    }
    const other = await gateway.call("GET", path, { headers: { "If-None-Match": '"other"' } });
    expect(other.status).toBe(200);
  });
});

test("the reference page may use its own styles and nothing else", async () => {
  const { headers } = await gateway.call("GET", "/docs");
  expect(headers.get("content-security-policy")).toBe(referencePagePolicy);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});
