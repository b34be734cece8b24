import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  createActive,
  createDeployment,
  deactivate,
  getDeployment,
  pinned,
  readSnapshots,
} from "./deployment-harness.ts";
import {
  archiveTemplate,
  createPublished,
  createTemplate,
  startTemplates,
  type TemplatesHarness,
  unknownIds,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("removeDeployment", () => {
  test("deletes what is not active; its snapshots stay", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const draft = await createDeployment(organization, template.id, { versionSelector: pinned(version.id) });
    const active = await createActive(organization, template.id);
    await expectDomainError(organization.removeDeployment({ deploymentId: active.id }), "CLICK_DEPLOYMENT_ACTIVE");
    await deactivate(organization, active.id);
    for (const { id } of [draft, active]) {
      await organization.removeDeployment({ deploymentId: id });
      await expectDomainError(getDeployment(organization, id), "CLICK_DEPLOYMENT_NOT_FOUND");
      await expectDomainError(organization.removeDeployment({ deploymentId: id }), "CLICK_DEPLOYMENT_NOT_FOUND");
    }
    expect((await organization.listDeployments({ templateId: template.id })).deployments).toEqual([]);
    expect((await readSnapshots(harness, active.id)).map(({ hash }) => hash)).toEqual([active.snapshotHash]);
  });

  test("works in an archived template", async () => {
    const organization = harness.organization();
    const { id: templateId } = await createTemplate(organization);
    const { id: deploymentId } = await createDeployment(organization, templateId);
    await archiveTemplate(harness, templateId);
    await organization.removeDeployment({ deploymentId });
  });

  test.each(unknownIds)("does not find %j", async (deploymentId) => {
    await expectDomainError(harness.organization().removeDeployment({ deploymentId }), "CLICK_DEPLOYMENT_NOT_FOUND");
  });
});
