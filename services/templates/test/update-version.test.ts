import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ContentFormat, type Version, VersionStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  clientId,
  createPublished,
  createTemplate,
  createVersion,
  type Organization,
  present,
  problemFields,
  publish,
  readEvents,
  startTemplates,
  type TemplatesHarness,
  unknownIds,
  unpublish,
  versionJson,
} from "./harness.ts";
import { archive, bulkArchive, getVersion, saveDraft, updateVersion } from "./lifecycle-harness.ts";

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

describe("the draft of a published version", () => {
  const nameOf = ({ id: versionId, templateId }: Version) => ({ templateId, versionId });

  test("is written beside what is live, which stays as it is until it is published", async () => {
    const organization = harness.organization();
    const { template, version: live } = await createPublished(organization);
    const item = { organizationId: organization.orgId, template: { case: "templateId", value: template.id } } as const;
    const served = async () => (await harness.client.resolveTemplates({ items: [item] })).results[0];
    const before = await served();
    harness.clock.advance(1000);
    const effectiveAt = timestampFromDate(new Date("2027-01-01T00:00:00Z"));
    const text = { title: "Next", content: "<p>Next</p>", changeSummary: "More", texts: { buttonText: "OK" } };
    const { draft } = await organization.putVersionDraft({ ...nameOf(live), ...text, effectiveAt });
    const [by, now] = [clientId, timestampFromDate(harness.clock.now())];
    expect(draft).toMatchObject({
      ...{ ...text, effectiveAt, ...nameOf(live), organizationId: organization.orgId, locale: "en" },
      ...{ format: ContentFormat.HTML, contentHash: sha256Label("<p>Next</p>"), baseRevision: 1 },
      ...{ createdBy: by, createdAt: now, updatedBy: by, updatedAt: now, validation: { valid: true } },
    });
    expect((await organization.getVersionDraft(nameOf(live))).draft).toEqual(draft);
    const beside = await getVersion(organization, live);
    expect(beside.draft).toMatchObject({ contentHash: present(draft).contentHash, baseRevision: 1, updatedAt: now });
    expect(versionJson({ ...beside, draft: undefined } as unknown as Version)).toEqual(versionJson(live));
    expect(await served()).toEqual(before);

    harness.clock.advance(1000);
    const next = await publish(organization, live, false);
    expect(next).toMatchObject({ ...text, effectiveAt, status: VersionStatus.PUBLISHED, revision: 2, label: "1.1" });
    expect(next.draft).toBeUndefined();
    expect(await served()).toMatchObject({ snapshot: { publishedVersions: [{ revision: 2, label: "1.1" }] } });
    const { content } = await organization.getRevision({ versionId: live.id, revision: 1 });
    expect(Buffer.from(content).toString()).toBe("<p>Terms</p>");
    await expectDomainError(organization.getVersionDraft(nameOf(live)), "CLICK_DRAFT_NOT_FOUND");
  });

  test("is one, replaced as a whole and discarded by whoever has read it last", async () => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    const first = await saveDraft(organization, version, "<p>One</p>", version.updatedAt);
    await expectDomainError(
      saveDraft(organization, version, "<p>Two</p>", version.updatedAt),
      "CLICK_VERSION_CONFLICT",
    );
    // Nobody has to know whether it was stored.
    expect(await saveDraft(organization, version, "<p>One</p>", version.updatedAt)).toEqual(first);
    const second = await saveDraft(organization, version, "<p>Two</p>", first.updatedAt);
    expect(second.updatedAt).not.toEqual(first.updatedAt);
    expect(second.createdAt).toEqual(first.createdAt);
    const discard = (ifUpdatedAt = first.updatedAt) =>
      organization.deleteVersionDraft({ ...nameOf(version), ...(ifUpdatedAt && { ifUpdatedAt }) });
    await expectDomainError(discard(), "CLICK_VERSION_CONFLICT");
    await discard(second.updatedAt);
    await expectDomainError(discard(second.updatedAt), "CLICK_DRAFT_NOT_FOUND");
    expect(await getVersion(organization, version)).toEqual(version);
    const audited = (await readEvents(harness, organization.orgId)).flatMap(({ auditedTemplate: told }) =>
      told === undefined ? [] : [[told.action, told.target, told.changes]],
    );
    const target = { kind: "version", id: version.id };
    expect(audited).toEqual([
      ["draft.saved", target, [{ field: "content", value: "" }]],
      ["draft.saved", target, [{ field: "content", value: "" }]],
      ["draft.discarded", target, []],
    ]);
  });

  test("that says what is live already makes no revision, and one with faults is kept but not published", async () => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    await saveDraft(organization, version, version.content);
    expect(await publish(organization, version)).toEqual(version);
    const { validation } = await saveDraft(organization, version, "<script>no</script>");
    expect(validation).toMatchObject({ valid: false });
    await expectDomainError(publish(organization, version), "CLICK_CONTENT_INVALID");
    expect(await getVersion(organization, version)).toMatchObject({ revision: 1, draft: { baseRevision: 1 } });
  });

  test("waits while the version is taken back, and goes with it to the archive", async () => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    await saveDraft(organization, version, "<p>Next</p>");
    await unpublish(organization, version);
    await expectDomainError(saveDraft(organization, version, "<p>Other</p>"), "CLICK_VERSION_NOT_PUBLISHED");
    // Who publishes again what was taken back publishes that and nothing else.
    expect(await publish(organization, version)).toMatchObject({ revision: 1, content: "<p>Terms</p>" });
    expect((await organization.getVersionDraft(nameOf(version))).draft).toMatchObject({ content: "<p>Next</p>" });
    await archive(organization, version);
    await expectDomainError(organization.getVersionDraft(nameOf(version)), "CLICK_DRAFT_NOT_FOUND");
    await expectDomainError(saveDraft(organization, version, "<p>Other</p>"), "CLICK_VERSION_ARCHIVED");
  });

  test("is what the refusal to change a published version names", async () => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    const refused = updateVersion(organization, version, ["title"], { title: "Other" });
    const { message } = await expectDomainError(refused, "CLICK_VERSION_PUBLISHED");
    expect(message).toContain("PUT …/draft");
  });

  test("is not touched in an archived template and gone with a deleted one", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    await saveDraft(organization, version, "<p>Next</p>");
    await bulkArchive(organization, template.id);
    await expectDomainError(saveDraft(organization, version, "<p>Other</p>"), "CLICK_TEMPLATE_ARCHIVED");
    await expectDomainError(organization.deleteVersionDraft(nameOf(version)), "CLICK_TEMPLATE_ARCHIVED");
    await organization.removeTemplate({ templateId: template.id });
    const sql = "select from templates.version_draft where organization_id = $1";
    expect((await harness.superuser.query(sql, [organization.orgId])).rowCount).toBe(0);
    await expectDomainError(organization.getVersionDraft(nameOf(version)), "CLICK_TEMPLATE_NOT_FOUND");
  });

  test("is checked as a version is", async () => {
    const organization = harness.organization();
    const { version } = await createPublished(organization);
    const put = (request: object) => organization.putVersionDraft({ ...nameOf(version), content: "x", ...request });
    const bad = [
      [{ effectiveAt: { seconds: 999_999_999_999n } }, "effectiveAt"],
      [{ texts: { purposeTexts: { "no key": "x" } } }, "purposeTexts"],
      [{ content: "a\u0000" }, "content"],
    ] as const;
    for (const [request, field] of bad) {
      expect(await problemFields(put(request), "CLICK_VALIDATION_FAILED")).toEqual([field]);
    }
  });
});
