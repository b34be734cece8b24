import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SkipReason } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createActive, createDeployment, deactivate, pinned } from "./deployment-harness.ts";
import {
  createPublished,
  createVersion,
  type Organization,
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

const archive = (organization: Organization, version: { templateId: string; id: string }) =>
  organization.archiveVersion({ templateId: version.templateId, versionId: version.id });

/** A template with two published locales and one that is not published. */
async function createLocales(organization: Organization) {
  const { template, version: english } = await createPublished(organization);
  const german = await publish(organization, await createVersion(organization, template.id, { locale: "de" }));
  const draft = await createVersion(organization, template.id, { locale: "fr" });
  return { template, english, german, draft };
}

const refusal = "CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS";

describe("a deployment of whatever is published", () => {
  test("keeps each published version from being archived, and the last one from being unpublished", async () => {
    const organization = harness.organization();
    const { template, english, german, draft } = await createLocales(organization);
    const { id } = await createActive(organization, template.id);
    await expectDomainError(archive(organization, english), refusal);
    await expectDomainError(archive(organization, german), refusal);
    await archive(organization, draft);
    await unpublish(organization, english);
    await archive(organization, english);
    await expectDomainError(unpublish(organization, german), refusal);
    await expectDomainError(archive(organization, german), refusal);
    await deactivate(organization, id);
    await archive(organization, german);
  });
});

describe("a pinned deployment", () => {
  test("keeps its version from being archived and unpublished, and no other", async () => {
    const organization = harness.organization();
    const { template, english, german } = await createLocales(organization);
    const { id } = await createActive(organization, template.id, { versionSelector: pinned(english.id) });
    await expectDomainError(archive(organization, english), refusal);
    await expectDomainError(unpublish(organization, english), refusal);
    await unpublish(organization, german);
    await archive(organization, german);
    await deactivate(organization, id);
    await unpublish(organization, english);
    await archive(organization, english);
  });

  test("does not keep what is unpublished already from staying so", async () => {
    const organization = harness.organization();
    const { template, english, draft } = await createLocales(organization);
    await createActive(organization, template.id, { versionSelector: pinned(english.id) });
    expect(await unpublish(organization, draft)).toEqual(draft);
  });
});

describe("deployments that are not active", () => {
  test("keep nothing", async () => {
    const organization = harness.organization();
    const { template, english, german } = await createLocales(organization);
    await createDeployment(organization, template.id);
    await createDeployment(organization, template.id, { versionSelector: pinned(english.id) });
    const { id } = await createActive(organization, template.id);
    await deactivate(organization, id);
    await unpublish(organization, english);
    await archive(organization, german);
    await organization.removeTemplate({ templateId: template.id });
    await expectDomainError(organization.getDeployment({ deploymentId: id }), "CLICK_DEPLOYMENT_NOT_FOUND");
    await expectDomainError(organization.activateDeployment({ deploymentId: id }), "CLICK_DEPLOYMENT_NOT_FOUND");
  });
});

describe("a template with an active deployment", () => {
  test("can neither be removed nor archived", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const other = await createPublished(organization);
    const { id } = await createActive(organization, template.id);
    const remove = () => organization.removeTemplate({ templateId: template.id });
    await expectDomainError(remove(), "CLICK_TEMPLATE_HAS_ACTIVE_DEPLOYMENTS");
    const bulk = () => organization.bulkArchiveTemplates({ templateIds: [template.id, other.template.id] });
    expect(await bulk()).toMatchObject({
      archived: 1,
      skipped: [{ id: template.id, reason: SkipReason.HAS_ACTIVE_DEPLOYMENTS }],
    });
    await deactivate(organization, id);
    expect(await bulk()).toMatchObject({ archived: 2, skipped: [] });
    await remove();
  });

  test("counts for its own organization and its own template only", async () => {
    const [organization, stranger] = [harness.organization(), harness.organization()];
    const { template } = await createPublished(organization);
    for (const other of [organization, stranger]) {
      await createActive(other, (await createPublished(other)).template.id);
    }
    await organization.removeTemplate({ templateId: template.id });
  });
});
