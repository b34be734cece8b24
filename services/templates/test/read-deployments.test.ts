import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { DeploymentStatus, type Version } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createActive, createDeployment, deactivate, getDeployment, pinned } from "./deployment-harness.ts";
import {
  archiveTemplate,
  createPublished,
  createTemplate,
  createVersion,
  getTemplate,
  present,
  problemFields,
  publish,
  startTemplates,
  type TemplatesHarness,
  unknownIds,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("listDeployments", () => {
  test("gives those of the template, newest first, of any status or of one", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const other = await createPublished(organization);
    await createActive(organization, other.template.id);
    const created = [];
    for (const make of [createDeployment, createActive, createActive]) {
      harness.clock.advance(1000);
      created.push(await make(organization, template.id));
    }
    const [draft, active, stopped] = created.map(present);
    const inactive = await deactivate(organization, present(stopped).id);
    const list = async (status?: DeploymentStatus) =>
      (await organization.listDeployments({ templateId: template.id, ...(status === undefined ? {} : { status }) }))
        .deployments;
    expect(await list()).toEqual([inactive, active, draft]);
    expect(await list(DeploymentStatus.UNSPECIFIED)).toEqual([inactive, active, draft]);
    expect(await list(DeploymentStatus.DRAFT)).toEqual([draft]);
    expect(await list(DeploymentStatus.ACTIVE)).toEqual([active]);
    expect(await list(DeploymentStatus.INACTIVE)).toEqual([inactive]);
    await expectDomainError(list(9 as DeploymentStatus), "VALIDATION_FAILED");
  });

  test("an archived template is still read", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const deployment = await createDeployment(organization, id);
    await archiveTemplate(harness, id);
    expect((await organization.listDeployments({ templateId: id })).deployments).toEqual([deployment]);
    expect(await getDeployment(organization, deployment.id)).toEqual(deployment);
  });

  test.each(unknownIds)("does not find the template %j", async (templateId) => {
    const organization = harness.organization();
    await expectDomainError(organization.listDeployments({ templateId }), "CLICK_TEMPLATE_NOT_FOUND");
    await expectDomainError(getDeployment(organization, templateId), "CLICK_DEPLOYMENT_NOT_FOUND");
  });
});

describe("activeDeploymentCount", () => {
  test("is that of each template, wherever templates are read", async () => {
    const organization = harness.organization();
    const counts = new Map<string, number>();
    for (const count of [0, 1, 3]) {
      const { template } = await createPublished(organization);
      counts.set(template.id, count);
      for (let n = 0; n < count; n += 1) await createActive(organization, template.id);
      await createDeployment(organization, template.id);
      const { id } = await createActive(organization, template.id);
      await deactivate(organization, id);
      expect((await getTemplate(organization, template.id)).activeDeploymentCount).toBe(count);
    }
    for (const includeVersions of [true, false]) {
      const { templates } = await organization.listTemplates({ includeVersions });
      expect(new Map(templates.map((template) => [template.id, template.activeDeploymentCount]))).toEqual(counts);
    }
    const { versions } = await organization.listVersions({
      templateId: present([...counts.keys()].at(-1)),
      includeTemplate: true,
    });
    expect(versions.map((version) => version.template?.activeDeploymentCount)).toEqual([3]);
  });
});

describe("includeDeployments", () => {
  const idsOf = (version: Version | undefined) => version?.deployments.map((deployment) => deployment.id).sort();

  test("attaches the active deployments that serve the version, to it alone", async () => {
    const organization = harness.organization();
    const { template, version: english } = await createPublished(organization);
    const german = await publish(organization, await createVersion(organization, template.id, { locale: "de" }));
    const french = await createVersion(organization, template.id, { locale: "fr" });
    const latest = await createActive(organization, template.id);
    const fixed = await createActive(organization, template.id, { versionSelector: pinned(german.id) });
    await createDeployment(organization, template.id);
    const stopped = await createActive(organization, template.id);
    await deactivate(organization, stopped.id);
    const expected = new Map([
      [english.id, [latest.id]],
      [german.id, [latest.id, fixed.id].sort()],
      [french.id, []],
    ]);
    const { versions } = await organization.listVersions({ templateId: template.id, includeDeployments: true });
    expect(new Map(versions.map((version) => [version.id, idsOf(version)]))).toEqual(expected);
    for (const [versionId, ids] of expected) {
      const name = { templateId: template.id, versionId };
      expect(idsOf((await organization.getVersion({ ...name, includeDeployments: true })).version)).toEqual(ids);
      expect(idsOf((await organization.getVersion(name)).version)).toEqual([]);
    }
    const { version } = await organization.getVersion({
      templateId: template.id,
      versionId: english.id,
      includeDeployments: true,
    });
    expect(version?.deployments).toEqual([latest]);
  });

  test("asks to read one by one when a list would be too large to send", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    await createActive(organization, template.id, { theme: { text: "x".repeat(8000) } });
    await harness.superuser.query(
      `insert into templates.version (organization_id, id, template_id, locale, content, content_hash, format, texts, status,
         revision, label, created_by, created_at, updated_at)
       select organization_id, gen_random_uuid(), template_id, 'en-x-' || n, 'x', content_hash, format, texts, status,
         revision, label, created_by, created_at, updated_at
       from templates.version, generate_series(1, 300) n where id = $1`,
      [version.id],
    );
    const attempt = organization.listVersions({ templateId: template.id, includeDeployments: true });
    expect(await problemFields(attempt, "CLICK_VALIDATION_FAILED")).toEqual(["includeDeployments"]);
    const name = { templateId: template.id, versionId: version.id };
    expect(idsOf((await organization.getVersion({ ...name, includeDeployments: true })).version)).toHaveLength(1);
  });
});
