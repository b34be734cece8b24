import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { compactVerify } from "jose";
import { newId } from "#platform/ids.ts";
import { until } from "#platform/testing/until.ts";
import { createLeafSigner, leafHashOf, receiptJws } from "../../log/leaf.ts";
import { type KeyProcesses, kidOf, startKeyProcesses } from "./key-processes.ts";

let processes: KeyProcesses;
beforeAll(async () => {
  processes = await startKeyProcesses();
});
afterEach(() => processes.forgetKeys());
afterAll(() => processes.close());

const dayMs = 86_400_000;

describe("the keys of render tokens", () => {
  test("are the same in all processes, also when they all start at once", async () => {
    const all = Array.from({ length: 5 }, () => processes.startProcess());
    const tokens = await Promise.all(all.map(({ sign }) => sign()));
    expect(await processes.storedKeys()).toHaveLength(1);
    expect(new Set(tokens.map((token) => kidOf(token))).size).toBe(1);
    for (const { read } of all) for (const token of tokens) expect(await read(token)).toBeDefined();
  });

  test("rotate after 30 days; the next one is stored a day before, and the last one's tokens stay good", async () => {
    const [one, two] = [processes.startProcess(), processes.startProcess()];
    const old = await one.kid();
    expect(await two.kid()).toBe(old);
    for (const { advance } of [one, two]) advance(29 * dayMs - 60_000);
    expect(await one.kid()).toBe(old);
    expect(await processes.storedKeys()).toHaveLength(1);
    for (const { advance } of [one, two]) advance(120_000);
    await one.kid();
    await until(async () => (await processes.storedKeys()).length === 2);
    const late = await one.sign();
    expect(kidOf(late)).toBe(old);
    for (const { advance } of [one, two]) advance(dayMs);
    const [first, second] = [await one.kid(), await two.kid()];
    expect([first, first === old]).toEqual([second, false]);
    for (const { read } of [one, two]) expect(await read(late)).toBeDefined();
  });

  test("an old key makes no new tokens, whoever has it", async () => {
    const one = processes.startProcess();
    const thief = processes.startProcess();
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
    const one = processes.startProcess();
    await one.sign();
    await processes.forgetKeys();
    const other = processes.startProcess();
    const token = await other.sign();
    one.advance(6_000);
    expect(await one.read(token)).toBeDefined();
    const before = one.queries();
    await processes.forgetKeys();
    const strange = await processes.startProcess().sign();
    for (let n = 0; n < 50; n += 1) expect(await one.read(strange)).toBeUndefined();
    expect(one.queries() - before).toBeLessThanOrEqual(2);
  });

  test("go on being used while the database is away", async () => {
    const one = processes.startProcess();
    const token = await one.sign();
    one.cutOff();
    one.advance(2 * 3_600_000);
    expect(await one.read(token)).toBeDefined();
    await one.sign();
    const fresh = processes.startProcess();
    fresh.cutOff();
    await expect(fresh.sign()).rejects.toThrow("Connection terminated");
  });

  test("a token from the future is refused, a little difference of clocks is not", async () => {
    const one = processes.startProcess();
    const now = one.claims().iat;
    expect(await one.read(await one.sign({ iat: now + 50 }))).toBeDefined();
    expect(await one.read(await one.sign({ iat: now + 120 }))).toBeUndefined();
  });

  test("claims that no token of ours has are refused, although we signed them", async () => {
    const one = processes.startProcess();
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
    await processes.startProcess().sign();
    await expect(processes.startProcess({ key: randomBytes(32) }).sign()).rejects.toThrow("master key");
    const stored = await processes.superuser.query<{ private_key: Buffer }>(
      "select private_key from click.signing_key",
    );
    expect(stored.rows[0]?.private_key).toHaveLength(12 + 16 + 32);
    await processes.superuser.query("update click.signing_key set public_key = decode(repeat('07', 32), 'hex')");
    await expect(processes.startProcess().sign()).rejects.toThrow("not its own");
    await processes.superuser.query("update click.signing_key set private_key = private_key || '\\x00'::bytea");
    await expect(processes.startProcess().sign()).rejects.toThrow("cannot be decrypted");
  });

  test("sealed for one purpose do not open for another", async () => {
    await processes.startProcess().sign();
    await processes.superuser.query("update click.signing_key set purpose = 'receipt'");
    const receipts = processes.startProcess({ purpose: "receipt" });
    await expect(receipts.keys.signingAt(receipts.now())).rejects.toThrow("cannot be decrypted");
  });
});

describe("rotation by hand", () => {
  test("takes over at once, everywhere, and before a key that was planned", async () => {
    const [one, two] = [processes.startProcess(), processes.startProcess()];
    const old = await one.sign();
    expect(await two.read(old)).toBeDefined();
    for (const { advance } of [one, two]) advance(29 * dayMs + 60_000);
    await one.kid();
    await until(async () => (await processes.storedKeys()).length === 2);
    const made = await one.keys.rotate();
    expect([made.generation, made.signsFrom]).toEqual([3, one.now()]);
    expect(await one.kid()).toBe(made.kid);
    for (const { advance } of [one, two]) advance(30_000);
    expect(await two.kid()).toBe(made.kid);
    for (const { advance } of [one, two]) advance(2 * dayMs);
    expect([await one.kid(), await two.kid()]).toEqual([made.kid, made.kid]);
    expect(await two.read(old)).toBeDefined();
    expect(await processes.storedKeys()).toHaveLength(3);
  });

  test("of several processes at once makes a key for each, one after the other", async () => {
    const all = Array.from({ length: 4 }, () => processes.startProcess());
    await Promise.all(all.map(({ kid }) => kid()));
    const made = await Promise.all(all.map(({ keys }) => keys.rotate()));
    expect(made.map(({ generation }) => generation).sort()).toEqual([2, 3, 4, 5]);
    for (const { advance } of all) advance(30_000);
    expect(new Set(await Promise.all(all.map(({ kid }) => kid()))).size).toBe(1);
  });
});

describe("receipts", () => {
  const orgId = newId();
  const leafOf = (recordId: string) => ({
    recordId,
    payload: { v: 1, kind: "click.acceptance", iss: "https://assent.localhost", org: orgId, rid: recordId } as const,
  });

  test("signed before a rotation still verify, with the key that their generation names", async () => {
    const [one, two] = [processes.startProcess({ purpose: "receipt" }), processes.startProcess({ purpose: "receipt" })];
    const signer = createLeafSigner({ keys: one.keys });
    const signedAt = one.now();
    const [early] = await signer.sign([leafOf(newId())], signedAt);
    const first = await one.keys.signingAt(signedAt);
    for (const { advance } of [one, two]) advance(364 * dayMs);
    await one.keys.signingAt(one.now());
    await until(async () => (await processes.storedKeys()).length === 2);
    for (const { advance } of [one, two]) advance(dayMs);
    const [late] = await signer.sign([leafOf(newId())], one.now());
    expect([early?.signedBy, late?.signedBy]).toEqual([1, 2]);
    for (const [leaf, time] of [
      [early, signedAt],
      [late, one.now()],
    ] as const) {
      if (leaf === undefined) throw new Error("nothing was signed");
      const key = await two.keys.byGeneration(leaf.signedBy);
      if (key === undefined) throw new Error("the key is unknown");
      const { payload } = await compactVerify(receiptJws(key, leaf.leaf, leaf.signature), key.publicKey);
      expect(leafHashOf(payload)).toEqual(leaf.leafHash);
      expect(two.keys.signedAt(key, time)).toBe(true);
    }
    expect(two.keys.signedAt(first, two.now())).toBe(true);
    two.advance(3_600_001);
    expect(two.keys.signedAt(first, two.now())).toBe(false);
  });

  test("that another process signed with the newest key can be read at once", async () => {
    const [one, two] = [processes.startProcess({ purpose: "receipt" }), processes.startProcess({ purpose: "receipt" })];
    await two.keys.signingAt(two.now());
    const { generation, kid } = await one.keys.rotate();
    expect((await two.keys.byGeneration(generation))?.kid).toBe(kid);
  });

  test("are signed with keys that render tokens are not signed with", async () => {
    const [receipts, tokens] = [processes.startProcess({ purpose: "receipt" }), processes.startProcess()];
    const key = await receipts.keys.signingAt(receipts.now());
    expect(key.kid).not.toBe(await tokens.kid());
    expect(await tokens.keys.find(key.kid)).toBeUndefined();
  });
});
