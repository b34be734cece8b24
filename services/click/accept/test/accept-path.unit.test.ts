import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createKeyHasher } from "../../vault/organization-keys.ts";
import { createBatcher } from "../batcher.ts";
import { createLru } from "../lru.ts";

describe("createBatcher", () => {
  /** A batcher whose batches end when the test says so. */
  const gated = (maxQueued = 100) => {
    const batches: number[][] = [];
    const gates: (() => void)[] = [];
    const batcher = createBatcher<number, number>({
      maxItems: 3,
      maxInFlight: 2,
      maxQueued,
      run: async (items) => {
        batches.push([...items]);
        await new Promise<void>((resolve) => gates.push(resolve));
        return items.map((item) => item * 10);
      },
    });
    return { batcher, batches, gates };
  };

  test("sends what finds a free place at once and gathers the rest", async () => {
    const { batcher, batches, gates } = gated();
    const results = [1, 2, 3, 4, 5, 6].flatMap((item) => batcher.add([item]));
    expect(batches).toEqual([[1], [2]]);
    gates[0]?.();
    await results[0];
    await Promise.resolve();
    expect(batches).toEqual([[1], [2], [3, 4, 5]]);
    gates[1]?.();
    await results[1];
    await Promise.resolve();
    expect(batches.at(-1)).toEqual([6]);
    for (const open of gates) open();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50, 60]);
  });
  test("refuses at once what comes when too many wait", async () => {
    const { batcher, gates } = gated(2);
    const results = [1, 2, 3, 4].flatMap((item) => batcher.add([item]));
    await expectDomainError(batcher.add([5])[0] as Promise<number>, "SERVICE_UNAVAILABLE");
    for (const open of gates) open();
    await results[0];
    for (const open of gates) open();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40]);
  });
  test("a batch that fails fails its items and frees its place", async () => {
    let fail = true;
    const batcher = createBatcher<number, number>({
      maxItems: 2,
      maxInFlight: 1,
      maxQueued: 10,
      run: async (items) => {
        if (fail) throw new Error("broken");
        return items;
      },
    });
    await expect(Promise.all(batcher.add([1, 2]))).rejects.toThrow("broken");
    fail = false;
    expect(await Promise.all(batcher.add([3]))).toEqual([3]);
  });
});

describe("createKeyHasher", () => {
  const hasher = createKeyHasher(() => randomBytes(32));

  test("equal keys hash equally within an organization only", () => {
    expect(hasher.idempotencyHash("org-1", "key")).toEqual(hasher.idempotencyHash("org-1", "key"));
    expect(hasher.idempotencyHash("org-1", "key")).not.toEqual(hasher.idempotencyHash("org-2", "key"));
    expect(hasher.idempotencyHash("org-1", "key")).not.toEqual(
      createKeyHasher(() => randomBytes(32)).idempotencyHash("org-1", "key"),
    );
  });
  test("a key and a body of the same bytes hash differently", () => {
    expect(hasher.idempotencyHash("org-1", "{}")).not.toEqual(hasher.bodyHash("org-1", Buffer.from("{}")));
  });
  test("refuses a master key of another length", () => {
    expect(() => createKeyHasher(() => randomBytes(31)).userKey("org-1", "ann")).toThrow("32 bytes");
  });
});

describe("createLru", () => {
  test("forgets what was not used for longest", () => {
    const lru = createLru<number>(2);
    lru.set("a", 1);
    lru.set("b", 2);
    lru.get("a");
    lru.set("c", 3);
    expect([lru.get("a"), lru.get("b"), lru.get("c")]).toEqual([1, undefined, 3]);
  });
});
