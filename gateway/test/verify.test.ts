import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { embedScriptFile, startTestGateway, type TestGateway } from "./test-gateway.ts";

const style = "body { color: black }";
const script = "void 0;";
const page = `<!doctype html><style>${style}</style><script type="module">${script}</script>`;
const sha256 = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

let database: TestDatabase;
let gateway: TestGateway;
let verifierFolder: string;

beforeAll(async () => {
  verifierFolder = mkdtempSync(join(tmpdir(), "assent-verifier-"));
  writeFileSync(join(verifierFolder, "verify.html"), page);
  writeFileSync(join(verifierFolder, "verify-bundle.mjs"), "export {};\n");
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url, { config: { verifierFolder } });
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
  rmSync(verifierFolder, { recursive: true, force: true });
});

describe("GET /verify", () => {
  test("is for everybody, and lets nothing run or apply but what is in it", async () => {
    const { status, headers, text } = await gateway.call("GET", "/verify");
    expect([status, text, headers.get("content-type")]).toEqual([200, page, "text/html; charset=utf-8"]);
    expect(headers.get("content-security-policy")?.split("; ")).toEqual([
      "default-src 'none'",
      `script-src ${sha256(script)}`,
      `style-src ${sha256(style)}`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]);
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("GET /verify/verify-bundle.mjs", () => {
  test("is a download for everybody", async () => {
    const { status, headers, text } = await gateway.call("GET", "/verify/verify-bundle.mjs");
    expect([status, text, headers.get("content-type")]).toEqual([
      200,
      "export {};\n",
      "text/javascript; charset=utf-8",
    ]);
    expect(headers.get("content-disposition")).toBe('attachment; filename="verify-bundle.mjs"');
    expect(headers.get("etag")).toMatch(/^"[0-9a-f]{32}"$/);
  });
});

describe("without the verifier", () => {
  const start = (config: object) => startTestGateway(database.url, { config: { embedScriptFile, ...config } });

  test("its addresses lead nowhere", async () => {
    const other = await start({ verifierFolder: "/nowhere" });
    try {
      for (const path of ["/verify", "/verify/verify-bundle.mjs"]) {
        expect((await other.call("GET", path)).status).toBe(404);
      }
    } finally {
      await other.stop();
    }
  });

  test("production does not start, and says what is missing", async () => {
    const config = { verifierFolder: "/nowhere", requireEmbedScript: true };
    await expect(start(config)).rejects.toThrow("the verifier in /nowhere is missing");
  });

  test("a page with a second script is none", async () => {
    writeFileSync(join(verifierFolder, "verify.html"), `${page}<script>1</script>`);
    await expect(start({ verifierFolder, requireEmbedScript: true })).rejects.toThrow("is missing");
    writeFileSync(join(verifierFolder, "verify.html"), page);
  });
});
