import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type KeyProcesses, kidOf, startKeyProcesses } from "./key-processes.ts";

let processes: KeyProcesses;
beforeAll(async () => {
  processes = await startKeyProcesses();
});
afterEach(() => processes.forgetKeys());
afterAll(() => processes.close());

describe("revocation", () => {
  test("of the key that signs makes one new key in all processes, at once where it was asked for", async () => {
    const all = Array.from({ length: 4 }, () => processes.startProcess());
    const [one] = all as [ReturnType<typeof processes.startProcess>];
    const [old = ""] = new Set(await Promise.all(all.map(({ kid }) => kid())));
    const revoked = await one.keys.revoke(old);
    expect(revoked).toMatchObject({ kid: old, revokedAt: new Date(one.now().getTime() + 60_000) });
    expect(await one.kid()).not.toBe(old);
    for (const { advance } of all) advance(30_000);
    const kids = new Set(await Promise.all(all.map(({ kid }) => kid())));
    expect([kids.size, kids.has(old)]).toEqual([1, false]);
    expect(await processes.storedKeys()).toHaveLength(2);
    one.advance(60_000);
    expect((await one.keys.revoke(old))?.revokedAt).toEqual(revoked?.revokedAt);
    expect(await one.keys.revoke("unknown")).toBeUndefined();
  });

  test("whichever processes hear of it at the same time, one makes the next key", async () => {
    const old = await processes.startProcess().kid();
    await processes.superuser.query("update click.signing_key set revoked_at = now()");
    const all = Array.from({ length: 5 }, () => processes.startProcess());
    const kids = new Set(await Promise.all(all.map(({ kid }) => kid())));
    expect([kids.size, kids.has(old)]).toEqual([1, false]);
    expect(await processes.storedKeys()).toHaveLength(2);
  });

  test("nothing that the key has signed counts as a render token any more, whatever time stands in it", async () => {
    const [one, two] = [processes.startProcess(), processes.startProcess()];
    const token = await one.sign();
    expect(await two.read(token)).toBeDefined();
    await one.keys.revoke(kidOf(token));
    expect(await one.read(token)).toBeUndefined();
    two.advance(30_000);
    expect(await two.read(token)).toBeUndefined();
  });

  test("a process that cannot read the keys goes on, and hears of it as soon as it can", async () => {
    const [one, cut] = [processes.startProcess(), processes.startProcess()];
    const old = await cut.kid();
    cut.cutOff();
    await one.keys.revoke(old);
    cut.advance(31_000);
    expect(await cut.kid()).toBe(old);
    cut.connect();
    cut.advance(31_000);
    expect(await cut.kid()).not.toBe(old);
  });

  test("reaches a process whose clock was set back", async () => {
    const [one, back] = [processes.startProcess(), processes.startProcess()];
    const old = await back.kid();
    back.advance(-3_600_000);
    await one.keys.revoke(old);
    expect(await back.kid()).not.toBe(old);
  });

  test("that fails half-way is finished by whoever signs next", async () => {
    const one = processes.startProcess();
    const old = await one.kid();
    await processes.superuser.query("update click.signing_key set revoked_at = $1", [one.now().toISOString()]);
    one.advance(31_000);
    expect(await one.kid()).not.toBe(old);
  });
});
