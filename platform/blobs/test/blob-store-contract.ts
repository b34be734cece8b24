import { createHash, randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import type pg from "pg";
import type { Tenant } from "../../db/pool.ts";
import { newId, type OrgId } from "../../ids.ts";
import type { BlobStore } from "../blob-store.ts";

export interface StoreUnderTest {
  readonly store: BlobStore;
  /** Runs the work in a transaction of the organization, which commits when it resolves. */
  transaction<T>(orgId: OrgId, work: (tenant: Tenant) => Promise<T>): Promise<T>;
  /** How many blobs and references there are of an organization, whoever may see them. */
  count(orgId: OrgId): Promise<{ blobs: number; references: number }>;
}

const newOrg = (): OrgId => newId() as OrgId;
const hash = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();

/** What every blob store has to do. */
export function describeBlobStore(name: string, current: () => StoreUnderTest): void {
  describe(name, () => {
    describeKeeping(current);
    describeTransactions(current);
    describeConcurrency(current);
  });
}

function describeKeeping(current: () => StoreUnderTest): void {
  test("gives back what was put, under its SHA-256", async () => {
    const { store } = current();
    const orgId = newOrg();
    const bytes = randomBytes(100_000);
    const sha256 = await store.put(orgId, newId(), bytes);
    expect(sha256).toEqual(hash(bytes));
    expect(Buffer.from((await store.read(orgId, sha256)) ?? [])).toEqual(bytes);
  });

  test("takes a view of a larger buffer, and no bytes at all", async () => {
    const { store } = current();
    const orgId = newOrg();
    const whole = Uint8Array.from([1, 2, 3, 4, 5]);
    const sha256 = await store.put(orgId, newId(), whole.subarray(1, 4));
    expect([...((await store.read(orgId, sha256)) ?? [])]).toEqual([2, 3, 4]);
    const empty = await store.put(orgId, newId(), new Uint8Array());
    expect(await store.read(orgId, empty)).toHaveLength(0);
  });

  test("keeps the same bytes of two owners once, until the second lets go of them", async () => {
    const { store, count } = current();
    const orgId = newOrg();
    const [first, second] = [newId(), newId()];
    const bytes = randomBytes(100);
    const sha256 = await store.put(orgId, first, bytes);
    await store.put(orgId, second, bytes);
    expect(await count(orgId)).toEqual({ blobs: 1, references: 2 });
    await store.release(orgId, first);
    expect(await store.read(orgId, sha256)).toBeDefined();
    await store.release(orgId, second);
    expect(await store.read(orgId, sha256)).toBeUndefined();
    expect(await count(orgId)).toEqual({ blobs: 0, references: 0 });
  });

  test("putting twice for one owner is putting once", async () => {
    const { store, count } = current();
    const orgId = newOrg();
    const owner = newId();
    await store.put(orgId, owner, Buffer.from("same"));
    await store.put(orgId, owner, Buffer.from("same"));
    expect(await count(orgId)).toEqual({ blobs: 1, references: 1 });
    await store.release(orgId, owner);
    expect(await count(orgId)).toEqual({ blobs: 0, references: 0 });
  });

  test("an owner has one blob: other bytes are refused and leave nothing behind", async () => {
    const { store, count } = current();
    const orgId = newOrg();
    const owner = newId();
    const sha256 = await store.put(orgId, owner, Buffer.from("one"));
    await expect(store.put(orgId, owner, Buffer.from("two"))).rejects.toThrow("other bytes");
    expect(await store.read(orgId, sha256)).toBeDefined();
    expect(await count(orgId)).toEqual({ blobs: 1, references: 1 });
  });

  test("releasing twice, or what was never put, changes nothing", async () => {
    const { store, count } = current();
    const orgId = newOrg();
    const owner = newId();
    await store.put(orgId, owner, Buffer.from("kept"));
    await store.release(orgId, newId());
    expect(await count(orgId)).toEqual({ blobs: 1, references: 1 });
    await store.release(orgId, owner);
    await store.release(orgId, owner);
    expect(await count(orgId)).toEqual({ blobs: 0, references: 0 });
  });

  test("sealed bytes have the name that they are given, once, whatever is sealed under it later", async () => {
    const { store, transaction, count } = current();
    const orgId = newOrg();
    const [first, second, name] = [newId(), newId(), randomBytes(32)];
    const [bytes, same] = [randomBytes(100), randomBytes(100)];
    await transaction(orgId, (tenant) => store.putSealed(tenant, first, bytes, name));
    await transaction(orgId, (tenant) => store.putSealed(tenant, second, same, name));
    expect(Buffer.from((await store.read(orgId, name)) ?? [])).toEqual(bytes);
    expect(await count(orgId)).toEqual({ blobs: 1, references: 2 });
    const another = transaction(orgId, (tenant) => store.putSealed(tenant, first, bytes, randomBytes(32)));
    await expect(another).rejects.toThrow("other bytes");
    await store.release(orgId, first);
    await store.release(orgId, second);
    expect(await count(orgId)).toEqual({ blobs: 0, references: 0 });
  });

  test("organizations neither see nor share nor release each other's bytes", async () => {
    const { store, count } = current();
    const [mine, theirs] = [newOrg(), newOrg()];
    const owner = newId();
    const bytes = randomBytes(100);
    const sha256 = await store.put(mine, owner, bytes);
    expect(await store.read(theirs, sha256)).toBeUndefined();
    await store.release(theirs, owner);
    await store.put(theirs, owner, bytes);
    await store.release(theirs, owner);
    expect(await store.read(mine, sha256)).toBeDefined();
    expect([await count(mine), await count(theirs)]).toEqual([
      { blobs: 1, references: 1 },
      { blobs: 0, references: 0 },
    ]);
  });
}

function describeTransactions(current: () => StoreUnderTest): void {
  test("what a transaction put or released holds when it commits", async () => {
    const { store, transaction, count } = current();
    const orgId = newOrg();
    const [old, young] = [newId(), newId()];
    await store.put(orgId, old, Buffer.from("old"));
    const sha256 = await transaction(orgId, async (tenant) => {
      await store.release(tenant, old);
      const put = await store.put(tenant, young, Buffer.from("young"));
      expect(await store.read(tenant, put)).toBeDefined();
      expect(await store.read(orgId, put)).toBeUndefined();
      return put;
    });
    expect(await store.read(orgId, sha256)).toBeDefined();
    expect(await store.read(orgId, hash(Buffer.from("old")))).toBeUndefined();
    expect(await count(orgId)).toEqual({ blobs: 1, references: 1 });
  });

  test("a transaction that fails has neither put nor released anything", async () => {
    const { store, transaction, count } = current();
    const orgId = newOrg();
    const old = newId();
    const sha256 = await store.put(orgId, old, Buffer.from("old"));
    const failing = transaction(orgId, async (tenant) => {
      await store.release(tenant, old);
      await store.put(tenant, newId(), Buffer.from("young"));
      throw new Error("changed its mind");
    });
    await expect(failing).rejects.toThrow("changed its mind");
    expect(await store.read(orgId, sha256)).toBeDefined();
    expect(await count(orgId)).toEqual({ blobs: 1, references: 1 });
  });
}

function describeConcurrency(current: () => StoreUnderTest): void {
  test("bytes that are put while their last owner lets go of them are kept", async () => {
    const { store, transaction, count } = current();
    const orgId = newOrg();
    const [last, next] = [newId(), newId()];
    const bytes = randomBytes(1000);
    await store.put(orgId, last, bytes);
    let putting: Promise<Buffer> | undefined;
    await transaction(orgId, async (tenant) => {
      await store.release(tenant, last);
      // Finds the blob, which is not gone yet.
      putting = store.put(orgId, next, bytes);
      await expect(Promise.race([putting.then(() => "put"), pause(tenant.client)])).resolves.toBe("waiting");
    });
    expect(await store.read(orgId, (await putting) ?? Buffer.alloc(0))).toBeDefined();
    expect(await count(orgId)).toEqual({ blobs: 1, references: 1 });
  });

  test("an owner who lets go while somebody else puts the same bytes leaves them to that one", async () => {
    const { store, transaction, count } = current();
    const orgId = newOrg();
    const [last, next] = [newId(), newId()];
    const bytes = randomBytes(1000);
    await store.put(orgId, last, bytes);
    let releasing: Promise<void> | undefined;
    await transaction(orgId, async (tenant) => {
      await store.put(tenant, next, bytes);
      releasing = store.release(orgId, last);
      await expect(Promise.race([releasing.then(() => "released"), pause(tenant.client)])).resolves.toBe("waiting");
    });
    await releasing;
    expect(await store.read(orgId, hash(bytes))).toBeDefined();
    expect(await count(orgId)).toEqual({ blobs: 1, references: 1 });
  });

  test("however many put and release the same bytes at once, none are lost and none are left over", async () => {
    const { store, count } = current();
    const orgId = newOrg();
    const texts = ["a", "b", "c"].map((text) => Buffer.from(text));
    const turn = async (n: number): Promise<void> => {
      const owner = newId();
      const bytes = texts[n % texts.length] ?? Buffer.alloc(0);
      const sha256 = await store.put(orgId, owner, bytes);
      expect(await store.read(orgId, sha256)).toBeDefined();
      await store.release(orgId, owner);
    };
    await Promise.all(Array.from({ length: 90 }, (_, n) => turn(n)));
    expect(await count(orgId)).toEqual({ blobs: 0, references: 0 });
  });
}

/** Long enough for whoever is not kept waiting by this transaction. */
async function pause(client: pg.PoolClient): Promise<string> {
  await client.query("select pg_sleep(0.2)");
  return "waiting";
}
