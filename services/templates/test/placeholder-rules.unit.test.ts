import { describe, expect, test } from "@jest/globals";
import type { ContentFormat } from "../domain/content.ts";
import { checkContent } from "../domain/content-rules/check-content.ts";
import type { Publication } from "../domain/content-rules/report.ts";
import { completeTypeConfig, type TemplateType } from "../domain/type-config.ts";

const formats = ["HTML", "MARKDOWN", "TEXT"] as const;

/** `severity code line:column snippet` of each finding about placeholders. */
function findings(type: TemplateType, format: ContentFormat, content: string, publication?: Publication): string[] {
  const { errors, warnings } = checkContent({
    type,
    format,
    content,
    ...(publication === undefined ? {} : { publication }),
  });
  return [...errors, ...warnings]
    .filter(({ code }) => /PLACEHOLDER|VARIABLE/.test(code))
    .map(({ severity, code, line, column, snippet }) => `${severity} ${code} ${line}:${column} ${snippet}`);
}

describe("checkContent of STATIC and CONSENT", () => {
  test.each(["STATIC", "CONSENT"] as const)("has no placeholders in %s", (type) => {
    for (const format of formats) {
      expect(findings(type, format, "Dear {{fullName}},\nand {{ anything #else }}")).toEqual([
        "ERROR CONTENT_PLACEHOLDER_NOT_ALLOWED 1:6 {{fullName}}",
        "ERROR CONTENT_PLACEHOLDER_NOT_ALLOWED 2:5 {{ anything #else }}",
      ]);
      expect(findings(type, format, "{ a } {b} {{ }")).toEqual([]);
      expect(findings(type, format, "{{ {{a}} }}")).toEqual(["ERROR CONTENT_PLACEHOLDER_NOT_ALLOWED 1:4 {{a}}"]);
    }
    expect(findings(type, "HTML", "<p title='{{a}}'>b</p>")).toHaveLength(1);
  });

  test("says what the finding is about", () => {
    const { errors } = checkContent({ type: "STATIC", format: "TEXT", content: "{{a}}" });
    expect(errors).toMatchObject([{ path: "content.placeholder", offset: 0, length: 5 }]);
  });
});

describe("checkContent of GENERATED", () => {
  test.each(formats)("takes predefined placeholders in %s", (format) => {
    expect(findings("GENERATED", format, "{{fullName}} {{email}} {{company}} {{title}} {{date}}")).toEqual([]);
  });

  test.each(formats)("refuses everything else between braces in %s", (format) => {
    for (const placeholder of [
      ..."{{ date }}|{{}}|{{{date}}}|{{date}}}|{{#if date}}|{{/if}}|{{a-b}}|{{1a}}|{{date|upper}}|{% if date %}".split(
        "|",
      ),
      "{{date | upper}}",
    ].filter((text) => /^\{[{%].*[}%]\}$/.test(text))) {
      const [finding] = findings("GENERATED", format, `a\nb ${placeholder}`);
      expect(finding).toBe(`ERROR CONTENT_PLACEHOLDER_INVALID 2:3 ${placeholder}`);
    }
    expect(findings("GENERATED", format, "{{date}} {{")).toEqual(["ERROR CONTENT_PLACEHOLDER_INVALID 1:10 {{"]);
    expect(findings("GENERATED", format, "{{date}} }}")).toEqual(["ERROR CONTENT_PLACEHOLDER_INVALID 1:10 }}"]);
  });

  test.each([
    "<p title='{{date}}'>a</p>",
    "<p title={{date}}>a</p>",
    "<a href='https://a.b/{{date}}'>c</a>",
    "<p {{date}}>a</p>",
    "a<!-- {{date}} -->",
    "a &{{date}}",
    "a &l{{date}}",
    "1 <{{date}}",
  ])("refuses a placeholder where its value could be more than text: %j", (content) => {
    expect(findings("GENERATED", "HTML", content)).toContainEqual(
      expect.stringMatching(/^ERROR CONTENT_PLACEHOLDER_INVALID .*\{\{date\}\}$/),
    );
  });

  test.each([
    "[a](https://a.b/{{date}})",
    "[a](https://a.b '{{date}}')",
    "_a {{date_}} b",
    "[{{date}}]: https://a.b\n\n{{date}}",
    "{&#123;date}}",
    "&#123;{date}} {{date}}",
    "\\{\\{date}} {{date}}",
  ])("refuses a placeholder that Markdown makes something else of, or makes: %j", (content) => {
    expect(findings("GENERATED", "MARKDOWN", content).join()).toMatch(
      /CONTENT_PLACEHOLDER_INVALID|CONTENT_NO_PLACEHOLDER/,
    );
    if (content.includes("{{date"))
      expect(checkContent({ type: "GENERATED", format: "MARKDOWN", content }).valid).toBe(false);
  });

  test.each([
    "**{{date}}**",
    "`{{date}}`",
    "> {{date}}",
    "# {{a_b}} _x_",
    "|a|\n|-|\n|{{date}}|",
    "    {{date}}",
    "- {{a.b}}",
  ])("takes a placeholder in the text of Markdown: %j", (content) => {
    expect(findings("GENERATED", "MARKDOWN", content).filter((finding) => finding.startsWith("ERROR"))).toEqual([]);
  });

  test.each(formats)("warns when there is no placeholder in %s", (format) => {
    expect(findings("GENERATED", format, "Hello")).toEqual(["WARNING CONTENT_NO_PLACEHOLDER 1:1 "]);
    expect(findings("GENERATED", format, "Hello {{")).toEqual(["ERROR CONTENT_PLACEHOLDER_INVALID 1:7 {{"]);
  });

  const publication = (variables: { key: string; required?: boolean }[]): Publication => ({
    locale: "en",
    texts: {},
    typeConfig: completeTypeConfig("GENERATED", { variables }),
  });

  test.each(formats)("only warns of an unknown placeholder while nobody knows the template, in %s", (format) => {
    expect(findings("GENERATED", format, "{{price}} {{fullName}}")).toEqual([
      "WARNING CONTENT_PLACEHOLDER_UNKNOWN 1:1 {{price}}",
    ]);
    expect(findings("GENERATED", format, "{{price}} {{fullName}}", publication([]))).toEqual([
      "ERROR CONTENT_PLACEHOLDER_UNKNOWN 1:1 {{price}}",
    ]);
    expect(findings("GENERATED", format, "{{price}} {{fullName}}", publication([{ key: "price" }]))).toEqual([]);
    expect(findings("GENERATED", format, "{{constructor}}", publication([]))).toHaveLength(1);
  });

  test("warns of a required variable that the content does not use", () => {
    const config = publication([{ key: "price" }, { key: "place", required: false }, { key: "date" }]);
    const { valid, warnings } = checkContent({
      type: "GENERATED",
      format: "TEXT",
      content: "{{date}}",
      publication: config,
    });
    expect(valid).toBe(true);
    expect(warnings).toMatchObject([{ code: "CONTENT_VARIABLE_UNUSED", path: "typeConfig.variables" }]);
    expect(warnings[0]?.message).toContain("price");
  });
});
