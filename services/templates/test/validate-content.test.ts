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
import { createTemplate, createVersion, present, publish, startTemplates, type TemplatesHarness } from "./harness.ts";

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
