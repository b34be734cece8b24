import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateStatus, VersionStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createActive, deactivate, pinned } from "./deployment-harness.ts";
import {
  createPublished,
  createTemplate,
  createVersion,
  getTemplate,
  present,
  publish,
  startTemplates,
  type TemplatesHarness,
  unknownIds,
  unpublish,
} from "./harness.ts";
import { archive, bulkArchive, getVersion, readSubjects } from "./lifecycle-harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("archiveVersion", () => {
  test("archives a draft", async () => {
    const organization = harness.organization();
    const { id: templateId } = await createTemplate(organization);
    const draft = await createVersion(organization, templateId);
    harness.clock.advance(1000);
    const archived = await archive(organization, draft);
    expect(archived).toMatchObject({ status: VersionStatus.ARCHIVED, revision: 0 });
    expect(timestampDate(present(archived.archivedAt))).toEqual(harness.clock.now());
    expect(archived.unpublishedAt).toBeUndefined();
    expect(await getVersion(organization, draft)).toEqual(archived);
    expect(await readSubjects(harness, organization.orgId)).toEqual(["version.archived"]);
  });

  test("takes back a published version, whose revisions stay readable", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const archived = await archive(organization, version);
    expect(archived).toMatchObject({ status: VersionStatus.ARCHIVED, revision: 1, label: "1.0" });
    expect(archived.unpublishedAt).toEqual(archived.archivedAt);
    expect(archived.revisions).toEqual(version.revisions);
    expect(await getTemplate(organization, template.id)).toMatchObject({
      status: TemplateStatus.DRAFT,
      currentVersions: [],
    });
    const revision = await organization.getRevision({ versionId: version.id, revision: 1 });
    expect(Buffer.from(revision.content).toString()).toBe("<p>Terms</p>");
    expect(await readSubjects(harness, organization.orgId)).toEqual([
      "version.published",
      "version.unpublished",
      "version.archived",
    ]);
  });

  test("changes nothing the second time", async () => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    const archived = await archive(organization, version);
    const subjects = await readSubjects(harness, organization.orgId);
    harness.clock.advance(1000);
    expect(await archive(organization, version)).toEqual(archived);
    expect(await readSubjects(harness, organization.orgId)).toEqual(subjects);
  });

  test("frees the locale", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    await expectDomainError(createVersion(organization, template.id), "CLICK_VERSION_LOCALE_EXISTS");
    await archive(organization, version);
    const next = await publish(organization, await createVersion(organization, template.id));
    expect(next).toMatchObject({ locale: "en", revision: 1 });
    expect(await getTemplate(organization, template.id)).toMatchObject({ currentVersions: [{ versionId: next.id }] });
  });

  test("an archived version cannot be published, and neither unpublished", async () => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    await archive(organization, version);
    await expectDomainError(publish(organization, version), "CLICK_VERSION_ARCHIVED");
    await expectDomainError(unpublish(organization, version), "CLICK_VERSION_ARCHIVED");
  });

  test("a version to which an active deployment is pinned is refused until that is inactive", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const other = await publish(organization, await createVersion(organization, template.id, { locale: "de" }));
    const deployment = await createActive(organization, template.id, { versionSelector: pinned(version.id) });
    await expectDomainError(archive(organization, version), "CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS");
    expect(await getVersion(organization, version)).toEqual(version);
    expect(await archive(organization, other)).toMatchObject({ status: VersionStatus.ARCHIVED });
    await deactivate(organization, deployment.id);
    expect(await archive(organization, version)).toMatchObject({ status: VersionStatus.ARCHIVED });
  });

  test("a published version is refused while an active deployment serves what is published; a draft is not", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const draft = await createVersion(organization, template.id, { locale: "de" });
    await createActive(organization, template.id);
    await expectDomainError(archive(organization, version), "CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS");
    expect(await archive(organization, draft)).toMatchObject({ status: VersionStatus.ARCHIVED });
  });

  test("works in an archived template", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    await bulkArchive(organization, template.id);
    expect(await archive(organization, version)).toMatchObject({ status: VersionStatus.ARCHIVED });
  });

  test.each(unknownIds)("does not find %j", async (id) => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    await expectDomainError(archive(organization, { ...version, templateId: id }), "CLICK_TEMPLATE_NOT_FOUND");
    await expectDomainError(archive(organization, { ...version, id }), "CLICK_VERSION_NOT_FOUND");
    const { id: templateId } = await createTemplate(organization);
    await expectDomainError(archive(organization, { ...version, templateId }), "CLICK_VERSION_NOT_FOUND");
  });
});
