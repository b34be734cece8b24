import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createActive, createDeployment, deactivate } from "./deployment-harness.ts";
import { createPublished, createVersion, startTemplates, type TemplatesHarness, unknownIds } from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("countTemplateParts", () => {
  test("counts versions by status, and the deployments that are active", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    await createVersion(organization, template.id, { locale: "de" });
    const french = await createVersion(organization, template.id, { locale: "fr" });
    await organization.archiveVersion({ templateId: template.id, versionId: french.id });
    await createActive(organization, template.id);
    await deactivate(organization, (await createActive(organization, template.id)).id);
    await createDeployment(organization, template.id);
    const other = await createPublished(organization);
    expect(await organization.countTemplateParts({ templateId: template.id.toUpperCase() })).toMatchObject({
      totalVersions: 3,
      publishedVersions: 1,
      archivedVersions: 1,
      activeDeployments: 1,
    });
    expect(await organization.countTemplateParts({ templateId: other.template.id })).toMatchObject({
      totalVersions: 1,
      publishedVersions: 1,
      archivedVersions: 0,
      activeDeployments: 0,
    });
  });

  test("unknown templates, deleted ones and those of another organization", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    for (const templateId of unknownIds) {
      await expectDomainError(organization.countTemplateParts({ templateId }), "CLICK_TEMPLATE_NOT_FOUND");
    }
    const templateId = template.id;
    const foreign = harness.organization().countTemplateParts({ templateId });
    await expectDomainError(foreign, "CLICK_TEMPLATE_NOT_FOUND");
    await organization.removeTemplate({ templateId });
    await expectDomainError(organization.countTemplateParts({ templateId }), "CLICK_TEMPLATE_NOT_FOUND");
  });
});
