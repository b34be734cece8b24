import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Asset } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { type DocgenHarness, type Organization, present, problemFields, startDocgen } from "./harness.ts";
import { jpegOf, pngOf } from "./images.ts";

let harness: DocgenHarness;
let organization: Organization;
beforeAll(async () => {
  harness = await startDocgen({ checker: createFakeChecker() });
  organization = harness.organization();
});
afterAll(() => harness.stop());

const create = async (content: Buffer, by = organization, name = "logo"): Promise<Asset> =>
  present((await by.createAsset({ name, content })).asset);

const maxBytes = 5 * 1024 * 1024;

async function countRows(table: string, by: Organization): Promise<number> {
  const sql = `select count(*)::integer as count from docgen.${table} where organization_id = $1`;
  return (await harness.superuser.query<{ count: number }>(sql, [by.orgId])).rows[0]?.count ?? 0;
}

describe("createAsset", () => {
  test("stores an image with what its header says", async () => {
    const content = jpegOf(640, 480);
    const asset = await create(content);
    expect(asset).toMatchObject({
      name: "logo",
      contentType: "image/jpeg",
      width: 640,
      height: 480,
      bytes: BigInt(content.length),
      sha256: createHash("sha256").update(content).digest("hex"),
    });
    const read = await organization.getAsset({ assetId: asset.id.toUpperCase() });
    expect(read.asset).toEqual(asset);
    expect(Buffer.from(read.content)).toEqual(content);
  });

  test("answers the same bytes by the same asset, also when they come at once", async () => {
    const mine = harness.organization();
    const content = pngOf(1, 2);
    const assets = await Promise.all(Array.from({ length: 6 }, () => create(content, mine)));
    expect(new Set(assets.map((asset) => asset.id)).size).toBe(1);
    expect(await create(content, mine, "another name")).toEqual(assets[0]);
    expect([await countRows("asset", mine), await countRows("blob", mine)]).toEqual([1, 1]);
  });

  test("takes 5 MB and 16 megapixels, and no more", async () => {
    expect(await create(pngOf(4000, 4000, maxBytes - 33))).toMatchObject({ bytes: BigInt(maxBytes) });
    await expectDomainError(create(pngOf(10, 10, maxBytes)), "VALIDATION_FAILED");
    expect(await problemFields(create(pngOf(4000, 4001)), "GEN_INVALID_REQUEST")).toEqual(["content"]);
    expect(await problemFields(create(pngOf(2 ** 32 - 1, 2 ** 32 - 1)), "GEN_INVALID_REQUEST")).toEqual(["content"]);
  });

  test("refuses what is no image, whatever its name says, and names that are none", async () => {
    const svg = Buffer.from("<svg/>");
    expect(await problemFields(create(svg, organization, "logo.png"), "GEN_INVALID_REQUEST")).toEqual(["content"]);
    expect(await problemFields(create(pngOf(1, 1), organization, " "), "GEN_INVALID_REQUEST")).toEqual(["name"]);
  });
});

describe("listAssets", () => {
  test("pages through all assets, newest first, also when one of them goes away", async () => {
    const mine = harness.organization();
    const created: Asset[] = [];
    for (let n = 1; n <= 4; n += 1) created.push(await create(pngOf(n, n), mine));
    const first = await mine.listAssets({ pageSize: 2 });
    expect(first).toMatchObject({ assets: [created[3], created[2]], hasMore: true });
    await mine.deleteAsset({ assetId: first.assets[1]?.id ?? "" });
    const second = await mine.listAssets({ pageSize: 2, afterId: first.assets[1]?.id ?? "" });
    expect(second).toMatchObject({ assets: [created[1], created[0]], hasMore: false });
  });

  test("refuses a place that is none", async () => {
    const listing = organization.listAssets({ pageSize: 1, afterId: "x" });
    expect(await problemFields(listing, "GEN_INVALID_REQUEST")).toEqual(["afterId"]);
  });
});

describe("deleteAsset", () => {
  test("removes the bytes too, and the same image can be stored again", async () => {
    const mine = harness.organization();
    const { id } = await create(pngOf(1, 1), mine);
    await mine.deleteAsset({ assetId: id });
    await expectDomainError(mine.getAsset({ assetId: id }), "GEN_ASSET_NOT_FOUND");
    await expectDomainError(mine.deleteAsset({ assetId: id }), "GEN_ASSET_NOT_FOUND");
    expect([await countRows("asset", mine), await countRows("blob", mine)]).toEqual([0, 0]);
    expect((await create(pngOf(1, 1), mine)).id).not.toBe(id);
  });

  test("while others store the same image, an asset has its bytes or is gone with them", async () => {
    const mine = harness.organization();
    const content = pngOf(9, 9);
    const turn = async (): Promise<void> => {
      const { id } = await create(content, mine);
      await mine.deleteAsset({ assetId: id }).catch((error: unknown) => error);
    };
    await Promise.all(Array.from({ length: 20 }, turn));
    const [assets, blobs] = [await countRows("asset", mine), await countRows("blob", mine)];
    expect(blobs).toBe(assets);
    const { id } = await create(content, mine);
    expect(Buffer.from((await mine.getAsset({ assetId: id })).content)).toEqual(content);
  });
});

describe("the assets of other organizations", () => {
  test("answer like unknown ones; the same image is an asset of each", async () => {
    const stranger = harness.organization();
    const content = pngOf(77, 77);
    const [mine, theirs] = [await create(content), await create(content, stranger)];
    expect(theirs.id).not.toBe(mine.id);
    for (const assetId of [theirs.id, randomUUID()]) {
      await expectDomainError(organization.getAsset({ assetId }), "GEN_ASSET_NOT_FOUND");
      await expectDomainError(organization.deleteAsset({ assetId }), "GEN_ASSET_NOT_FOUND");
    }
    await organization.deleteAsset({ assetId: mine.id });
    expect(Buffer.from((await stranger.getAsset({ assetId: theirs.id })).content)).toEqual(content);
  });
});
