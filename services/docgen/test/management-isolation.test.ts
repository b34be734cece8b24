import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createPublished, type DocgenHarness, type DocgenProcess, startDocgen } from "./harness.ts";
import { pngOf } from "./images.ts";

let harness: DocgenHarness;
const processes = new Map<string, DocgenProcess>();
beforeAll(async () => {
  harness = await startDocgen({ checker: createFakeChecker() });
  processes.set("the service's role", harness);
  // Row-level security does not hold for it: what is left are the conditions of the statements.
  const config = { databaseUrl: harness.database.superuserUrl, databaseRole: "-" };
  processes.set("a superuser", await harness.another({ config }));
});
afterAll(() => harness.stop());

describe.each(["the service's role", "a superuser"])("as %s", (role) => {
  const organization = () => (processes.get(role) ?? harness).organization();

  test("another organization's templates and assets answer like unknown ones and stay as they are", async () => {
    const [mine, theirs] = [organization(), organization()];
    const template = await createPublished(theirs);
    const image = { name: "logo", content: pngOf(3, 3) };
    const { asset } = await theirs.createAsset(image);
    for (const templateId of [template.id, randomUUID()]) {
      for (const call of [
        mine.getTemplate({ templateId }),
        mine.updateTemplate({ templateId, name: "Mine" }),
        mine.publishTemplate({ templateId }),
        mine.getTemplateSchema({ templateId, version: 1 }),
        mine.deleteTemplate({ templateId }),
      ]) {
        await expectDomainError(call, "GEN_TEMPLATE_NOT_FOUND");
      }
    }
    for (const assetId of [asset?.id ?? "", randomUUID()]) {
      await expectDomainError(mine.getAsset({ assetId }), "GEN_ASSET_NOT_FOUND");
      await expectDomainError(mine.deleteAsset({ assetId }), "GEN_ASSET_NOT_FOUND");
    }
    expect(await mine.listTemplates({ pageSize: 10 })).toMatchObject({ templates: [], hasMore: false });
    expect(await mine.listAssets({ pageSize: 10, afterId: asset?.id ?? "" })).toMatchObject({ assets: [] });
    expect((await theirs.getTemplate({ templateId: template.id })).template).toEqual(template);
    expect((await theirs.listAssets({ pageSize: 10 })).assets).toEqual([asset]);
  });

  test("slugs and images of one organization do not get into the way of another", async () => {
    const [mine, theirs] = [organization(), organization()];
    const image = { name: "logo", content: pngOf(4, 4) };
    const [first, second] = [await createPublished(mine), await createPublished(theirs)];
    expect(first.slug).toBe(second.slug);
    const { asset: own } = await mine.createAsset(image);
    const { asset: other } = await theirs.createAsset(image);
    expect(own?.id).not.toBe(other?.id);
    await mine.deleteAsset({ assetId: own?.id ?? "" });
    expect((await theirs.getAsset({ assetId: other?.id ?? "" })).content).toHaveLength(image.content.length);
  });
});
