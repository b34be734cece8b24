import type { ReportHtml } from "./html-finding.ts";

/**
 * Violations after which browsers drop or reinterpret something that stands in the source. They are errors; the others
 * change nothing of what is shown.
 */
const errors = new Map([
  ["duplicate-attribute", "The attribute is there twice; browsers drop the second one."],
  ["end-tag-with-attributes", "An end tag has attributes, which browsers drop."],
  ["end-tag-with-trailing-solidus", "An end tag ends with />."],
  ["eof-in-tag", "The text ends within a tag, which browsers drop."],
  ["missing-end-tag-name", "</> is dropped by browsers."],
]);

/** Told in another way already: as comment, doctype, character, or forbidden element. */
const toldElsewhere =
  /comment|cdata|doctype|question-mark|control-character|null-character|surrogate|noncharacter|eof-in-script/;

/** Reports a violation of the syntax by its name in the HTML standard. */
export function reportSyntaxError(name: string, offset: number, report: ReportHtml): void {
  const error = errors.get(name);
  if (error !== undefined) {
    report({ code: "MALFORMED_HTML", severity: "ERROR", offset, length: 1, message: error });
  } else if (!toldElsewhere.test(name)) {
    const message = `The HTML is not correct here: ${name.replaceAll("-", " ")}.`;
    report({ code: "MALFORMED_HTML", severity: "WARNING", offset, length: 1, message });
  }
}
