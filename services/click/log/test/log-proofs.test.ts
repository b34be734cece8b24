import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { withOrg } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { parseCheckpoint } from "#platform/transparency/checkpoint.ts";
import { verifyNote } from "#platform/transparency/signed-note.ts";
import { verifyConsistency, verifyInclusion } from "#platform/transparency/verify.ts";
import { as, type ClickHarness, newOrg, startClick } from "../../test/harness.ts";
import { anchorLogId } from "../leaf.ts";
import { findCheckpointCovering } from "../log-store.ts";
import { createProofs } from "../proofs.ts";
import { addLeaves, publishTree, rootOfLog, verifierKeyOf } from "./log-actions.ts";

let harness: ClickHarness;
let orgId: OrgId;
/** By leaf index. The last three are in no checkpoint. */
let records: string[];
const published = 600;
const covered = [1, 255, 256, 257, published];

beforeAll(async () => {
  harness = await startClick();
  orgId = newOrg();
  records = [];
  for (const size of covered) {
    records.push(...(await addLeaves(harness, orgId, size - records.length)));
    await publishTree(harness, orgId);
  }
  records.push(...(await addLeaves(harness, orgId, 3)));
});

afterAll(() => harness?.close());

const index = (value: number | bigint) => ({ case: "index", value: BigInt(value) }) as const;
const receipt = (value: string) => ({ case: "receiptId", value }) as const;
const proveFor = (organization: OrgId, leaf: ReturnType<typeof index | typeof receipt>, size?: number | bigint) =>
  harness.client.getInclusionProof({ leaf, ...(size === undefined ? {} : { size: BigInt(size) }) }, as(organization));
const prove = (leaf: ReturnType<typeof index | typeof receipt>, size?: number | bigint) => proveFor(orgId, leaf, size);
const connect = (from: number | bigint, to: number | bigint) =>
  harness.client.getConsistencyProof({ from: BigInt(from), to: BigInt(to) }, as(orgId));
const tile = (level: number, number: number | bigint, width = 0, organization = orgId) =>
  harness.client.getLogTile({ level, tile: BigInt(number), width }, as(organization));
const buffers = (path: readonly Uint8Array[]) => path.map((hash) => Buffer.from(hash));

describe("the checkpoint", () => {
  test("is the newest one, of the organization alone, and its note verifies", async () => {
    const { note } = await harness.client.getCheckpoint({}, as(orgId));
    const verified = verifyNote(note, [verifierKeyOf(orgId)]);
    expect(parseCheckpoint(verified?.text ?? "")).toEqual({
      origin: `assent.localhost/click/log/${orgId}`,
      size: published,
      root: await rootOfLog(harness, orgId, published),
    });
    await expectDomainError(harness.client.getCheckpoint({}, as(newOrg())), "CLICK_CHECKPOINT_NOT_FOUND");
  });

  test("of the anchor log is the same for every organization", async () => {
    await expectDomainError(harness.client.getCheckpoint({ anchor: true }, as(orgId)), "CLICK_CHECKPOINT_NOT_FOUND");
    await addLeaves(harness, anchorLogId, 3);
    const note = await publishTree(harness, anchorLogId);
    for (const organization of [orgId, newOrg()]) {
      expect((await harness.client.getCheckpoint({ anchor: true }, as(organization))).note).toBe(note);
    }
    const proof = await createProofs({ pool: harness.superuser }).anchorInclusion(1, 3);
    const root = await rootOfLog(harness, anchorLogId, 3);
    expect(verifyInclusion(1, 3, proof.leafHash, proof.path, root)).toBe(true);
  });
});

describe("inclusion", () => {
  test.each([0, 1, 255, 256, 511, 512, 599])("of leaf %i is proven in the newest published tree", async (leafIndex) => {
    const byIndex = await prove(index(leafIndex));
    expect(byIndex).toMatchObject({ leafIndex: BigInt(leafIndex), treeSize: BigInt(published) });
    expect(await prove(receipt(records[leafIndex] as string))).toEqual(byIndex);
    const checkpoint = parseCheckpoint(verifyNote(byIndex.checkpoint, [verifierKeyOf(orgId)])?.text ?? "");
    const root = checkpoint?.root ?? Buffer.alloc(0);
    const { leafHash, auditPath } = byIndex;
    expect(verifyInclusion(leafIndex, published, Buffer.from(leafHash), buffers(auditPath), root)).toBe(true);
  });

  test("is proven in every tree up to the published one, with the checkpoint where there is one", async () => {
    for (const size of [101, 255, 256, 257, 258, 599]) {
      const proof = await prove(index(100), size);
      const root = await rootOfLog(harness, orgId, size);
      const path = buffers(proof.auditPath);
      expect([size, verifyInclusion(100, size, Buffer.from(proof.leafHash), path, root)]).toEqual([size, true]);
      expect([size, proof.checkpoint !== ""]).toEqual([size, covered.includes(size)]);
    }
  });

  test("of a receipt in capitals is that of the receipt", async () => {
    const id = records[3] as string;
    expect(await prove(receipt(id.toUpperCase()))).toEqual(await prove(receipt(id)));
  });

  test("of what is recorded but not covered is not there yet, whatever size is asked for", async () => {
    for (const size of [undefined, 10, published + 1, published + 3]) {
      await expectDomainError(prove(receipt(records[published] as string), size), "CLICK_LEAF_NOT_INTEGRATED");
      await expectDomainError(prove(index(published + 2), size), "CLICK_LEAF_NOT_INTEGRATED");
    }
    const beginner = newOrg();
    const [first = ""] = await addLeaves(harness, beginner, 1);
    await expectDomainError(proveFor(beginner, receipt(first)), "CLICK_LEAF_NOT_INTEGRATED");
  });

  test("of what is not recorded does not exist, nor of a receipt of another organization", async () => {
    for (const missing of [published + 3, 2n ** 63n, 2n ** 64n - 1n]) {
      await expectDomainError(prove(index(missing)), "CLICK_LEAF_NOT_FOUND");
    }
    await expectDomainError(proveFor(newOrg(), index(0)), "CLICK_LEAF_NOT_FOUND");
    for (const id of [randomUUID(), "not-a-uuid", ""]) {
      await expectDomainError(prove(receipt(id)), "CLICK_RECEIPT_NOT_FOUND");
    }
    await expectDomainError(proveFor(newOrg(), receipt(records[0] as string)), "CLICK_RECEIPT_NOT_FOUND");
  });

  test.each([
    ["that was not published", published + 1, "must not be larger than the newest checkpoint's, 600"],
    ["beyond all numbers", 2n ** 64n - 1n, "must not be larger than the newest checkpoint's, 600"],
    ["that does not have the leaf", 5, "must be larger than the index of the leaf, which is 5"],
    ["of nothing", 0, "must be larger than the index of the leaf, which is 5"],
  ])("is not proven in a tree of a size %s", async (_what, size, message) => {
    const error = await expectDomainError(prove(index(5), size), "CLICK_VALIDATION_FAILED");
    expect(error.details).toEqual([expect.objectContaining({ field: "size", message })]);
  });
});

describe("consistency", () => {
  test.each([
    [0, 600],
    [1, 600],
    [255, 257],
    [256, 512],
    [300, 599],
    [600, 600],
  ])("is proven from size %i to %i", async (from, to) => {
    const { path, ...sizes } = await connect(from, to);
    expect(sizes).toMatchObject({ from: BigInt(from), to: BigInt(to) });
    const roots = [await rootOfLog(harness, orgId, from), await rootOfLog(harness, orgId, to)] as const;
    expect(verifyConsistency(from, to, buffers(path), ...roots)).toBe(true);
  });

  test.each([
    ["to", 1, 601, "must not be larger than the newest checkpoint's size, 600"],
    ["to", 1, 2n ** 64n - 1n, "must not be larger than the newest checkpoint's size, 600"],
    ["from", 5, 4, "must not be larger than to"],
  ])("names %s of the sizes %s and %s", async (field, from, to, message) => {
    const error = await expectDomainError(connect(from, to), "CLICK_VALIDATION_FAILED");
    expect(error.details).toEqual([expect.objectContaining({ field, message })]);
  });
});

describe("tiles", () => {
  test("are as wide as asked for, and only if the tree is that wide", async () => {
    const full = Buffer.from((await tile(0, 1)).hashes);
    expect(full.length).toBe(8_192);
    expect(Buffer.from((await tile(0, 1, 1)).hashes)).toEqual(full.subarray(0, 32));
    expect((await tile(0, 2, 88)).hashes.length).toBe(88 * 32);
    expect((await tile(1, 0, 2)).hashes.length).toBe(64);
    for (const [level, number, width] of [
      [0, 2, 0],
      [0, 2, 89],
      [0, 3, 1],
      [1, 0, 3],
      [2, 0, 1],
      [7, 0, 1],
      [63, 2n ** 64n - 1n, 0],
    ] as const) {
      await expectDomainError(tile(level, number, width), "CLICK_TILE_NOT_FOUND");
    }
  });

  test("of another organization are unknown, also when they are in memory", async () => {
    await tile(0, 0);
    await expectDomainError(tile(0, 0, 0, newOrg()), "CLICK_TILE_NOT_FOUND");
  });

  test("that are full are read from the database once", async () => {
    let connections = 0;
    const pool = new Proxy(harness.superuser, {
      get: (target, name) => {
        if (name === "connect") connections += 1;
        const value = Reflect.get(target, name) as unknown;
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const proofs = createProofs({ pool });
    const first = await proofs.tile(orgId, { level: 0, tile: 0 }, 256);
    expect(await proofs.tile(orgId, { level: 0, tile: 0 }, 256)).toEqual(first);
    expect(connections).toBe(1);
    await proofs.tile(orgId, { level: 0, tile: 2 }, 10);
    await proofs.tile(orgId, { level: 0, tile: 2 }, 10);
    expect(connections).toBe(3);
  });
});

describe("the store", () => {
  test("finds the first checkpoint that covers a leaf", async () => {
    const found = await withOrg(harness.superuser, orgId, async (tenant) => {
      const sizes: (number | undefined)[] = [];
      for (const leafIndex of [0, 1, 255, 599, 600]) {
        sizes.push((await findCheckpointCovering(tenant, leafIndex))?.size);
      }
      return sizes;
    });
    expect(found).toEqual([1, 255, 256, 600, undefined]);
  });
});
