import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { OrgId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createActive, createDeployment, deactivate, getDeployment } from "./deployment-harness.ts";
import {
  createPublished,
  createTemplate,
  createVersion,
  type Organization,
  publish,
  startTemplates,
  type TemplatesHarness,
  unknownIds,
  unpublish,
  updateTemplate,
} from "./harness.ts";
import { bulkArchive, bulkDuplicate, readSubjects, restore } from "./lifecycle-harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

const remove = (organization: Organization, templateId: string) => organization.removeTemplate({ templateId });

const rows = async (table: string, orgId: OrgId): Promise<number> => {
  const sql = `select count(*)::integer as n from templates.${table} where organization_id = $1`;
  return (await harness.superuser.query<{ n: number }>(sql, [orgId])).rows[0]?.n ?? -1;
};

const resolve = async ({ orgId }: Organization, template: { id: string; slug: string }) => {
  const names = [
    { case: "templateId", value: template.id },
    { case: "templateSlug", value: template.slug },
  ] as const;
  const items = names.map((name) => ({ organizationId: orgId, template: name, knownEtag: "" }));
  return (await harness.client.resolveTemplates({ items })).results;
};

describe("removeTemplate", () => {
  test("deletes a template that was never published for good, with its versions and deployments", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    await createVersion(organization, id);
    await createVersion(organization, id, { locale: "de" });
    await createDeployment(organization, id);
    await remove(organization, id);
    for (const table of ["template", "version", "deployment"]) expect(await rows(table, organization.orgId)).toBe(0);
    await expectDomainError(organization.getTemplate({ templateId: id }), "CLICK_TEMPLATE_NOT_FOUND");
    await expectDomainError(remove(organization, id), "CLICK_TEMPLATE_NOT_FOUND");
    expect(await readSubjects(harness, organization.orgId)).toEqual(["template.removed"]);
  });

  test("hides a template that was published once, even if it is not any more", async () => {
    const organization = harness.organization();
    const [current, former] = [await createPublished(organization), await createPublished(organization)];
    await unpublish(organization, former.version);
    for (const { template } of [current, former]) {
      await remove(organization, template.id);
      await expectDomainError(remove(organization, template.id), "CLICK_TEMPLATE_NOT_FOUND");
    }
    expect(await rows("template", organization.orgId)).toBe(2);
    expect((await organization.listTemplates({ includeVersions: true })).templates).toEqual([]);
  });

  test("does not make pages shorter", async () => {
    const organization = harness.organization();
    const ids = [];
    for (let n = 0; n < 4; n += 1) {
      harness.clock.advance(1000);
      ids.unshift((await createPublished(organization)).template.id);
    }
    await remove(organization, ids[0] ?? "");
    await remove(organization, ids[2] ?? "");
    const first = await organization.listTemplates({ limit: 1 });
    const second = await organization.listTemplates({ limit: 1, cursor: first.nextCursor });
    expect([...first.templates, ...second.templates].map(({ id }) => id)).toEqual([ids[1], ids[3]]);
    expect(second.nextCursor).toBe("");
  });

  test("no RPC sees a deleted template or what belongs to it", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const deployment = await createDeployment(organization, template.id);
    await remove(organization, template.id);
    const ids = { templateId: template.id, versionId: version.id };
    const { templateId } = ids;
    const paths = ["name"];
    for (const attempt of [
      organization.getTemplate(ids),
      updateTemplate(organization, templateId, paths, { name: "X" }),
      restore(organization, templateId),
      createVersion(organization, templateId, { locale: "de" }),
      organization.getVersion(ids),
      organization.listVersions(ids),
      publish(organization, version),
      unpublish(organization, version),
      organization.updateVersion({ ...ids, changes: {}, updateMask: { paths: [] } }),
      organization.archiveVersion(ids),
      organization.getTemplateConfiguration(ids),
      organization.applyPolicyFlags({ ...ids, policyFlags: {} }),
      organization.createDeployment({ templateId, fields: {} }),
      organization.listDeployments(ids),
    ]) {
      await expectDomainError(attempt, "CLICK_TEMPLATE_NOT_FOUND");
    }
    await expectDomainError(getDeployment(organization, deployment.id), "CLICK_DEPLOYMENT_NOT_FOUND");
    const skipped = [`${templateId} not_found`];
    expect(await bulkArchive(organization, templateId)).toEqual({ archived: 0, skipped });
    expect(await bulkDuplicate(organization, [templateId])).toEqual({ duplicates: [], skipped });
    expect((await resolve(organization, template)).map(({ etag }) => etag)).toEqual(["", ""]);
  });

  test("its revisions stay for the records that refer to them", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const name = { versionId: version.id, revision: 1 };
    const revision = await organization.getRevision(name);
    await remove(organization, template.id);
    expect(await organization.getRevision(name)).toEqual(revision);
    await expectDomainError(harness.organization().getRevision(name), "CLICK_VERSION_NOT_FOUND");
  });

  test("frees the slug, again and again", async () => {
    const organization = harness.organization();
    for (let round = 0; round < 3; round += 1) {
      const { template } = await createPublished(organization, { slug: "wanted" });
      await expectDomainError(createTemplate(organization, { slug: "wanted" }), "CLICK_TEMPLATE_SLUG_EXISTS");
      await remove(organization, template.id);
    }
    const next = await createTemplate(organization, { name: "Wanted" });
    expect(next.slug).toBe("wanted");
    const [, bySlug] = await resolve(organization, next);
    expect(bySlug?.snapshot?.templateId).toBe(next.id);
  });

  test("an active deployment forbids it, an inactive one does not", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const deployment = await createActive(organization, template.id);
    await expectDomainError(remove(organization, template.id), "CLICK_TEMPLATE_HAS_ACTIVE_DEPLOYMENTS");
    expect((await resolve(organization, template))[0]?.snapshot).toBeDefined();
    await deactivate(organization, deployment.id);
    await remove(organization, template.id);
    expect(await rows("deployment", organization.orgId)).toBe(0);
    // What an acceptance refers to.
    expect(await rows("deployment_snapshot", organization.orgId)).toBe(1);
  });

  test("an archived template can be deleted too", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    await bulkArchive(organization, template.id);
    await remove(organization, template.id);
    await expectDomainError(organization.getTemplate({ templateId: template.id }), "CLICK_TEMPLATE_NOT_FOUND");
  });

  test("of several deletions at once one succeeds", async () => {
    const organization = harness.organization();
    const other = (await harness.another()).organization(organization.orgId);
    for (const { id } of [await createTemplate(organization), (await createPublished(organization)).template]) {
      const outcomes = await Promise.allSettled([organization, other, organization, other].map((o) => remove(o, id)));
      expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === "rejected") {
          await expectDomainError(Promise.reject(outcome.reason), "CLICK_TEMPLATE_NOT_FOUND");
        }
      }
    }
    const subjects = await readSubjects(harness, organization.orgId);
    expect(subjects.filter((subject) => subject === "template.removed")).toHaveLength(2);
  });

  test.each(unknownIds)("does not find %j", async (id) => {
    await expectDomainError(remove(harness.organization(), id), "CLICK_TEMPLATE_NOT_FOUND");
  });
});
