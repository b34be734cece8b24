import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

const html = "<!doctype html><title>Assent</title>";
const script = `${"void 0;".repeat(500)}\n`;

let database: TestDatabase;
let gateway: TestGateway;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "assent-dashboard-"));
  mkdirSync(join(folder, "code"));
  writeFileSync(join(folder, "index.html"), html);
  writeFileSync(join(folder, "code/page.js"), script);
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url, { config: { dashboardFolder: folder } });
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Asked directly: pages are no operations of the API's description. */
async function ask(method: string, path: string, options: RequestInit = {}) {
  const response = await fetch(`${gateway.url}${path}`, { method, ...options });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test("every address of the dashboard that is no file answers the page, to everybody", async () => {
  for (const path of ["", "/", "/login", "/webhooks/deliveries/1", "/invitation?x=1"]) {
    const answer = await ask("GET", `/dashboard${path}`);
    expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([
      200,
      html,
      "text/html; charset=utf-8",
    ]);
  }
  expect((await ask("HEAD", "/dashboard/")).status).toBe(200);
  expect((await ask("GET", "/dashboards")).status).toBe(404);
  const posted = await ask("POST", "/dashboard/login", { body: "{}" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("the page runs nothing but our own files, and nobody frames or keeps it", async () => {
  const { headers } = await ask("GET", "/dashboard/");
  expect(headers.get("content-security-policy")?.split("; ")).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ]);
  expect([headers.get("x-frame-options"), headers.get("cache-control")]).toEqual(["DENY", "no-cache"]);
});

test("files are kept for ever, and compressed for those who say that they read it", async () => {
  const file = "/dashboard/assets/code/page.js";
  for (const [accepted, coding] of [
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["identity", null],
    ["gzip;q=0", null],
  ] as const) {
    const { status, headers, text } = await ask("GET", file, { headers: { "Accept-Encoding": accepted } });
    expect([status, headers.get("content-encoding"), text]).toEqual([200, coding, script]);
    expect([headers.get("vary"), headers.get("cache-control")]).toEqual([
      "Accept-Encoding",
      "public, max-age=31536000, immutable",
    ]);
  }
  for (const path of ["code/other.js", "code/%2e%2e%2findex.html", "index.html", "constructor/name", ""]) {
    expect((await ask("GET", `/dashboard/assets/${path}`)).status).toBe(404);
  }
});
