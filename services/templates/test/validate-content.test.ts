import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  ContentFormat,
  type ContentReport,
  TemplateType,
  VersionStatus,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import {
  createTemplate,
  createVersion,
  type Organization,
  present,
  publish,
  readEvents,
  startTemplates,
  type TemplatesHarness,
  unpublish,
  updateTemplate,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

const codesOf = (report: ContentReport | undefined): string[] => present(report).errors.map((finding) => finding.code);

describe("validateContent", () => {
  const validate = async (
    content: string,
    type: TemplateType = TemplateType.STATIC,
    format: ContentFormat = ContentFormat.UNSPECIFIED,
  ) => present((await harness.organization().validateContent({ type, content, format })).report);

  test("says of harmless content that it is valid", async () => {
    for (const type of [TemplateType.STATIC, TemplateType.GENERATED, TemplateType.CONSENT]) {
      for (const format of [ContentFormat.HTML, ContentFormat.MARKDOWN, ContentFormat.TEXT]) {
        expect(await validate("Be kind.", type, format)).toMatchObject({ valid: true, errors: [] });
      }
    }
  });

  test("tells what is wrong and where", async () => {
    expect(await validate("<p>a</p>\n<script>b</script>")).toMatchObject({
      valid: false,
      errors: [
        {
          code: "CONTENT_ELEMENT_FORBIDDEN",
          message: "The element <script> is not allowed.",
          path: "content",
          line: 2,
          column: 1,
          offset: 9,
          length: 8,
          snippet: "<script>",
        },
      ],
      warnings: [],
    });
  });

  test("reads the content as HTML unless another format is named", async () => {
    expect((await validate("a <b>")).valid).toBe(false);
    expect((await validate("a <b>", TemplateType.STATIC, ContentFormat.TEXT)).valid).toBe(true);
  });

  test("only warns of what depends on the template", async () => {
    const report = await validate("<p>{{price}}</p>", TemplateType.GENERATED);
    expect(report).toMatchObject({ valid: true, warnings: [{ code: "CONTENT_PLACEHOLDER_UNKNOWN" }] });
  });

  test("answers for empty and for too long content", async () => {
    expect(codesOf(await validate(""))).toEqual(["CONTENT_EMPTY"]);
    expect(codesOf(await validate("a".repeat(1_048_577)))).toEqual(["CONTENT_TOO_LARGE"]);
  });

  test("checks long content in a worker thread with the same result", async () => {
    const content = "<p>Be kind.</p>\n".repeat(10_000);
    expect(await validate(content)).toMatchObject({ valid: true, errors: [], warnings: [] });
    expect(codesOf(await validate(`${content}<script>`))).toEqual(["CONTENT_ELEMENT_FORBIDDEN"]);
  });

  test.each<[string, string]>([
    ["deep nesting", "<div>"],
    ["unclosed formatting", "<b>"],
    ["attributes", "<p a b=c onclick='d' "],
    ["character references", "&#x202e;&amp;"],
    ["comments", "<!---->"],
    ["stray end tags", "</p>"],
    ["table cells", "<table><td>"],
    ["opening brackets", "<"],
    ["bidirectional overrides", "\u202e"],
    ["placeholders", "{{a}}{{"],
  ])("answers for a MiB of %s", async (_what, part) => {
    for (const type of [TemplateType.GENERATED, TemplateType.CONSENT]) {
      const report = await validate(part.repeat(Math.floor(1_048_576 / Buffer.byteLength(part))), type);
      expect(report.errors.length).toBeLessThanOrEqual(101);
      expect(report.warnings.length).toBeLessThanOrEqual(101);
    }
  });

  test("refuses a request without a type, and one with an unknown type or format", async () => {
    const organization = harness.organization();
    const { UNSPECIFIED } = ContentFormat;
    for (const [type, format] of [
      [TemplateType.UNSPECIFIED, UNSPECIFIED],
      [9 as TemplateType, UNSPECIFIED],
      [TemplateType.STATIC, 9 as ContentFormat],
    ] as const) {
      const error = await organization.validateContent({ content: "a", type, format }).catch((error: unknown) => error);
      expect(ConnectError.from(error).code).toBe(Code.InvalidArgument);
    }
  });

  test("needs a caller", async () => {
    await expect(harness.client.validateContent({ type: TemplateType.STATIC, content: "a" })).rejects.toThrow();
  });
});

describe("validation of a version", () => {
  const draft = async (organization: Organization, content: string, type: TemplateType = TemplateType.STATIC) => {
    const { id } = await createTemplate(organization, { type });
    return createVersion(organization, id, { content });
  };

  test("is in every answer with a version", async () => {
    const organization = harness.organization();
    const { id: versionId, templateId, validation } = await draft(organization, "a<script></script>");
    const broken = { valid: false, errors: [{ code: "CONTENT_ELEMENT_FORBIDDEN" }], warnings: [] };
    expect(validation).toMatchObject(broken);
    const name = { templateId, versionId };
    expect((await organization.getVersion(name)).version?.validation).toMatchObject(broken);
    expect((await organization.listVersions(name)).versions[0]?.validation).toMatchObject(broken);
    const { template } = await organization.getTemplate({ templateId, includeVersions: true });
    expect(template?.versions[0]?.validation).toMatchObject(broken);
    const { templates } = await organization.listTemplates({ includeVersions: true });
    expect(templates[0]?.versions[0]?.validation).toMatchObject(broken);
    const { version } = await organization.updateVersion({
      ...name,
      changes: { content: "a" },
      updateMask: { paths: ["content"] },
    });
    expect(version?.validation).toMatchObject({ valid: true, errors: [] });
    expect((await organization.archiveVersion(name)).version?.validation).toMatchObject({ valid: true });
  });

  test("says what publishing would, and follows the template", async () => {
    const organization = harness.organization();
    const { id: versionId, templateId, validation } = await draft(organization, "{{price}}", TemplateType.GENERATED);
    expect(codesOf(validation)).toEqual(["CONTENT_PLACEHOLDER_UNKNOWN"]);
    await updateTemplate(organization, templateId, ["type_config"], { typeConfig: { variables: [{ key: "price" }] } });
    const { version } = await organization.getVersion({ templateId, versionId });
    expect(version?.validation).toMatchObject({ valid: true, errors: [] });
    const published = await publish(organization, present(version));
    expect(published).toMatchObject({ status: VersionStatus.PUBLISHED, validation: { valid: true } });
    expect((await unpublish(organization, published)).validation).toMatchObject({ valid: true });
  });

  test("knows the words around the text", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const texts = { consentText: "By clicking OK I agree", buttonText: "Accept" };
    const { validation } = await createVersion(organization, id, { texts });
    expect(validation).toMatchObject({ valid: true, warnings: [{ code: "NOTICE_BUTTON_MISMATCH" }] });
  });

  test("has fewer findings in a long list, so that it fits into one message", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const first = await createVersion(organization, id, { content: "<x>".repeat(500) });
    expect(first.validation?.errors).toHaveLength(101);
    await harness.superuser.query(
      `insert into templates.version select (jsonb_populate_record(v, jsonb_build_object(
         'id', gen_random_uuid(), 'locale', 'en-x-' || n))).* from templates.version v, generate_series(2, 100) n
       where id = $1`,
      [first.id],
    );
    const { versions } = await organization.listVersions({ templateId: id });
    expect(versions).toHaveLength(100);
    for (const { validation } of versions) {
      expect(codesOf(validation)).toEqual([...Array(10).fill("CONTENT_ELEMENT_FORBIDDEN"), "CONTENT_TOO_MANY_ERRORS"]);
    }
  });
});

describe("publishVersion", () => {
  test("refuses content that breaks a rule, lists the findings, and changes nothing", async () => {
    const organization = harness.organization();
    const { id: templateId } = await createTemplate(organization);
    const draft = await createVersion(organization, templateId, { content: "<p>a</p>\n<script>b</script><b>" });
    const error = await expectDomainError(publish(organization, draft), "CLICK_CONTENT_INVALID");
    expect(error.details).toEqual([
      {
        field: "content",
        code: "CONTENT_ELEMENT_FORBIDDEN",
        message: "Line 2, column 1: The element <script> is not allowed.",
      },
      {
        field: "content",
        code: "CONTENT_MALFORMED_HTML",
        message: "Line 2, column 19: The element <b> is still open at the end of the text. Close it before.",
      },
    ]);
    expect((await organization.getVersion({ templateId, versionId: draft.id })).version).toEqual(draft);
    expect(await readEvents(harness, organization.orgId)).toEqual([]);
  });

  test("lists a bounded number of findings, so that they fit into the answer", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const draft = await createVersion(organization, id, { content: `<${"x".repeat(1000)} y>`.repeat(500) });
    const error = await expectDomainError(publish(organization, draft), "CLICK_CONTENT_INVALID");
    expect(error.details).toHaveLength(26);
    expect(error.details.at(-1)).toMatchObject({ code: "CONTENT_TOO_MANY_ERRORS" });
  });

  test.each([
    [TemplateType.STATIC, ContentFormat.HTML, "Hello {{fullName}}", "CONTENT_PLACEHOLDER_NOT_ALLOWED"],
    [TemplateType.STATIC, ContentFormat.HTML, " ", "CONTENT_EMPTY"],
    [TemplateType.STATIC, ContentFormat.MARKDOWN, "[the terms](javascript:alert)", "CONTENT_URL_FORBIDDEN"],
    [TemplateType.STATIC, ContentFormat.TEXT, "a\u202eb", "CONTENT_CONTROL_CHARACTER"],
    [TemplateType.GENERATED, ContentFormat.HTML, "Hello {{unknown}}", "CONTENT_PLACEHOLDER_UNKNOWN"],
    [TemplateType.CONSENT, ContentFormat.HTML, "News, withdraw any time", "CONSENT_PURPOSES_MISSING"],
  ])("knows the template: type %s, format %s, %j", async (type, format, content, code) => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization, { type });
    const draft = await createVersion(organization, id, { content, format });
    const error = await expectDomainError(publish(organization, draft), "CLICK_CONTENT_INVALID");
    expect(error.details.map((detail) => detail.code)).toContain(code);
  });

  test("publishes a complete consent and a merged text", async () => {
    const organization = harness.organization();
    const typeConfig = {
      controller: { name: "ACME Ltd" },
      withdrawalMethod: "By mail",
      purposes: [{ key: "news", name: "News" }],
    };
    const consent = await createTemplate(organization, { type: TemplateType.CONSENT, typeConfig });
    const generated = await createTemplate(organization, { type: TemplateType.GENERATED });
    for (const [{ id }, content] of [
      [consent, "<p>News of ACME Ltd. You can withdraw any time.</p>"],
      [generated, "<p>Dear {{fullName}}</p>"],
    ] as const) {
      const published = await publish(organization, await createVersion(organization, id, { content }));
      expect(published).toMatchObject({ status: VersionStatus.PUBLISHED, validation: { valid: true, warnings: [] } });
    }
  });

  test("goes by the configuration of the template as it is now", async () => {
    const organization = harness.organization();
    const typeConfig = { variables: [{ key: "price" }] };
    const { id } = await createTemplate(organization, { type: TemplateType.GENERATED, typeConfig });
    const version = await publish(organization, await createVersion(organization, id, { content: "{{price}}" }));
    await unpublish(organization, version);
    await updateTemplate(organization, id, ["type_config"], { typeConfig: { variables: [] } });
    await expectDomainError(publish(organization, version), "CLICK_CONTENT_INVALID");
    await updateTemplate(organization, id, ["type_config"], { typeConfig });
    expect(await publish(organization, version)).toMatchObject({ revision: 1, status: VersionStatus.PUBLISHED });
  });

  test("publishes a MiB of HTML", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const draft = await createVersion(organization, id, { content: "<p>Be kind.</p>\n".repeat(65_536) });
    expect(await publish(organization, draft)).toMatchObject({ status: VersionStatus.PUBLISHED, revision: 1 });
  });
});

describe("a content that takes too long to check", () => {
  let hasty: TemplatesHarness;
  beforeAll(async () => {
    hasty = await startTemplates({ checkLimits: { waitMs: 60_000, deadlineMs: 200, patienceMs: 1 } });
  });
  afterAll(() => hasty.stop());
  const format = ContentFormat.MARKDOWN;
  // Takes time that grows with the square of its length: minutes.
  const content = "_*a".repeat(100_000);

  test("is refused, and others are checked as before", async () => {
    const organization = hasty.organization();
    const type = TemplateType.STATIC;
    const error = await expectDomainError(
      organization.validateContent({ type, format, content }),
      "CLICK_VALIDATION_FAILED",
    );
    expect(error.details).toMatchObject([{ field: "content", code: "TOO_COMPLEX" }]);
    let attempt = 0;
    const report = await until(async () => {
      // Another one each time, because what took too long is remembered.
      attempt += 1;
      const other = { type, format: ContentFormat.TEXT, content: `${attempt} `.repeat(5000) };
      const answer = await organization.validateContent(other).catch(() => undefined);
      return answer?.report;
    });
    expect(report.valid).toBe(true);
  });

  test("comes without validation as a version", async () => {
    const organization = hasty.organization();
    const { id } = await createTemplate(organization);
    const version = await createVersion(organization, id, { format, content });
    expect(version).toMatchObject({ status: VersionStatus.DRAFT });
    expect(version.validation).toBeUndefined();
  });

  test("is not published", async () => {
    const organization = hasty.organization();
    const { id } = await createTemplate(organization);
    const draft = await createVersion(organization, id, { format, content });
    const error = await expectDomainError(publish(organization, draft), "CLICK_CONTENT_INVALID");
    expect(error.details).toMatchObject([{ field: "content", code: "TOO_COMPLEX" }]);
  });
});
