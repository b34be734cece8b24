import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyCharacter } from "#platform/test/code-points.ts";
import { checkContent } from "../domain/content-rules/check-content.ts";
import { contentRuleCodes } from "../domain/content-rules/codes.ts";
import type { ContentSubject } from "../domain/content-rules/report.ts";
import type { TemplateType } from "../domain/type-config.ts";

const types = ["STATIC", "GENERATED", "CONSENT"] as const;
const formats = ["HTML", "MARKDOWN", "TEXT"] as const;
type WrittenFormat = (typeof formats)[number];

/** Texts that no rule has anything against, whatever the type. */
const harmless: Readonly<Record<WrittenFormat, readonly string[]>> = {
  HTML: [
    "<p>Be kind.</p>",
    "<h1>Terms of Service</h1>\n<p>You may use the service. See <a href='https://example.com/privacy'>our privacy notice</a>.</p>",
    "<table><thead><tr><th>Right</th></tr></thead><tbody><tr><td>Access</td></tr></tbody></table>",
    "Only text.",
  ],
  MARKDOWN: ["# Terms\n\nBe **kind** to [everybody](https://example.com).\n\n- one\n- two", "|a|b|\n|-|-|\n|1|2|"],
  TEXT: ["Be kind.\n\nSigned, us <we@example.com> & others.", "1 < 2"],
};

const errorsOf = (subject: ContentSubject): string[] => checkContent(subject).errors.map((finding) => finding.code);
const warningsOf = (subject: ContentSubject): string[] => checkContent(subject).warnings.map((finding) => finding.code);

const allCases = types.flatMap((type) => formats.map((format): [TemplateType, WrittenFormat] => [type, format]));

describe("checkContent of any type", () => {
  test.each(allCases)("has no errors about harmless content of %s as %s", (type, format) => {
    for (const content of harmless[format]) {
      expect(checkContent({ type, format, content })).toMatchObject({ valid: true, errors: [] });
    }
  });

  test.each(allCases)("has nothing at all about harmless content that fits %s as %s", (type, format) => {
    const fitting = {
      STATIC: "",
      GENERATED: " For {{fullName}}.",
      CONSENT: " You can withdraw your consent any time.",
    };
    for (const content of harmless[format].filter((text) => !text.includes("|"))) {
      expect(checkContent({ type, format, content: content + fitting[type] })).toEqual({
        valid: true,
        errors: [],
        warnings: [],
      });
    }
  });

  test.each(allCases)("refuses empty and blank content of %s as %s", (type, format) => {
    for (const content of ["", " \n\t\r\n", "\u00a0\u200b\ufeff"]) {
      expect(errorsOf({ type, format, content })).toEqual(["CONTENT_EMPTY"]);
    }
  });

  test.each(types)("refuses markup without text for %s", (type) => {
    expect(errorsOf({ type, format: "HTML", content: "<p>&nbsp;</p><hr>" })).toEqual(["CONTENT_EMPTY"]);
    expect(errorsOf({ type, format: "MARKDOWN", content: "***\n\n- " })).toEqual(["CONTENT_EMPTY"]);
  });

  test.each(allCases)("takes 1 MiB of UTF-8 and refuses more for %s as %s", (type, format) => {
    expect(errorsOf({ type, format, content: `${"ä".repeat(524_288)}a` })).toEqual(["CONTENT_TOO_LARGE"]);
    expect(errorsOf({ type, format, content: "ä".repeat(524_288) })).toEqual([]);
  });

  test.each(allCases)("warns of text that is not normalized for %s as %s", (type, format) => {
    const report = checkContent({ type, format, content: "Caf\u00e9 e\u0301" });
    expect(report).toMatchObject({ valid: true });
    expect(report.warnings.filter((finding) => finding.code === "CONTENT_NOT_NFC")).toMatchObject([
      { severity: "WARNING", path: "content", line: 1, column: 6, offset: 5, length: 1 },
    ]);
  });

  test.each(allCases)("warns of endless combining marks without normalizing them for %s as %s", (type, format) => {
    const content = `a${"\u0316\u0301".repeat(format === "MARKDOWN" ? 5_000 : 250_000)}`;
    expect(warningsOf({ type, format, content })).toContain("CONTENT_NOT_NFC");
  });

  test.each(allCases)("refuses control characters and bidirectional overrides for %s as %s", (type, format) => {
    for (const character of [
      "\u0000",
      "\u0008",
      "\u000c",
      "\u001b",
      "\u007f",
      "\u0085",
      "\u202a",
      "\u202e",
      "\u2066",
      "\u2069",
      "\ud800",
    ]) {
      const [error] = checkContent({ type, format, content: `a\nb${character}c` }).errors;
      expect(error).toMatchObject({
        code: "CONTENT_CONTROL_CHARACTER",
        line: 2,
        column: 2,
        offset: 3,
        snippet: "\ufffd",
      });
    }
    expect(errorsOf({ type, format, content: "a\tb\r\nc\rd שלום \u200f\u200d" })).toEqual([]);
  });

  test.each([
    ["CONTENT_ELEMENT_FORBIDDEN", "<p>a</p><script>b</script>"],
    ["CONTENT_ATTRIBUTE_FORBIDDEN", "<p onclick='b()'>a</p>"],
    ["CONTENT_URL_FORBIDDEN", "<a href='javascript:b()'>the page</a>"],
    ["CONTENT_REMOTE_RESOURCE", "a<img src='https://a.b/c.png' alt=''>"],
    ["CONTENT_COMMENT_FORBIDDEN", "a<!-- b -->"],
    ["CONTENT_MALFORMED_HTML", "<b><i>a</b></i>"],
    ["CONTENT_CONTROL_CHARACTER", "a &#x202e; b"],
  ] as const)("reports %s of HTML for every type", (code, content) => {
    for (const type of types) {
      const { valid, errors } = checkContent({ type, format: "HTML", content });
      expect(valid).toBe(false);
      expect(new Set(errors.map((finding) => finding.code))).toEqual(new Set([code]));
    }
  });

  test.each([
    ["CONTENT_ELEMENT_FORBIDDEN", "a <script>b</script>"],
    ["CONTENT_URL_FORBIDDEN", "[the page](javascript:b())"],
    ["CONTENT_REMOTE_RESOURCE", "a ![b](https://a.b/c.png)"],
    ["CONTENT_COMMENT_FORBIDDEN", "a <!-- b -->"],
    ["CONTENT_MALFORMED_HTML", "|a|\n|-|\n|b|c|"],
    ["CONTENT_CONTROL_CHARACTER", "a &#x202e; b"],
  ] as const)("reports %s of Markdown for every type", (code, content) => {
    for (const type of types) {
      const { errors } = checkContent({ type, format: "MARKDOWN", content });
      expect(new Set(errors.map((finding) => finding.code))).toEqual(new Set([code]));
    }
  });

  test("warns of HTML that is not correct but shows what it says", () => {
    const report = checkContent({ type: "STATIC", format: "HTML", content: "<p>a<p>b" });
    expect(report).toMatchObject({ valid: true, errors: [], warnings: [{ code: "CONTENT_MALFORMED_HTML" }, {}] });
  });

  test("plain text has no markup that could break a rule", () => {
    const content = "<script>alert(1)</script> <!-- --> [a](javascript:b) <b>";
    expect(checkContent({ type: "STATIC", format: "TEXT", content })).toEqual({
      valid: true,
      errors: [],
      warnings: [],
    });
  });

  test("tells everything about a finding", () => {
    const report = checkContent({ type: "STATIC", format: "HTML", content: "<p>a</p>\r\n<p\n onclick='b()'>c</p>" });
    expect(report).toEqual({
      valid: false,
      errors: [
        {
          code: "CONTENT_ATTRIBUTE_FORBIDDEN",
          severity: "ERROR",
          message: "The attribute onclick of <p> is not allowed.",
          name: "onclick",
          path: "content",
          line: 3,
          column: 2,
          offset: 14,
          length: 13,
          snippet: "onclick='b()'",
        },
      ],
      warnings: [],
    });
  });

  test.each(allCases)(
    "lists at most 100 findings of each severity, and one that says that there are more, for %s as %s",
    (type, format) => {
      const content = "\u202e".repeat(1000) + "<p>&x;".repeat(1000) + "{{a}} {{ ".repeat(500);
      const { errors, warnings } = checkContent({ type, format, content });
      expect(errors).toHaveLength(101);
      expect(errors.at(-1)).toMatchObject({ code: "CONTENT_TOO_MANY_ERRORS", severity: "ERROR" });
      expect(errors.slice(0, 100).map((finding) => finding.code)).not.toContain("CONTENT_TOO_MANY_ERRORS");
      expect(warnings.length).toBeLessThanOrEqual(101);
      if (format === "HTML")
        expect(warnings.at(-1)).toMatchObject({ code: "CONTENT_TOO_MANY_ERRORS", severity: "WARNING" });
    },
  );

  test("lists exactly 100 without another one", () => {
    const { errors } = checkContent({ type: "STATIC", format: "TEXT", content: "\u202e".repeat(100) });
    expect(errors.map((finding) => finding.code)).toEqual(Array(100).fill("CONTENT_CONTROL_CHARACTER"));
  });
});

describe("contentRuleCodes", () => {
  test("names every code that a report of the type can have", () => {
    const content = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc
        .array(
          fc.constantFrom("<b>", "{{a}}", "{{", "<!--", "<p onclick=1>", "☑", "by using it you consent", "\u202e", " "),
          { maxLength: 8 },
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.constantFrom(...formats), content, (type, format, text) => {
        const { errors, warnings } = checkContent({ type, format, content: text });
        for (const finding of [...errors, ...warnings]) expect(contentRuleCodes(type)).toContain(finding.code);
      }),
      { numRuns: 500 },
    );
  });

  test("has the rules of each type", () => {
    expect(contentRuleCodes("STATIC")).toContain("CONTENT_PLACEHOLDER_NOT_ALLOWED");
    expect(contentRuleCodes("GENERATED")).not.toContain("CONTENT_PLACEHOLDER_NOT_ALLOWED");
    expect(contentRuleCodes("CONSENT")).toContain("CONSENT_PRECHECKED");
    expect(contentRuleCodes("STATIC")).not.toContain("CONSENT_PRECHECKED");
  });
});
