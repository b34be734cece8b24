import { describe, expect, test } from "@jest/globals";
import { parseRestrictedHtml } from "../parse.ts";
import { contentToHtml, UnsafeContentError } from "../read-content.ts";
import { renderSafeHtml } from "../serialize.ts";
import { hostileSamples, inertSamples } from "./hostile-samples.ts";
import { dangersOf } from "./shown-page.ts";

const cases = Object.entries(hostileSamples).flatMap(([kind, samples]) =>
  samples.map((sample): [string, string] => [kind, sample]),
);

describe("parseRestrictedHtml", () => {
  test("is tried with at least a hundred different attacks", () => {
    expect(new Set(cases.map(([, sample]) => sample)).size).toBeGreaterThan(100);
  });

  test.each(cases)("refuses %s: %j", (_kind, sample) => {
    const { findings, tree } = parseRestrictedHtml(sample);
    expect(tree).toBeUndefined();
    expect(findings.filter((finding) => finding.severity === "ERROR")).not.toEqual([]);
    expect(() => contentToHtml("HTML", sample)).toThrow(UnsafeContentError);
  });

  const selfContained = cases.filter(([kind]) => kind !== "reaching beyond the end");
  test.each(selfContained)("refuses %s in the middle of a text: %j", (_kind, sample) => {
    expect(parseRestrictedHtml(`<p>Before.</p>\n<ul><li>${sample}</li></ul>\n<p>After.</p>`).tree).toBeUndefined();
  });

  test.each(inertSamples)("takes %j for the text that it is", (sample) => {
    const { findings, tree } = parseRestrictedHtml(sample);
    expect(findings.filter((finding) => finding.severity === "ERROR")).toEqual([]);
    expect(contentToHtml("HTML", sample)).toBe(sample);
    expect(dangersOf(sample)).toEqual([]);
    expect(dangersOf(renderSafeHtml(tree ?? []))).toEqual([]);
  });
});

describe("contentToHtml", () => {
  test.each([...cases.map(([, sample]) => sample), ...inertSamples])(
    "shows %j as plain text or not at all",
    (sample) => {
      expect(shownOrRefused("TEXT", sample)).toEqual([]);
    },
  );

  test.each([...cases.map(([, sample]) => sample), ...inertSamples])(
    "shows %j safely as Markdown or not at all",
    (sample) => {
      for (const text of [
        sample,
        `- ${sample}`,
        `> ${sample}`,
        `# ${sample}`,
        `*${sample}*`,
        `|a|\n|-|\n|${sample}|`,
      ]) {
        expect(shownOrRefused("MARKDOWN", text)).toEqual([]);
      }
    },
  );
});

function shownOrRefused(format: "TEXT" | "MARKDOWN", content: string): string[] {
  try {
    return dangersOf(contentToHtml(format, content));
  } catch (error) {
    if (error instanceof UnsafeContentError) return [];
    throw error;
  }
}
