import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ContentFormat } from "#gen/assent/templates/v1/templates_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  archiveTemplate,
  archiveVersion,
  createTemplate,
  createVersion,
  startTemplates,
  type TemplatesHarness,
  unknownIds,
  versionJson,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("createVersion", () => {
  test("makes a draft that was never published", async () => {
    const organization = harness.organization();
    const { id: templateId } = await createTemplate(organization);
    const version = await createVersion(organization, templateId, { content: "<p>Hello</p>" });
    const now = harness.clock.now().toISOString();
    expect(versionJson(version)).toEqual({
      id: version.id,
      organizationId: organization.orgId,
      templateId,
      locale: "en",
      content: "<p>Hello</p>",
      format: "CONTENT_FORMAT_HTML",
      texts: {},
      status: "VERSION_STATUS_DRAFT",
      contentHash: sha256Label("<p>Hello</p>"),
      validation: { valid: true },
      createdAt: now,
      updatedAt: now,
    });
    expect((await organization.getVersion({ templateId, versionId: version.id })).version).toEqual(version);
  });

  test("keeps everything that is given", async () => {
    const organization = harness.organization();
    const { id: templateId } = await createTemplate(organization);
    const effectiveAt = timestampFromDate(new Date("2027-01-01T00:00:00.500Z"));
    const version = await createVersion(organization, templateId, {
      locale: "ZH-hant-tw",
      title: "條款 'quoted' ? $1 \\",
      content: "# 條款 ? $1 \\ '",
      format: ContentFormat.MARKDOWN,
      changeSummary: "First",
      effectiveAt,
      texts: { consentText: "I agree", buttonText: "", purposeTexts: { news: "News by e-mail" } },
    });
    expect(versionJson(version)).toMatchObject({
      locale: "zh-Hant-TW",
      title: "條款 'quoted' ? $1 \\",
      content: "# 條款 ? $1 \\ '",
      format: "CONTENT_FORMAT_MARKDOWN",
      changeSummary: "First",
      effectiveAt: "2027-01-01T00:00:00.500Z",
    });
    expect(versionJson(version).texts).toEqual({
      consentText: "I agree",
      buttonText: "",
      purposeTexts: { news: "News by e-mail" },
    });
    expect((await organization.getVersion({ templateId, versionId: version.id })).version).toEqual(version);
  });

  test.each(["a\r\nb\n\rc", "e\u0301 \u00e9", "\u200b\u2028\ufeff", " \t ", "", "🙂".repeat(10)])(
    "stores the text %j exactly as given",
    async (content) => {
      const organization = harness.organization();
      const { id: templateId } = await createTemplate(organization);
      const { id: versionId, contentHash } = await createVersion(organization, templateId, { content });
      const { version } = await organization.getVersion({ templateId, versionId });
      expect(version?.content).toBe(content);
      expect(contentHash).toBe(sha256Label(Buffer.from(content, "utf8")));
    },
  );

  test("a locale has one version that is not archived, whatever its case", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const first = await createVersion(organization, id, { locale: "en-US" });
    await expectDomainError(createVersion(organization, id, { locale: "EN-us" }), "CLICK_VERSION_LOCALE_EXISTS");
    await createVersion(organization, id, { locale: "en" });
    await archiveVersion(harness, first.id);
    const second = await createVersion(organization, id, { locale: "en-us" });
    expect(second).toMatchObject({ locale: "en-US" });
    await archiveVersion(harness, second.id);
    await createVersion(organization, id, { locale: "en-US" });
  });

  test("concurrent creations for one locale leave one version", async () => {
    const organization = harness.organization();
    const other = (await harness.another()).organization(organization.orgId);
    const { id } = await createTemplate(organization);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => createVersion(n % 2 === 0 ? organization : other, id, { locale: "fr" })),
    );
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused).toHaveLength(11);
    for (const { reason } of refused) await expectDomainError(Promise.reject(reason), "CLICK_VERSION_LOCALE_EXISTS");
    expect((await organization.listVersions({ templateId: id })).versions).toHaveLength(1);
  });

  test("a template has at most 200 versions that are not archived", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const first = await createVersion(organization, id);
    await harness.superuser.query(
      `insert into templates.version select (jsonb_populate_record(v, jsonb_build_object(
         'id', gen_random_uuid(), 'locale', 'en-x-' || n))).* from templates.version v, generate_series(2, 200) n
       where id = $1`,
      [first.id],
    );
    const error = await expectDomainError(createVersion(organization, id, { locale: "de" }), "CLICK_VALIDATION_FAILED");
    expect(error.details).toMatchObject([{ field: "locale", code: "TOO_MANY_VERSIONS" }]);
    await archiveVersion(harness, first.id);
    await createVersion(organization, id, { locale: "de" });
  });

  test("an archived template gets no version", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    await archiveTemplate(harness, id);
    await expectDomainError(createVersion(organization, id), "CLICK_TEMPLATE_ARCHIVED");
  });

  test.each([
    ["locale", { locale: "en_US" }],
    ["content", { content: "a\u0000b" }],
    ["purposeTexts", { texts: { purposeTexts: { "Not a key": "x" } } }],
    ["effectiveAt", { effectiveAt: { seconds: 999_999_999_999n } }],
  ])("names the bad field %s", async (field, request) => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const error = await expectDomainError(createVersion(organization, id, request), "CLICK_VALIDATION_FAILED");
    expect(error.details.map((detail) => detail.field)).toEqual([field]);
  });

  test.each([
    ["title", { title: "\u0000" }],
    ["buttonText", { texts: { buttonText: "\u0000" } }],
  ])("names the text %s with control characters", async (field, request) => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const error = await expectDomainError(createVersion(organization, id, request), "VALIDATION_FAILED");
    expect(error.details.map((detail) => detail.field.split(".").at(-1))).toEqual([field]);
  });

  test("refuses a text of more than 1 MiB and takes one of exactly that", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const tooLarge = createVersion(organization, id, { content: "ä".repeat(524_289) });
    expect(ConnectError.from(await tooLarge.catch((e: unknown) => e)).code).toBe(Code.InvalidArgument);
    await createVersion(organization, id, { content: "ä".repeat(524_288) });
  });

  test.each(unknownIds)("does not find the template %j", async (id) => {
    await expectDomainError(createVersion(harness.organization(), id), "CLICK_TEMPLATE_NOT_FOUND");
  });
});
