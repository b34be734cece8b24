import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ContentFormat, VersionStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  createPublished,
  createTemplate,
  createVersion,
  type Organization,
  present,
  problemFields,
  publish,
  startTemplates,
  type TemplatesHarness,
  unknownIds,
  unpublish,
  versionJson,
} from "./harness.ts";
import { archive, bulkArchive, getVersion, updateVersion } from "./lifecycle-harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

async function createDraft(organization: Organization, request: Parameters<typeof createVersion>[2] = {}) {
  const { id } = await createTemplate(organization);
  return createVersion(organization, id, request);
}

describe("updateVersion", () => {
  test("changes the fields of the mask and no others", async () => {
    const organization = harness.organization();
    const draft = await createDraft(organization, { title: "Old", texts: { buttonText: "OK" } });
    harness.clock.advance(1000);
    const effectiveAt = timestampFromDate(new Date("2027-01-01T00:00:00Z"));
    const changed = await updateVersion(
      organization,
      draft,
      ["locale", "title", "content", "format", "change_summary", "effective_at"],
      {
        locale: "DE-at",
        title: "New",
        content: "# New",
        format: ContentFormat.MARKDOWN,
        changeSummary: "All of it",
        effectiveAt,
        texts: { buttonText: "not named in the mask" },
      },
    );
    expect(changed).toEqual({
      ...draft,
      locale: "de-AT",
      title: "New",
      content: "# New",
      contentHash: sha256Label("# New"),
      format: ContentFormat.MARKDOWN,
      changeSummary: "All of it",
      effectiveAt,
      updatedAt: changed.updatedAt,
      validation: changed.validation,
    });
    expect(timestampDate(present(changed.updatedAt))).toEqual(harness.clock.now());
    expect(await getVersion(organization, draft)).toEqual(changed);
  });

  test("clears a named field that is absent", async () => {
    const organization = harness.organization();
    const draft = await createDraft(organization, {
      title: "Old",
      format: ContentFormat.TEXT,
      changeSummary: "Old",
      effectiveAt: timestampFromDate(new Date("2027-01-01T00:00:00Z")),
      texts: { buttonText: "OK", purposeTexts: { news: "News" } },
    });
    const paths = ["title", "format", "change_summary", "effective_at", "texts"];
    const cleared = versionJson(await updateVersion(organization, draft, paths, {}));
    expect(cleared).toMatchObject({ format: "CONTENT_FORMAT_HTML", texts: {} });
    for (const field of ["title", "changeSummary", "effectiveAt"]) expect(cleared).not.toHaveProperty(field);
    expect(cleared.texts).toEqual({});
  });

  test("changes single texts and leaves the others", async () => {
    const organization = harness.organization();
    const draft = await createDraft(organization, {
      texts: { buttonText: "OK", declineText: "No", linkText: "Read", purposeTexts: { news: "News", ads: "Ads" } },
    });
    const paths = ["texts.consent_text", "texts.button_text", "texts.decline_text", "texts.purpose_texts"];
    const texts = {
      consentText: "I agree",
      buttonText: "Yes",
      purposeTexts: { news: "Our news" },
      linkText: "not named",
    };
    const changed = versionJson(await updateVersion(organization, draft, paths, { texts }));
    expect(changed.texts).toEqual({
      consentText: "I agree",
      buttonText: "Yes",
      linkText: "Read",
      purposeTexts: { news: "Our news" },
    });
    const checkbox = await updateVersion(organization, draft, ["texts.checkbox_text", "texts.link_text"], {
      texts: { checkboxText: "Tick" },
    });
    expect(versionJson(checkbox).texts).toMatchObject({ checkboxText: "Tick", buttonText: "Yes" });
    expect(checkbox.texts?.linkText).toBeUndefined();
  });

  test("leaves updatedAt alone when nothing changes", async () => {
    const organization = harness.organization();
    const draft = await createDraft(organization, { title: "Same", texts: { buttonText: "OK" } });
    harness.clock.advance(1000);
    const again = { title: "Same", content: draft.content, locale: "EN", texts: { buttonText: "OK" } };
    expect(await updateVersion(organization, draft, ["title", "content", "locale", "texts"], again)).toEqual(draft);
    expect(await updateVersion(organization, draft, [], {})).toEqual(draft);
  });

  test("a published version refuses every change until it is unpublished", async () => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    const change = () => updateVersion(organization, version, ["content"], { content: "<p>Other</p>" });
    await expectDomainError(change(), "CLICK_VERSION_PUBLISHED");
    await expectDomainError(updateVersion(organization, version, [], {}), "CLICK_VERSION_PUBLISHED");
    expect(await getVersion(organization, version)).toEqual(version);
    await unpublish(organization, version);
    expect(await change()).toMatchObject({ revision: 1, label: "1.0", status: VersionStatus.DRAFT });
  });

  test("what was changed while unpublished is published as a new revision, and the old one keeps its bytes", async () => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    await unpublish(organization, version);
    await updateVersion(organization, version, ["texts.button_text"], { texts: { buttonText: "Sign" } });
    expect(await publish(organization, version)).toMatchObject({ revision: 2, label: "2.0" });
    const [first, second] = await Promise.all(
      [1, 2].map((revision) => organization.getRevision({ versionId: version.id, revision })),
    );
    expect(first?.texts?.buttonText).toBeUndefined();
    expect(second?.texts?.buttonText).toBe("Sign");
    expect(second?.content).toEqual(first?.content);
  });

  test("an archived version refuses every change", async () => {
    const organization = harness.organization();
    const draft = await createDraft(organization);
    await archive(organization, draft);
    await expectDomainError(updateVersion(organization, draft, ["title"], { title: "X" }), "CLICK_VERSION_ARCHIVED");
  });

  test("a version of an archived template refuses every change", async () => {
    const organization = harness.organization();
    const draft = await createDraft(organization);
    await bulkArchive(organization, draft.templateId);
    await expectDomainError(updateVersion(organization, draft, ["title"], { title: "X" }), "CLICK_TEMPLATE_ARCHIVED");
  });

  test("a locale that another version has is refused, in whatever case; one of an archived version is free", async () => {
    const organization = harness.organization();
    const draft = await createDraft(organization);
    const other = await createVersion(organization, draft.templateId, { locale: "de-CH" });
    const move = (locale: string) => updateVersion(organization, draft, ["locale"], { locale });
    await expectDomainError(move("DE-ch"), "CLICK_VERSION_LOCALE_EXISTS");
    expect(await getVersion(organization, draft)).toEqual(draft);
    await archive(organization, other);
    expect(await move("DE-ch")).toMatchObject({ locale: "de-CH" });
  });

  test("of two versions that take a locale at once one gets it", async () => {
    const organization = harness.organization();
    const a = await createDraft(organization);
    const b = await createVersion(organization, a.templateId, { locale: "de" });
    const outcomes = await Promise.allSettled(
      [a, b].map((version) => updateVersion(organization, version, ["locale"], { locale: "fr" })),
    );
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused).toHaveLength(1);
    await expectDomainError(Promise.reject(refused[0]?.reason), "CLICK_VERSION_LOCALE_EXISTS");
  });

  test("changes nothing of a version that has changed since it was read", async () => {
    const organization = harness.organization();
    const draft = await createDraft(organization);
    const { id: versionId, templateId, updatedAt } = draft;
    const update = (title: string, ifUpdatedAt = updatedAt) =>
      organization.updateVersion({
        templateId,
        versionId,
        changes: { title },
        updateMask: { paths: ["title"] },
        ...(ifUpdatedAt === undefined ? {} : { ifUpdatedAt }),
      });
    harness.clock.advance(1000);
    const first = present((await update("First")).version);
    await expectDomainError(update("Second"), "CLICK_VERSION_CONFLICT");
    expect(await getVersion(organization, draft)).toMatchObject({ title: "First" });
    await update("Second", first.updatedAt);
    expect(await getVersion(organization, draft)).toMatchObject({ title: "Second" });
  });

  test("concurrent updates of different fields all last", async () => {
    const organization = harness.organization();
    const draft = await createDraft(organization, { texts: { buttonText: "OK" } });
    await Promise.all([
      updateVersion(organization, draft, ["title"], { title: "A" }),
      updateVersion(organization, draft, ["content"], { content: "B" }),
      updateVersion(organization, draft, ["texts.link_text"], { texts: { linkText: "C" } }),
      updateVersion(organization, draft, ["texts.decline_text"], { texts: { declineText: "D" } }),
    ]);
    expect(await getVersion(organization, draft)).toMatchObject({
      title: "A",
      content: "B",
      texts: { buttonText: "OK", linkText: "C", declineText: "D" },
    });
  });

  test.each([
    ["updateMask", ["id"], {}],
    ["updateMask", ["texts.other"], {}],
    ["updateMask", ["status"], {}],
    ["updateMask", ["effective_at.seconds"], {}],
    ["updateMask", ["constructor"], {}],
    ["locale", ["locale"], {}],
    ["locale", ["locale"], { locale: "x_y" }],
    ["content", ["content"], {}],
    ["content", ["content"], { content: "a\u0000" }],
    ["effectiveAt", ["effective_at"], { effectiveAt: { seconds: 999_999_999_999n } }],
    ["purposeTexts", ["texts"], { texts: { purposeTexts: { "no key": "x" } } }],
    ["purposeTexts.a", ["texts.purpose_texts"], { texts: { purposeTexts: { a: "x".repeat(2001) } } }],
  ])("names the bad field %s of the paths %j", async (field, paths, changes) => {
    const organization = harness.organization();
    const draft = await createDraft(organization);
    const attempt = updateVersion(organization, draft, paths, changes);
    expect(await problemFields(attempt, "CLICK_VALIDATION_FAILED")).toEqual([field]);
    expect(await getVersion(organization, draft)).toEqual(draft);
  });

  test("names texts with control characters by their place in the request", async () => {
    const draft = await createDraft(harness.organization());
    const attempts = [
      [updateVersion(harness.organization(), draft, ["title"], { title: "\u0000" }), "changes.title"],
      [
        updateVersion(harness.organization(), draft, ["texts.button_text"], { texts: { buttonText: "\u0000" } }),
        "changes.texts.buttonText",
      ],
    ] as const;
    for (const [attempt, field] of attempts) {
      expect(await problemFields(attempt, "VALIDATION_FAILED")).toEqual([field]);
    }
  });

  test.each(unknownIds)("does not find %j", async (id) => {
    const organization = harness.organization();
    const draft = await createDraft(organization);
    const update = (name: Parameters<typeof updateVersion>[1]) => updateVersion(organization, name, ["title"], {});
    await expectDomainError(update({ ...draft, templateId: id }), "CLICK_TEMPLATE_NOT_FOUND");
    await expectDomainError(update({ ...draft, id }), "CLICK_VERSION_NOT_FOUND");
    const { id: templateId } = await createTemplate(organization);
    await expectDomainError(update({ ...draft, templateId }), "CLICK_VERSION_NOT_FOUND");
  });
});
