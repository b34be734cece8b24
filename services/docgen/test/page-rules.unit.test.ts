import { describe, expect, test } from "@jest/globals";
import { DomainError } from "#platform/errors.ts";
import { changePage, defaultPage, type PageChanges } from "../domain/page.ts";

function problemsOf(changes: PageChanges): string[] {
  try {
    changePage(defaultPage, changes);
    return [];
  } catch (error) {
    return error instanceof DomainError ? error.details.map(({ field, code }) => `${field} ${code}`) : ["?"];
  }
}

describe("changePage", () => {
  test("leaves a page as it is when nothing is stated", () => {
    expect(changePage(defaultPage, {})).toEqual(defaultPage);
    expect(changePage(defaultPage, { size: undefined, margins: { top: undefined } })).toEqual(defaultPage);
  });

  test("changes single margins and takes an empty footer for none", () => {
    const page = changePage(defaultPage, { margins: { left: 0 }, footer: "", orientation: "landscape" });
    expect(page).toEqual({
      ...defaultPage,
      orientation: "landscape",
      margins: { top: 25, right: 25, bottom: 25, left: 0 },
      footer: "",
    });
  });

  test("takes margins that leave 40 mm in each direction, and no more", () => {
    expect(problemsOf({ margins: { left: 85, right: 85 } })).toEqual([]);
    expect(problemsOf({ margins: { left: 85, right: 85.1 } })).toEqual(["page.margins OUT_OF_RANGE"]);
    expect(problemsOf({ orientation: "landscape", margins: { left: 100, right: 100 } })).toEqual([]);
    expect(problemsOf({ orientation: "landscape", margins: { top: 86, bottom: 85 } })).toEqual([
      "page.margins OUT_OF_RANGE",
    ]);
    expect(problemsOf({ size: "a5", margins: { left: 60, right: 60 } })).toEqual(["page.margins OUT_OF_RANGE"]);
  });

  test.each([-0.1, 100.1, Number.NaN, Number.POSITIVE_INFINITY])("refuses a margin of %d", (top) => {
    expect(problemsOf({ margins: { top } })).toEqual(["page.margins.top OUT_OF_RANGE"]);
  });

  test("names everything that is wrong at once", () => {
    const changes = { size: "A4", orientation: "", font: "mono", header: "a\rb", footer: "x".repeat(501) };
    expect(problemsOf(changes)).toEqual([
      "page.size NOT_ALLOWED",
      "page.orientation NOT_ALLOWED",
      "page.font NOT_ALLOWED",
      "page.header INVALID_TEXT",
      "page.footer TOO_LONG",
    ]);
  });

  test("counts characters as people do", () => {
    expect(problemsOf({ header: "🙂".repeat(500) })).toEqual([]);
  });
});
