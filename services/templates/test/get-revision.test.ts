import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ContentFormat } from "#gen/assent/templates/v1/templates_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  archiveTemplate,
  archiveVersion,
  clientId,
  createPublished,
  createTemplate,
  createVersion,
  editVersion,
  publish,
  startTemplates,
  type TemplatesHarness,
  unpublish,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("getRevision", () => {
  test("gives the exact bytes and words of each revision, whatever became of the version", async () => {
    const organization = harness.organization();
    const { id: templateId } = await createTemplate(organization);
    const first = await createVersion(organization, templateId, {
      locale: "DE-at",
      title: "AGB",
      content: "a\r\ne\u0301 ?\\x41",
      format: ContentFormat.TEXT,
      texts: { buttonText: "Ja", purposeTexts: { news: "Neues" } },
    });
    const published = await publish(organization, first);
    harness.clock.advance(1000);
    await unpublish(organization, first);
    await editVersion(harness, first.id, "second");
    await publish(organization, first, false);
    await unpublish(organization, first);
    await archiveVersion(harness, first.id);
    await archiveTemplate(harness, templateId);

    const revision = await organization.getRevision({ versionId: first.id, revision: 1 });
    expect(Buffer.from(revision.content).toString("utf8")).toBe("a\r\ne\u0301 ?\\x41");
    expect(sha256Label(revision.content)).toBe(revision.contentHash);
    expect(revision).toMatchObject({
      templateId,
      versionId: first.id,
      revision: 1,
      label: "1.0",
      locale: "de-AT",
      title: "AGB",
      format: ContentFormat.TEXT,
      contentHash: first.contentHash,
      texts: { buttonText: "Ja", purposeTexts: { news: "Neues" } },
      publishedAt: published.publishedAt,
      publishedBy: clientId,
    });
    const second = await organization.getRevision({ versionId: first.id, revision: 2 });
    expect(second).toMatchObject({ label: "1.1", contentHash: sha256Label("second") });
    expect(Buffer.from(second.content).toString("utf8")).toBe("second");
  });

  test("a draft has none", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const { id: versionId } = await createVersion(organization, id);
    await expectDomainError(organization.getRevision({ versionId, revision: 1 }), "CLICK_VERSION_NOT_FOUND");
  });

  test.each([
    [undefined, 2],
    [undefined, 4_294_967_295],
    [randomUUID(), 1],
    ["x", 1],
    ["", 1],
  ])("does not find revision %j %d", async (id, revision) => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    const call = organization.getRevision({ versionId: id ?? version.id, revision });
    await expectDomainError(call, "CLICK_VERSION_NOT_FOUND");
  });

  test("belongs to the template that is named, if one is", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const other = await createTemplate(organization);
    const name = { versionId: version.id, revision: 1 };
    const found = await organization.getRevision({ ...name, templateId: template.id.toUpperCase() });
    expect(found).toMatchObject({ templateId: template.id, label: "1.0" });
    await expectDomainError(organization.getRevision({ ...name, templateId: other.id }), "CLICK_VERSION_NOT_FOUND");
    for (const templateId of [randomUUID(), "x"]) {
      await expectDomainError(organization.getRevision({ ...name, templateId }), "CLICK_TEMPLATE_NOT_FOUND");
    }
    await organization.removeTemplate({ templateId: template.id });
    await expectDomainError(organization.getRevision({ ...name, templateId: template.id }), "CLICK_TEMPLATE_NOT_FOUND");
    expect(await organization.getRevision(name)).toMatchObject({ label: "1.0" });
  });
});
