import { describe, expect, test } from "@jest/globals";
import type { ContentFormat } from "../domain/content.ts";
import { checkContent } from "../domain/content-rules/check-content.ts";
import type { ContentSubject, Publication } from "../domain/content-rules/report.ts";

const types = ["STATIC", "GENERATED", "CONSENT"] as const;

const warningsOf = (subject: ContentSubject): string[] => checkContent(subject).warnings.map((finding) => finding.code);

describe("checkContent of a text with headings, links and languages", () => {
  const warnings = (content: string, format: ContentFormat = "HTML", locale?: string): string[] =>
    warningsOf({
      ...{ type: "STATIC", format, content },
      ...(locale === undefined ? {} : { publication: { locale, texts: {}, typeConfig: {} } }),
    });

  test.each<[string, string[]]>([
    ["<h2>a</h2><h3>b</h3><h2>c</h2><h1>d</h1>", []],
    ["<h1>a</h1><h3>b</h3>", ["A11Y_HEADING_ORDER"]],
    ["<a href='https://a.b'>Here</a>", ["A11Y_LINK_TEXT"]],
    ["<a href='https://a.b'> click <b>here!</b></a>", ["A11Y_LINK_TEXT"]],
    ["x<a href='https://a.b'></a>", ["A11Y_LINK_TEXT"]],
    ["<a href='https://a.b'>Hier klicken</a>", ["A11Y_LINK_TEXT"]],
    ["<a href='https://a.b'>Where we are</a>", []],
    ["<a id=x>here</a>", []],
    ["<p lang='not a tag'>a</p>", ["A11Y_LANGUAGE_INVALID"]],
    ["<p lang=''>a</p>", ["A11Y_LANGUAGE_INVALID"]],
    ["<p lang=fr>a</p>", []],
  ])("finds in %j %j", (content, expected) => {
    expect(warnings(content)).toEqual(expected);
  });

  test("does so in Markdown too", () => {
    expect(warnings("# a\n\n### b\n\n[here](https://a.b)", "MARKDOWN")).toEqual([
      "A11Y_HEADING_ORDER",
      "A11Y_LINK_TEXT",
    ]);
  });

  test("compares the language of the whole text with the version's", () => {
    expect(warnings("<div lang=de>a</div>", "HTML", "en")).toEqual(["A11Y_LANGUAGE_MISMATCH"]);
    expect(warnings("<div lang=en-GB>a</div>", "HTML", "en-US")).toEqual([]);
    expect(warnings("<p>a <i lang=de>b</i></p>", "HTML", "en")).toEqual([]);
  });
});

describe("checkContent of the notice", () => {
  const warnings = (texts: Publication["texts"]): string[] =>
    types.flatMap((type) =>
      warningsOf({
        ...{
          type,
          format: "TEXT",
          content: "You can withdraw. {{date}}".replace("{{date}}", type === "GENERATED" ? "{{date}}" : ""),
        },
        publication: {
          ...{ locale: "en", texts },
          typeConfig: {
            variables: [],
            purposes: [{ key: "a", name: "A" }],
            controller: { name: "You" },
            withdrawalMethod: "x",
          },
        },
      }),
    );

  test("warns when the notice calls the button by another name", () => {
    expect(warnings({ consentText: "By clicking OK I agree", buttonText: "Accept" })).toEqual(
      Array(3).fill("NOTICE_BUTTON_MISMATCH"),
    );
  });

  test.each<[Publication["texts"]]>([
    [{}],
    [{ consentText: "I agree" }],
    [{ buttonText: "Accept" }],
    [{ consentText: "I agree", buttonText: " " }],
    [{ consentText: "By clicking “accept  all” I agree", buttonText: "Accept all" }],
  ])("has nothing against %j", (texts) => {
    expect(warnings(texts)).toEqual([]);
  });
});
