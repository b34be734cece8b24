import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ContentFormat, TemplateType, VersionStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  createTemplate,
  createVersion,
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
