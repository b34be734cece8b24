import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type AdminPort, startAdminPort } from "#platform/admin-port.ts";
import type { Environment } from "#platform/config.ts";
import { createHealthState } from "#platform/health.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { type ClickHarness, startClick } from "../../services/click/test/harness.ts";
import { runAdmin } from "./run.ts";

let click: ClickHarness;
let port: AdminPort;
/** Has no evidence keys, as the auth service of a cluster. */
let elsewhere: AdminPort;
let env: Environment;
let folder: string;

beforeAll(async () => {
  click = await startClick();
  const metrics = createMetrics();
  const open = (routes: Parameters<typeof startAdminPort>[0]["routes"]) =>
    startAdminPort({
      host: "127.0.0.1",
      port: 0,
      token: "the-admin-token",
      routes,
      interceptors: serverInterceptors({ service: "admin", logger: createLogger("admin", "silent"), metrics }),
      metrics,
      health: createHealthState(),
      checkReady: async () => undefined,
    });
  port = await open([click.service.routes, click.service.adminRoutes ?? (() => undefined)]);
  elsewhere = await open([]);
  env = { ASSENT_ADMIN_URL: `http://127.0.0.1:${port.port}`, ASSENT_ADMIN_TOKEN: "the-admin-token" };
  folder = mkdtempSync(join(tmpdir(), "assent-admin-"));
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await elsewhere.close();
  await port.close();
  await click.close();
});

async function admin(args: readonly string[], surroundings = env): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: "", err: "" };
  const code = await runAdmin(["evidence-keys", ...args], {
    env: surroundings,
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
  });
  return { code, ...printed };
}

// biome-ignore lint/suspicious/noExplicitAny: each command has a result of its own, which the test looks at
async function json(args: readonly string[], surroundings = env): Promise<any> {
  const { code, out, err } = await admin([...args, "--json"], surroundings);
  expect({ code, err, lines: out.split("\n").length }).toEqual({ code: 0, err: "", lines: 2 });
  return JSON.parse(out);
}

describe("evidence-keys", () => {
  test("list shows the keys of all purposes, and no secret", async () => {
    const { keys } = await json(["list"]);
    expect(keys.map(({ purpose }: { purpose: string }) => purpose)).toEqual(["render", "receipt", "log"]);
    expect(keys[0]).toEqual({
      kid: expect.stringMatching(/^[\w-]{43}$/),
      purpose: "render",
      generation: 1,
      signsFrom: expect.stringMatching(/Z$/),
      signsUntil: null,
      revokedAt: null,
    });
  });

  test("rotate makes a key that takes over at once from the last one", async () => {
    const made = await json(["rotate", "--purpose", "receipt"]);
    expect(made).toMatchObject({ purpose: "receipt", generation: 2, signsUntil: null });
    const { keys } = await json(["list"]);
    const receiptKeys = keys.filter(({ purpose }: { purpose: string }) => purpose === "receipt");
    expect(receiptKeys).toMatchObject([{ generation: 1, signsUntil: made.signsFrom }, made]);
  });

  test("revoke tells from when on the key is not to be trusted, and names a successor", async () => {
    const { kid } = (await json(["list"])).keys.at(-1);
    const before = click.clock.now().getTime();
    const revoked = await json(["revoke", "--kid", kid]);
    expect(revoked).toMatchObject({ kid, purpose: "log", signsUntil: expect.stringMatching(/Z$/) });
    expect(Date.parse(revoked.revokedAt) - before).toBeLessThan(70_000);
    expect(await json(["revoke", "--kid", kid])).toEqual(revoked);
    expect((await json(["list"])).keys.at(-1)).toMatchObject({ purpose: "log", generation: 2, revokedAt: null });
  });

  test("what does not exist is refused, and a missing option is shown with the usage", async () => {
    const purpose = await admin(["rotate", "--purpose", "oauth"]);
    expect([purpose.code, purpose.err]).toEqual([1, expect.stringContaining("render, receipt, log")]);
    const kid = await admin(["revoke", "--kid", "unknown"]);
    expect([kid.code, kid.err]).toEqual([1, "error: There is no signing key with this kid.\n"]);
    for (const args of [["rotate"], ["revoke"], ["list", "--purpose", "log"], ["make"]]) {
      expect((await admin(args)).code).toBe(2);
    }
  });

  test("are asked for at the click service where it has an admin port of its own", async () => {
    const auth = `http://127.0.0.1:${elsewhere.port}`;
    const clickAdminUrl = env.ASSENT_ADMIN_URL;
    const given = { ...env, ASSENT_ADMIN_URL: auth };
    expect((await admin(["list"], given)).code).toBe(1);
    expect((await json(["list"], { ...given, ASSENT_CLICK_ADMIN_URL: clickAdminUrl })).keys).not.toEqual([]);
    const runtime = { adminUrl: auth, clickAdminUrl, adminToken: env.ASSENT_ADMIN_TOKEN };
    writeFileSync(join(folder, "runtime.json"), JSON.stringify(runtime), { mode: 0o600 });
    expect((await json(["list"], { ASSENT_HOME: folder })).keys).not.toEqual([]);
    const half = await admin(["list"], { ASSENT_CLICK_ADMIN_URL: clickAdminUrl });
    expect([half.code, half.err]).toEqual([1, expect.stringContaining("set both")]);
  });
});
