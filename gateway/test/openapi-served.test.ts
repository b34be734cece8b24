import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { describeWithTools } from "#platform/testing/judges.ts";
import { until } from "#platform/testing/until.ts";
import { buildOpenApi } from "../openapi/build.ts";
import { referenceFiles } from "../openapi/page/reference-page.ts";
import { referencePagePolicy } from "../openapi/reference.ts";
import { allRoutes } from "../routes/index.ts";
import { codeIn } from "./code-samples.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;

const run = promisify(execFile);
const publicUrl = "https://agreements.example.com";
const document = buildOpenApi(allRoutes, publicUrl);
const files = referenceFiles(document);
const textOf = (name: string): string => files.get(name)?.text ?? "";

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
  ["/docs", "text/html; charset=utf-8", textOf("")],
  ["/docs/templates", "text/html; charset=utf-8", textOf("templates")],
  ["/docs/search.txt", "text/plain; charset=utf-8", textOf("search.txt")],
  ["/docs/reference.js", "text/javascript; charset=utf-8", textOf("reference.js")],
])("%s", (path, contentType, text) => {
  test("is what was built from the routes", async () => {
    const answer = await gateway.call("GET", path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, contentType]);
    expect(answer.text).toBe(text);
    expect(answer.headers.get("cache-control")).toBe("no-cache");
    const plain = await gateway.call("GET", path, { headers: { "Accept-Encoding": "identity" } });
    expect([plain.text === text, plain.headers.get("content-length")]).toEqual([true, String(Buffer.byteLength(text))]);
  });

  test.each(["br", "gzip"])("is a quarter as long in %s", async (coding) => {
    const options = { headers: { "Accept-Encoding": coding, Cookie: "a=b" } };
    const { headers, text: received } = await gateway.call("GET", path, options);
    expect([headers.get("content-encoding"), headers.get("vary"), received === text]).toEqual([
      ...[coding, "Accept-Encoding", true],
    ]);
    expect(Number(headers.get("content-length")) * 2.5).toBeLessThan(Buffer.byteLength(text));
    expect(headers.get("etag")).toMatch(/^W\/"[0-9a-f]{32}"$/);
  });

  test("is not sent again to whoever has it", async () => {
    const identity = { headers: { "Accept-Encoding": "identity" } };
    const etag = (await gateway.call("HEAD", path, identity)).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const answer = await gateway.call("GET", path, { headers: { "If-None-Match": known } });
      expect([answer.status, answer.text, answer.headers.get("etag")]).toEqual([304, "", etag]);
    }
    const other = await gateway.call("GET", path, { headers: { "If-None-Match": '"other"' } });
    expect(other.status).toBe(200);
  });
});

test("the pages of the reference may use their own files and nothing else", async () => {
  const { headers } = await gateway.call("GET", "/docs/templates");
  expect(headers.get("content-security-policy")).toBe(referencePagePolicy);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

test("long answers to a credential are compressed for those who read it, and never for browsers that send cookies", async () => {
  const token = await gateway.auth.token("click:read click:write");
  for (let count = 0; count < 12; count += 1) {
    await gateway.call("POST", "/v1/click/templates", { token, body: { name: `Long ${count}`, type: "STATIC" } });
  }
  const read = async (headers: Record<string, string>) => {
    const answer = await gateway.call("GET", "/v1/click/templates", { token, headers });
    return [answer.headers.get("content-encoding"), answer.headers.get("vary"), answer.text] as const;
  };
  const [, , plain] = await read({ "Accept-Encoding": "identity" });
  expect(plain.length).toBeGreaterThan(4_096);
  expect(await read({ "Accept-Encoding": "gzip, br" })).toEqual(["gzip", "Accept-Encoding", plain]);
  expect(await read({ "Accept-Encoding": "gzip;q=0" })).toEqual([null, "Accept-Encoding", plain]);
  expect(await read({ "Accept-Encoding": "gzip", Cookie: "other=1" })).toEqual([null, "Accept-Encoding", plain]);
  const short = await gateway.call("GET", "/v1/click/templates?limit=1", { token });
  expect([short.headers.get("content-encoding"), short.headers.get("vary")]).toEqual([null, null]);
});

test("there are no other pages", async () => {
  for (const page of ["nothing", "reference.html", "x".repeat(101), "A"]) {
    expect((await gateway.call("GET", `/docs/${page}`)).status).toBe(404);
  }
});

describeWithTools(["bash", "curl", "python3"], "the code of the reference", () => {
  const section = (id: string): string => textOf("templates").split(`id="${id}"`)[1]?.split("</section>")[0] ?? "";
  const samples = (["createTemplate", "findAllTemplates"] as const).flatMap((id) =>
    Object.entries(codeIn(section(id))).map(([language, [program = ""]]) => ({ id, language, program })),
  );

  test.each(samples)("$id in $language works when it is pasted", async ({ language, program }) => {
    const folder = mkdtempSync(join(tmpdir(), "assent-sample-"));
    try {
      const file = join(folder, `request.${language === "typescript" ? "mts" : "txt"}`);
      writeFileSync(file, program.replace(/("name": ")[^"]*/, `$1In ${language}`));
      const [command = "", ...first] =
        { curl: ["bash"], typescript: [process.execPath], python: ["python3"] }[language] ?? [];
      // Another name for each, because a slug is made of it.
      const token = await gateway.auth.token("click:read click:write");
      const env = { PATH: process.env.PATH, ASSENT: gateway.url, TOKEN: token };
      const { stdout } = await run(command, [...first, file], { env });
      expect(stdout).toContain("DRAFT");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("/", () => {
  const page = { headers: { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };

  test("is a page for browsers that runs nothing and leads to what is there", async () => {
    const { status, headers, text } = await gateway.call("GET", "/", page);
    expect([status, headers.get("content-type"), headers.get("vary")]).toEqual([
      ...[200, "text/html; charset=utf-8", "Accept, Accept-Encoding"],
    ]);
    const style = createHash("sha256")
      .update(/<style>([^<]*)</.exec(text)?.[1] ?? "")
      .digest("base64");
    expect(headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(text).not.toMatch(/<script|style="/);
    expect(text).toContain("0.1.0");
    const links = [...text.matchAll(/ href="([^"]*)"/g)].map(([, path]) => path ?? "");
    expect(links).toEqual(expect.arrayContaining(["/dashboard/", "/docs", "/verify"]));
    for (const path of links) expect([path, (await fetch(gateway.url + path)).status]).not.toEqual([path, 404]);
    const etag = headers.get("etag") ?? "";
    const again = await gateway.call("GET", "/", { headers: { ...page.headers, "If-None-Match": etag } });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  test("is JSON for everybody else, and HEAD answers as GET does", async () => {
    for (const headers of [{}, { Accept: "application/json" }, { Accept: "*/*" }]) {
      const answer = await gateway.call("GET", "/", { headers });
      expect([answer.status, answer.headers.get("vary"), answer.body]).toEqual([
        ...[200, "Accept"],
        expect.objectContaining({ name: "Assent", version: "0.1.0", reference: "/docs", verify: "/verify" }),
      ]);
    }
    const head = await gateway.call("HEAD", "/", page);
    expect([head.status, head.text, head.headers.get("content-type")]).toEqual([200, "", "text/html; charset=utf-8"]);
  });
});

test("/favicon.ico is a small picture that runs nothing", async () => {
  const ask = (method: string) => fetch(`${gateway.url}/favicon.ico`, { method });
  const answer = await ask("GET");
  const { status, headers } = answer;
  expect([status, headers.get("content-type"), headers.get("content-security-policy")]).toEqual([
    ...[200, "image/svg+xml", "default-src 'none'"],
  ]);
  expect(await answer.text()).toMatch(/^<svg [\s\S]{1,500}<\/svg>$/);
  expect([(await ask("HEAD")).status, (await ask("POST")).status]).toEqual([200, 404]);
});

const omitRequestId = ({ requestId, ...rest }: Record<string, unknown>): object => rest;

describe("/readyz", () => {
  test("names what is missing, while /healthz says that requests are answered", async () => {
    const missing: string[] = [];
    const other = await startTestGateway(database.url, { findMissing: async () => missing });
    try {
      // On a busy machine the database may not answer in the time that the check has for it.
      const isSaid = (expected: object) => async () =>
        isDeepStrictEqual(omitRequestId((await other.call("GET", "/readyz")).body), expected);
      await until(isSaid({ status: "ready" }));
      missing.push("click", "webhooks");
      const details = ["click", "webhooks"].map((field) => ({
        field,
        code: "UNAVAILABLE",
        message: "does not answer that it is ready",
      }));
      await until(isSaid({ errorCode: "SERVICE_UNAVAILABLE", message: "Missing: click, webhooks.", details }));
      expect((await other.call("GET", "/readyz")).status).toBe(503);
      expect((await other.call("GET", "/healthz")).status).toBe(200);
    } finally {
      await other.stop();
    }
  });
});
