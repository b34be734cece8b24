import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { type RenderClaims, secondsOf } from "../domain/render-claims.ts";
import { renderKeyKek } from "../domain/sealed-key.ts";
import { createRenderKeys } from "../render/render-keys.ts";
import { createRenderTokens } from "../render/render-tokens.ts";
import { parts } from "./forged-tokens.ts";

let database: TestDatabase;
let pool: pg.Pool;
let superuser: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, role: "assent_click", name: "test" });
  superuser = new pg.Pool({ connectionString: database.superuserUrl, max: 1 });
});
afterEach(() => superuser.query("truncate click.render_key"));
afterAll(async () => {
  await pool.end();
  await superuser.end();
  await database.drop();
});

const dayMs = 86_400_000;
const masterKey = randomBytes(32);
const logger = createLogger("test", "silent");

/** A process with a clock of its own. */
function startProcess({ key = masterKey, at = Date.parse("2026-11-20T12:00:00Z") } = {}) {
  let queries = 0;
  let isDown = false;
  const counting = {
    query: (...query: Parameters<pg.Pool["query"]>) => {
      queries += 1;
      if (isDown) return Promise.reject(new Error("Connection terminated"));
      return pool.query(...query);
    },
  } as unknown as pg.Pool;
  let now = at;
  const clock = { now: () => new Date(now) };
  const keys = createRenderKeys({ pool: counting, kek: renderKeyKek(key), clock, logger });
  const tokens = createRenderTokens({ keys, clock });
  const hash = `sha256:${"0".repeat(64)}`;
  const claims = (): RenderClaims => ({
    ...{ rnd: newId(), org: newId(), cid: "cl", tpl: newId(), ver: newId(), rev: 1, locale: "en" },
    ...{ ch: hash, rh: hash, wh: hash, iat: secondsOf(clock.now()), exp: secondsOf(clock.now()) + 86_400 },
  });
  return {
    claims,
    sign: (changes: Partial<RenderClaims> = {}) => tokens.sign({ ...claims(), ...changes }),
    read: async (token: string) => tokens.read(token),
    kid: async () => parts(await tokens.sign(claims())).header.kid,
    advance: (ms: number) => {
      now += ms;
    },
    queries: () => queries,
    cutOff: () => {
      isDown = true;
    },
  };
}

const storedKeys = async () =>
  (
    await superuser.query<{ generation: number; kid: string }>(
      "select generation, kid from click.render_key order by 1",
    )
  ).rows;

describe("the keys of render tokens", () => {
  test("are the same in all processes, also when they all start at once", async () => {
    const processes = Array.from({ length: 5 }, () => startProcess());
    const tokens = await Promise.all(processes.map(({ sign }) => sign()));
    expect(await storedKeys()).toHaveLength(1);
    expect(new Set(tokens.map((token) => parts(token).header.kid)).size).toBe(1);
    for (const { read } of processes) for (const token of tokens) expect(await read(token)).toBeDefined();
  });

  test("rotate after 30 days; the next one is stored a day before, and the last one's tokens stay good", async () => {
    const [one, two] = [startProcess(), startProcess()];
    const old = await one.kid();
    expect(await two.kid()).toBe(old);
    for (const { advance } of [one, two]) advance(29 * dayMs - 60_000);
    expect(await one.kid()).toBe(old);
    expect(await storedKeys()).toHaveLength(1);
    for (const { advance } of [one, two]) advance(120_000);
    await one.kid();
    await until(async () => (await storedKeys()).length === 2);
    const late = await one.sign();
    expect(parts(late).header.kid).toBe(old);
    for (const { advance } of [one, two]) advance(dayMs);
    const [first, second] = [await one.kid(), await two.kid()];
    expect([first, first === old]).toEqual([second, false]);
    for (const { read } of [one, two]) expect(await read(late)).toBeDefined();
  });

  test("an old key makes no new tokens, whoever has it", async () => {
    const one = startProcess();
    const thief = startProcess();
    await thief.sign();
    thief.cutOff();
    for (const { advance } of [one, thief]) advance(31 * dayMs);
    await one.kid();
    one.advance(dayMs);
    thief.advance(dayMs);
    await one.kid();
    one.advance(2 * 3_600_000);
    thief.advance(2 * 3_600_000);
    expect(await one.read(await thief.sign())).toBeUndefined();
  });

  test("a key that another process has just made is looked up once, and unknown ones not again and again", async () => {
    const one = startProcess();
    await one.sign();
    await superuser.query("truncate click.render_key");
    const other = startProcess();
    const token = await other.sign();
    one.advance(6_000);
    expect(await one.read(token)).toBeDefined();
    const before = one.queries();
    await superuser.query("truncate click.render_key");
    const strange = await startProcess({ key: masterKey }).sign();
    for (let n = 0; n < 50; n += 1) expect(await one.read(strange)).toBeUndefined();
    expect(one.queries() - before).toBeLessThanOrEqual(2);
  });

  test("go on being used while the database is away", async () => {
    const one = startProcess();
    const token = await one.sign();
    one.cutOff();
    one.advance(2 * 3_600_000);
    expect(await one.read(token)).toBeDefined();
    await one.sign();
    const fresh = startProcess();
    fresh.cutOff();
    await expect(fresh.sign()).rejects.toThrow("Connection terminated");
  });

  test("a token from the future is refused, a little difference of clocks is not", async () => {
    const one = startProcess();
    const now = one.claims().iat;
    expect(await one.read(await one.sign({ iat: now + 50 }))).toBeDefined();
    expect(await one.read(await one.sign({ iat: now + 120 }))).toBeUndefined();
  });

  test("claims that no token of ours has are refused, although we signed them", async () => {
    const one = startProcess();
    const bad: object[] = [
      { org: "acme" },
      { rev: 0 },
      { rev: 1.5 },
      { iat: "now" },
      { exp: one.claims().iat + 32 * 86_400 },
      { exp: Number.MAX_VALUE * 2 },
      { ch: "sha256:0" },
      { dep: newId() },
      { sid: "s" },
      { cid: "" },
      { tpl: undefined },
    ];
    for (const changes of bad) expect(await one.read(await one.sign(changes))).toBeUndefined();
  });

  test("are useless without the master key, and cannot be exchanged in the database", async () => {
    await startProcess().sign();
    await expect(startProcess({ key: randomBytes(32) }).sign()).rejects.toThrow("master key");
    const stored = await superuser.query<{ private_key: Buffer }>("select private_key from click.render_key");
    expect(stored.rows[0]?.private_key).toHaveLength(12 + 16 + 32);
    await superuser.query("update click.render_key set public_key = decode(repeat('07', 32), 'hex')");
    await expect(startProcess().sign()).rejects.toThrow("not its own");
    await superuser.query("update click.render_key set private_key = private_key || '\\x00'::bytea");
    await expect(startProcess().sign()).rejects.toThrow("cannot be decrypted");
  });
});
