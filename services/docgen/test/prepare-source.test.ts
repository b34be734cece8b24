import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { DocumentStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { createCustomer, usedOf } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createFakeRenderer } from "./fake-renderer.ts";
import {
  createPublished,
  createTemplate,
  type DocgenHarness,
  present,
  problemFields,
  publish,
  startDocgen,
} from "./harness.ts";
import { pngOf } from "./images.ts";

const renderer = createFakeRenderer();
let harness: DocgenHarness;
beforeAll(async () => {
  harness = await startDocgen({ renderer, checker: createFakeChecker() });
  await harness.startWorkers();
});
afterAll(() => harness.stop());

describe("what a document is made of", () => {
  test("is the published version, or the one that is named", async () => {
    const { organization, templateId, create } = await createCustomer(harness);
    await organization.updateTemplate({ templateId, content: "<p>Hello {{ name }}</p>", name: "Order" });
    const versions = async (version?: number) => {
      const { document } = await create(version === undefined ? {} : { version }, { waitMs: 20_000 });
      const content = renderer.jobs.at(-1)?.content;
      return [document?.version, document?.fileName, content?.kind === "template" && content.template.content];
    };
    expect(await versions()).toEqual([1, "Offer.pdf", "<p>Dear {{ name }}</p>"]);
    await publish(organization, templateId);
    expect(await versions()).toEqual([2, "Order.pdf", "<p>Hello {{ name }}</p>"]);
    expect(await versions(1)).toEqual([1, "Offer.pdf", "<p>Dear {{ name }}</p>"]);
    for (const version of [3, 2 ** 31, 2 ** 32 - 1]) {
      await expectDomainError(create({ version }), "GEN_TEMPLATE_NOT_FOUND");
    }
  });

  test("has to be there and published", async () => {
    const { organization, create } = await createCustomer(harness);
    const { id: draft } = await createTemplate(organization);
    await expectDomainError(create({ templateId: draft }), "GEN_TEMPLATE_NOT_PUBLISHED");
    await expectDomainError(create({ templateId: draft, version: 1 }), "GEN_TEMPLATE_NOT_PUBLISHED");
    const theirs = (await createCustomer(harness)).templateId;
    for (const templateId of [randomUUID(), "offer", theirs]) {
      await expectDomainError(create({ templateId }), "GEN_TEMPLATE_NOT_FOUND");
    }
    await organization.deleteTemplate({ templateId: draft });
    await expectDomainError(create({ templateId: draft }), "GEN_TEMPLATE_NOT_FOUND");
    expect(await problemFields(create({ templateId: "" }), "GEN_INVALID_REQUEST")).toEqual(["templateId"]);
    const both = create({ templateRef: { templateId: randomUUID() } });
    expect(await problemFields(both, "GEN_INVALID_REQUEST")).toEqual(["templateId"]);
  });

  test("is kept for what waits when its template is deleted", async () => {
    const { organization, templateId, ask } = await createCustomer(harness);
    renderer.hold();
    // One more than are rendered at once.
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await ask()).id);
    await organization.deleteTemplate({ templateId });
    renderer.letGo();
    await until(async () => {
      const { documents } = await organization.listDocuments({ pageSize: 9, status: DocumentStatus.COMPLETED });
      return documents.length === ids.length;
    });
  });

  test("shows the images that it names, which have to be there", async () => {
    const { organization, create } = await createCustomer(harness);
    const asset = present((await organization.createAsset({ name: "Logo", content: pngOf(2, 2) })).asset);
    const image = (id: string) => ({
      content: `<p><img src="asset:${id.toUpperCase()}" alt="Logo"></p>`,
      name: "Logo",
    });
    const { id: templateId } = await createPublished(organization, image(asset.id));
    await create({ templateId }, { waitMs: 20_000 });
    const images = renderer.jobs.at(-1)?.images;
    expect([...(images ?? [])].map(([id, { contentType, bytes }]) => [id, contentType, bytes.length])).toEqual([
      [asset.id, "image/png", Number(asset.bytes)],
    ]);
    await organization.deleteAsset({ assetId: asset.id });
    const error = await expectDomainError(create({ templateId }), "GEN_ASSET_NOT_FOUND");
    expect(error.metadata).toEqual({ assetId: asset.id });
  });

  test("is refused with the field that is wrong", async () => {
    const { organization, create } = await createCustomer(harness);
    const fields = (source: Parameters<typeof create>[0]) => problemFields(create(source), "GEN_INVALID_REQUEST");
    expect(await fields({ dataJson: "[]" })).toEqual(["data"]);
    expect(await fields({ locale: "not a locale" })).toEqual(["locale"]);
    expect(await fields({ timeZone: "+01:00" })).toEqual(["timeZone"]);
    expect(await fields({ output: { fileName: "../a.pdf" } })).toEqual(["output.fileName"]);
    expect(await fields({ metadataJson: '{"a":1}' })).toEqual(["metadata.a"]);
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 0, minute: 0 });
  });
});
