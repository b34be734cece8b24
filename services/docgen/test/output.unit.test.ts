import { describe, expect, test } from "@jest/globals";
import { DomainError } from "#platform/errors.ts";
import { parseFileName, parseMetadata, parseTimeZone } from "../domain/output.ts";

const fileName = (text: string, title = "Offer") => parseFileName("output.fileName", text, title);

describe("a file name", () => {
  test("ends in .pdf", () => {
    expect(["a", "a.PDF", "a.docx", " a b ", "Übersicht 漢字"].map((text) => fileName(text))).toEqual([
      "a.pdf",
      "a.PDF",
      "a.docx.pdf",
      "a b.pdf",
      "Übersicht 漢字.pdf",
    ]);
  });

  test("is no path and has nothing that does not show", () => {
    for (const text of [
      "a/b",
      "..\\b",
      "..",
      ".pdf",
      " .",
      "a\nb",
      "a\u0000",
      "a\u202efdp.exe",
      "\ud800",
      "x".repeat(252),
    ]) {
      expect(() => fileName(text)).toThrow(DomainError);
    }
    expect(fileName("x".repeat(251)).length).toBe(255);
  });

  test("is made of the title when there is none", () => {
    const titles = ["Offer 17", "a/b\\c", "..", "", "Line\nbreak", "x".repeat(300)];
    expect(titles.map((title) => fileName("", title))).toEqual([
      "Offer 17.pdf",
      "a-b-c.pdf",
      "document.pdf",
      "document.pdf",
      "Line-break.pdf",
      `${"x".repeat(200)}.pdf`,
    ]);
  });
});

test("a time zone is one of IANA", () => {
  expect(["", "Europe/Berlin", "UTC", "Asia/Kolkata"].map((name) => parseTimeZone("timeZone", name))).toEqual([
    ...["UTC", "Europe/Berlin", "UTC", "Asia/Kolkata"],
  ]);
  for (const name of ["Mars/Olympus", "+02:00", "-5", " "]) expect(() => parseTimeZone("timeZone", name)).toThrow();
});

test("metadata are texts", () => {
  expect(["", "{}", '{"a":"b"}'].map((text) => parseMetadata("metadata", text))).toEqual([null, {}, { a: "b" }]);
  for (const text of ["[]", "null", '{"a":1}', '{"a":{"b":"c"}}', "{"]) {
    expect(() => parseMetadata("metadata", text)).toThrow(DomainError);
  }
});
