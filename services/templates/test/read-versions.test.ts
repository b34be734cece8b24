import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { VersionStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  archiveTemplate,
  archiveVersion,
  createPublished,
  createTemplate,
  createVersion,
  getTemplate,
  present,
  startTemplates,
  type TemplatesHarness,
  unknownIds,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("getVersion", () => {
  test("embeds its template when asked for", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const name = { templateId: template.id, versionId: version.id };
    const read = present((await organization.getVersion({ ...name, includeTemplate: true })).version);
    expect(read).toEqual({ ...version, template: await getTemplate(organization, template.id) });
  });

  test.each(unknownIds)("does not find %j", async (id) => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const byTemplate = organization.getVersion({ templateId: id, versionId: version.id });
    await expectDomainError(byTemplate, "CLICK_TEMPLATE_NOT_FOUND");
    const byVersion = organization.getVersion({ templateId: template.id, versionId: id });
    await expectDomainError(byVersion, "CLICK_VERSION_NOT_FOUND");
  });

  test("does not find a version of another template", async () => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    const { id: templateId } = await createTemplate(organization);
    const call = organization.getVersion({ templateId, versionId: version.id });
    await expectDomainError(call, "CLICK_VERSION_NOT_FOUND");
  });
});

describe("listVersions", () => {
  test("gives all versions, oldest first, or only the published ones", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const templateId = template.id;
    harness.clock.advance(1);
    const german = await createVersion(organization, templateId, { locale: "de" });
    harness.clock.advance(1);
    const french = await createVersion(organization, templateId, { locale: "fr" });
    await archiveVersion(harness, german.id);
    const all = (await organization.listVersions({ templateId })).versions;
    expect(all.map((v) => v.id)).toEqual([version.id, german.id, french.id]);
    expect(all.map((v) => v.status)).toEqual([VersionStatus.PUBLISHED, VersionStatus.ARCHIVED, VersionStatus.DRAFT]);
    expect((await organization.listVersions({ templateId, publishedOnly: true })).versions).toEqual([version]);
  });

  test("embeds the template when asked for", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const { versions } = await organization.listVersions({ templateId: template.id, includeTemplate: true });
    expect(versions).toEqual([{ ...version, template: await getTemplate(organization, template.id) }]);
  });

  test("reading works for an archived template", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    await archiveTemplate(harness, template.id);
    expect((await organization.listVersions({ templateId: template.id })).versions).toEqual([version]);
    const name = { templateId: template.id, versionId: version.id };
    expect((await organization.getVersion(name)).version).toEqual(version);
  });

  test.each(unknownIds)("does not find the template %j", async (templateId) => {
    await expectDomainError(harness.organization().listVersions({ templateId }), "CLICK_TEMPLATE_NOT_FOUND");
  });
});
