import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type AdminPort, createHealthState, startAdminPort } from "#platform/admin-port.ts";
import type { Environment } from "#platform/config.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { until } from "#platform/testing/until.ts";
import { type ClickHarness, newOrg, startClick } from "../../services/click/test/harness.ts";
import { runAdmin } from "./run.ts";

let click: ClickHarness;
let port: AdminPort;
/** Has no evidence keys, as the auth service of a cluster. */
let elsewhere: AdminPort;
let env: Environment;
let folder: string;

beforeAll(async () => {
  click = await startClick();
  port = await open([click.service.adminRoutes ?? (() => undefined)]);
  elsewhere = await open([]);
  env = { ASSENT_ADMIN_URL: `http://127.0.0.1:${port.port}`, ASSENT_ADMIN_TOKEN: "the-admin-token" };
  folder = mkdtempSync(join(tmpdir(), "assent-admin-"));
});

const open = (operatorRoutes: Parameters<typeof startAdminPort>[0]["operatorRoutes"]) =>
  startAdminPort({
    host: "127.0.0.1",
    port: 0,
    token: "Ann:the-admin-token",
    routes: [],
    operatorRoutes,
    observed: { service: "admin", logger: createLogger("admin", "silent"), metrics: createMetrics() },
    health: createHealthState(),
    checkReady: async () => undefined,
  });
const bigints = (_name: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await elsewhere.close();
  await port.close();
  await click.close();
});

async function admin(
  args: readonly string[],
  surroundings = env,
  command = "evidence-keys",
): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: "", err: "" };
  const code = await runAdmin([command, ...args], {
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
async function json(args: readonly string[], surroundings = env, command?: string): Promise<any> {
  const { code, out, err } = await admin([...args, "--json"], surroundings, command);
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

describe("evidence-logs", () => {
  const logs = (...args: string[]) => json(args, env, "evidence-logs");
  const [one, other] = [newOrg(), newOrg()];
  const setBack = (logId: string, formerSize: number) =>
    click.superuser.query(
      `insert into click.log_epoch (organization_id, epoch, first_index, tree_size, missing_from, former_epoch,
         former_size, former_note, opened_at)
       values ($1, 2, 21, 20, 20, 1, $2, 'a note', '2026-11-20T00:00:00Z')`,
      [logId, formerSize],
    );

  test("list shows the epochs of logs that were set back, and confirm takes note of them", async () => {
    expect(await logs("list")).toEqual({ unconfirmed: 0, witness: null, epochs: [], setbacks: [] });
    for (const logId of [one, other]) await setBack(logId, 120);
    const { unconfirmed, epochs } = await logs("list");
    expect(unconfirmed).toBe(2);
    expect(epochs).toContainEqual({
      ...{ log: one, epoch: 2, origin: expect.stringMatching(`/${one}/e2$`), firstIndex: 21, treeSize: 20 },
      ...{ missing: { from: 20, to: 120 }, openedAt: "2026-11-20T00:00:00.000Z", confirmedAt: null },
      confirmedBy: null,
    });
    expect(await logs("confirm", "--log", one)).toEqual({ confirmed: 1 });
    expect(await logs("list")).toMatchObject({ unconfirmed: 1, epochs: [{ log: other }, { log: one }] });
    const noted = JSON.stringify({ found: "2-00aa", foundAt: "2026-11-21T00:00:00.000Z", confirmed: "1-00aa" });
    await click.superuser.query("insert into click.relay_state values ('setback sign', $1)", [noted]);
    expect((await logs("list")).setbacks).toEqual([
      {
        ...{ service: "sign", epoch: "2-00aa", foundAt: "2026-11-21T00:00:00.000Z" },
        ...{ confirmedAt: null, confirmedBy: null },
      },
    ]);
    expect(await logs("confirm", "--all")).toEqual({ confirmed: 1, setbacks: 1 });
    expect(await logs("confirm", "--all")).toEqual({ confirmed: 0, setbacks: 0 });
    const [confirmed] = (await logs("list")).epochs;
    expect(confirmed).toMatchObject({ confirmedAt: expect.stringMatching(/Z$/), confirmedBy: "Ann" });
    const read = (await admin(["list"], env, "evidence-logs")).out;
    expect(read).toContain("witness                                  none: LOG_WITNESS is empty\n");
    expect(read).toMatch(
      /^database of sign +it or NATS went back in time, found 2026-11-21T.*, confirmed .*Z by Ann$/m,
    );
    expect(read).toMatch(
      new RegExp(`^${one} e2  lacks 100 leaves, 20 to 119, opened 2026-.*Z, confirmed .*Z by Ann$`, "m"),
    );
    // Of the anchor log, which has a name.
    await setBack("00000000-0000-0000-0000-000000000000", 21);
    expect((await admin(["list"], env, "evidence-logs")).out).toMatch(/^anchor log e2 +lacks 1 leaf, 20, opened/m);
    await logs("confirm", "--all");
    // Everybody may read the epochs, but not who has confirmed them.
    expect(JSON.stringify(await click.client.listEvidenceKeys({ logId: one }), bigints)).not.toContain("Ann");
  });

  test("confirm takes an empty witness for a new one when an operator says so, whose name stands there", async () => {
    expect(await admin(["confirm", "--witness-is-new"], env, "evidence-logs")).toMatchObject({
      ...{ code: 1, err: expect.stringContaining("LOG_WITNESS is empty") },
    });
    const logWitness = join(folder, "witness");
    const { service } = await click.startAnother(undefined, undefined, { logWitness });
    const own = await open([service.adminRoutes ?? (() => undefined)]);
    const there = (...args: string[]) =>
      json(args, { ...env, ASSENT_ADMIN_URL: `http://127.0.0.1:${own.port}` }, "evidence-logs");
    try {
      const since = expect.stringMatching(/Z$/);
      expect((await there("list")).witness).toEqual({ problem: null, since, confirmedBy: null });
      expect(await there("confirm", "--witness-is-new")).toEqual({ confirmed: false });
      rmSync(logWitness, { recursive: true });
      await until(async () => (await there("list")).witness.problem?.includes("lacks its marker"));
      const { confirmed, firstEpoch, meaning } = await there("confirm", "--witness-is-new");
      expect(confirmed).toBe(true);
      expect(firstEpoch).toBeGreaterThan(1);
      expect(meaning).toContain(`each continues in a new epoch, /e${firstEpoch} or later`);
      expect((await there("list")).witness).toEqual({ problem: null, since, confirmedBy: "Ann" });
      rmSync(logWitness, { recursive: true });
      writeFileSync(logWitness, "");
      const refused = { ...env, ASSENT_ADMIN_URL: `http://127.0.0.1:${own.port}` };
      expect(await admin(["confirm", "--witness-is-new"], refused, "evidence-logs")).toMatchObject({
        ...{ code: 1, err: expect.stringContaining("the folder of the witness cannot be used") },
      });
    } finally {
      await own.close();
    }
  });

  test("confirm wants one log, all of them or the witness", async () => {
    for (const args of [["confirm"], ["confirm", "--all", "--log", one], ["confirm", "--all", "--witness-is-new"]]) {
      expect((await admin(args, env, "evidence-logs")).code).toBe(2);
    }
  });
});
