import { randomUUID } from "node:crypto";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateStatus, VersionStatus } from "#gen/assent/templates/v1/templates_pb.ts";
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
  getTemplate,
  present,
  publish,
  readEvents,
  startTemplates,
  type TemplatesHarness,
  unpublish,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("publishVersion", () => {
  test("the first publication makes revision 1 with label 1.0", async () => {
    const organization = harness.organization();
    const { id: templateId } = await createTemplate(organization);
    const draft = await createVersion(organization, templateId, { changeSummary: "Draft" });
    harness.clock.advance(1000);
    const effectiveAt = timestampFromDate(new Date("2027-01-01T00:00:00Z"));
    const { version } = await organization.publishVersion({
      templateId,
      versionId: draft.id,
      published: true,
      requireReacceptance: false,
      effectiveAt,
      changeSummary: "First",
    });
    const now = timestampFromDate(harness.clock.now());
    const { $typeName: _, ...unchanged } = draft;
    expect(version).toMatchObject({
      ...unchanged,
      status: VersionStatus.PUBLISHED,
      revision: 1,
      label: "1.0",
      changeSummary: "First",
      effectiveAt,
      publishedAt: now,
      publishedBy: clientId,
      updatedAt: now,
      revisions: [
        { revision: 1, label: "1.0", contentHash: draft.contentHash, publishedAt: now, requiresReacceptance: false },
      ],
    });
    expect((await organization.getVersion({ templateId, versionId: draft.id })).version).toEqual(version);
    expect(await getTemplate(organization, templateId)).toMatchObject({
      status: TemplateStatus.PUBLISHED,
      updatedAt: now,
    });
  });

  test("changed content makes the next revision: major with re-acceptance, minor without", async () => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    const labels = [];
    for (const requireReacceptance of [false, false, true, true, false]) {
      await unpublish(organization, version);
      await editVersion(harness, version.id, `text ${labels.length}`);
      labels.push((await publish(organization, version, requireReacceptance)).label);
    }
    expect(labels).toEqual(["1.1", "1.2", "2.0", "3.0", "3.1"]);
    const name = { templateId: version.templateId, versionId: version.id };
    const { revisions } = present((await organization.getVersion(name)).version);
    expect(revisions.map((r) => [r.revision, r.label, r.requiresReacceptance])).toEqual([
      [1, "1.0", true],
      [2, "1.1", false],
      [3, "1.2", false],
      [4, "2.0", true],
      [5, "3.0", true],
      [6, "3.1", false],
    ]);
    expect(revisions.at(-1)?.contentHash).toBe(sha256Label("text 4"));
  });

  test.each([
    ["title", "title = 'Other'"],
    ["format", "format = 'TEXT'"],
    ["locale", "locale = 'de'"],
    ["texts", `texts = '{"buttonText":"OK"}'`],
  ])("a changed %s makes a new revision of the same bytes", async (_field, change) => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    await unpublish(organization, version);
    await harness.superuser.query(`update templates.version set ${change} where id = $1`, [version.id]);
    const again = await publish(organization, version);
    expect(again).toMatchObject({ revision: 2, label: "2.0", contentHash: version.contentHash });
    const { rows } = await harness.superuser.query(
      "select count(*)::integer as texts from templates.content where organization_id = $1",
      [organization.orgId],
    );
    expect(rows).toEqual([{ texts: 1 }]);
  });

  test("unchanged content is published again under its old revision", async () => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    harness.clock.advance(1000);
    const hidden = await unpublish(organization, version);
    const now = timestampFromDate(harness.clock.now());
    expect(hidden).toMatchObject({ status: VersionStatus.DRAFT, revision: 1, label: "1.0", unpublishedAt: now });
    expect(hidden.publishedAt).toEqual(version.publishedAt);
    expect(await getTemplate(organization, version.templateId)).toMatchObject({
      status: TemplateStatus.DRAFT,
      currentVersions: [],
    });
    harness.clock.advance(1000);
    const again = await publish(organization, version);
    expect(again).toMatchObject({
      status: VersionStatus.PUBLISHED,
      revision: 1,
      label: "1.0",
    });
    expect(again.unpublishedAt).toBeUndefined();
    expect(timestampDate(present(again.publishedAt))).toEqual(harness.clock.now());
    expect(again.revisions).toEqual(version.revisions);
  });

  test("going back to an older text is a new revision", async () => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    await unpublish(organization, version);
    await editVersion(harness, version.id, "other");
    await publish(organization, version);
    await unpublish(organization, version);
    await editVersion(harness, version.id, version.content);
    const back = await publish(organization, version);
    expect(back).toMatchObject({ revision: 3, label: "3.0", contentHash: version.contentHash });
  });

  test("publishing the published and unpublishing the unpublished change nothing and say nothing", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const draft = await createVersion(organization, template.id, { locale: "de" });
    const before = [await readEvents(harness, organization.orgId), await getTemplate(organization, template.id)];
    harness.clock.advance(1000);
    expect(await publish(organization, version, false)).toEqual(version);
    expect(await unpublish(organization, draft)).toEqual(draft);
    expect([await readEvents(harness, organization.orgId), await getTemplate(organization, template.id)]).toEqual(
      before,
    );
  });

  test("concurrent publications of one draft make one revision and one event", async () => {
    const organization = harness.organization();
    const other = (await harness.another()).organization(organization.orgId);
    const { id } = await createTemplate(organization);
    const draft = await createVersion(organization, id);
    const published = await Promise.all(
      Array.from({ length: 12 }, (_, n) => publish(n % 2 === 0 ? organization : other, draft)),
    );
    for (const version of published) expect(version).toEqual(published[0]);
    expect(published[0]?.revisions).toHaveLength(1);
    expect(await readEvents(harness, organization.orgId)).toHaveLength(1);
  });

  test("concurrent publications, unpublications and edits leave one consistent chain", async () => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    const editDraft = (text: string) =>
      harness.superuser.query(
        "update templates.version set content = $2, content_hash = $3 where id = $1 and status = 'DRAFT'",
        [version.id, text, sha256Label(text)],
      );
    const steps = [
      () => publish(organization, version),
      () => unpublish(organization, version),
      (n: number) => editDraft(`text ${n}`),
    ];
    await Promise.all(Array.from({ length: 60 }, (_, n) => steps[n % steps.length]?.(n)));
    const last = await publish(organization, version);
    expect(last.revisions.map((revision) => revision.revision)).toEqual(last.revisions.map((_, index) => index + 1));
    expect(last.revisions.map((revision) => revision.label)).toEqual(
      last.revisions.map((_, index) => `${index + 1}.0`),
    );
    expect(last.revisions.at(-1)).toMatchObject({ revision: last.revision, contentHash: last.contentHash });
    const events = await readEvents(harness, organization.orgId);
    const kinds = events.map((event) => event.subject?.split(".").at(-1));
    expect(kinds).toEqual(kinds.map((_, index) => (index % 2 === 0 ? "published" : "unpublished")));
  });

  test("locales are published side by side", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    harness.clock.advance(1);
    const german = await createVersion(organization, template.id, { locale: "de" });
    await publish(organization, german);
    expect(await getTemplate(organization, template.id)).toMatchObject({
      currentVersions: [
        { locale: "en", versionId: version.id },
        { locale: "de", versionId: german.id },
      ],
    });
    await unpublish(organization, version);
    expect(await getTemplate(organization, template.id)).toMatchObject({
      status: TemplateStatus.PUBLISHED,
      currentVersions: [{ locale: "de", versionId: german.id }],
    });
  });

  test("an archived version is refused, and so is an archived template", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const draft = await createVersion(organization, template.id, { locale: "de" });
    await archiveVersion(harness, draft.id);
    await expectDomainError(publish(organization, draft), "CLICK_VERSION_ARCHIVED");
    await expectDomainError(unpublish(organization, draft), "CLICK_VERSION_ARCHIVED");
    await archiveTemplate(harness, template.id);
    for (const change of [publish, unpublish]) {
      await expectDomainError(change(organization, version), "CLICK_TEMPLATE_ARCHIVED");
    }
  });

  test.each([randomUUID(), "", "x", "\u0000"])("does not find %j", async (id) => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    await expectDomainError(publish(organization, { id: version.id, templateId: id }), "CLICK_TEMPLATE_NOT_FOUND");
    await expectDomainError(publish(organization, { id, templateId: template.id }), "CLICK_VERSION_NOT_FOUND");
    const other = await createTemplate(organization);
    await expectDomainError(publish(organization, { id: version.id, templateId: other.id }), "CLICK_VERSION_NOT_FOUND");
  });

  test("names bad fields", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const name = { templateId: template.id, versionId: version.id, published: true };
    const effectiveAt = { seconds: -999_999_999_999n };
    for (const [field, more, code] of [
      ["effectiveAt", { effectiveAt }, "CLICK_VALIDATION_FAILED"],
      ["changeSummary", { changeSummary: "\u0000" }, "VALIDATION_FAILED"],
    ] as const) {
      const error = await expectDomainError(organization.publishVersion({ ...name, ...more }), code);
      expect(error.details.map((detail) => detail.field)).toEqual([field]);
    }
  });
});
