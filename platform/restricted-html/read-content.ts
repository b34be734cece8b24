import { pdfTextToHtml, readPdfText } from "../pdf-text.ts";
import { reportUnsafeCharacters, reportUnsafeReferences } from "./elements.ts";
import type { HtmlFinding, HtmlFindingCode, LocatedHtmlFinding } from "./findings.ts";
import { createFindingList, type FindingList, locateFindings } from "./findings.ts";
import { type ConvertedMarkdown, convertMarkdown } from "./markdown.ts";
import { type Outline, outlineOf, textOf } from "./outline.ts";
import { maxHtmlFindings, parseRestrictedHtml } from "./parse.ts";
import { plainTextToHtml } from "./serialize.ts";
import { textAsWritten, type VisibleText, visibleTextOf } from "./text.ts";
import type { SourceRange } from "./tree.ts";

/** How a text for people is written. */
export type ContentFormat = "HTML" | "MARKDOWN" | "TEXT" | "PDF";

export interface ReadContent {
  /** At most `maxHtmlFindings` of each severity; places are those of the content as it was given. */
  readonly findings: readonly LocatedHtmlFinding[];
  /** Everything in the content that is markup and not text; only known of HTML. */
  readonly markup: readonly SourceRange[];
  /** Absent when there is an error: then there is nothing that may be shown. */
  readonly shown?: ShownContent;
}

export interface ShownContent {
  /** Safe to be shown; of HTML the content itself. */
  readonly html: string;
  readonly text: VisibleText;
  readonly isBlank: boolean;
  readonly outline: Outline;
}

/**
 * Reads a text for people: checks it by the rules of restricted HTML and tells what is shown of it. Refuses, never
 * repairs. HTML and plain text take linear time, about 0.3 s for 1 MiB; Markdown can take quadratic time. What may be
 * large or hostile belongs into a worker.
 */
export function readContent(format: ContentFormat, content: string): ReadContent {
  switch (format) {
    case "HTML":
      return readHtml(content);
    case "MARKDOWN":
      return readMarkdown(content);
    case "TEXT":
      return readPlainText(content);
    case "PDF":
      return readPdf(content);
  }
}

function readHtml(content: string): ReadContent {
  const { findings, markup, tree } = parseRestrictedHtml(content);
  if (tree === undefined) return { findings, markup };
  const text = visibleTextOf(tree);
  const shown = { html: content, text, isBlank: isBlank(text.text), outline: outlineOf(tree) };
  return { findings, markup, shown };
}

function readPlainText(content: string): ReadContent {
  const list = createFindingList<HtmlFindingCode>(maxHtmlFindings);
  reportUnsafeCharacters(content, maxHtmlFindings, list.add);
  const findings = locateFindings(content, list.all());
  if (list.hasErrors()) return { findings, markup: [] };
  const outline = { headings: [], links: [], languages: [] };
  const shown = {
    html: plainTextToHtml(content),
    text: textAsWritten(content),
    isBlank: isBlank(content),
    outline,
  };
  return { findings, markup: [], shown };
}

/** The content names a file; what is read here is what the file says. */
function readPdf(content: string): ReadContent {
  const pdf = readPdfText(content);
  if (pdf === undefined) {
    const message = "The content is not that of a PDF which was uploaded.";
    const finding = { code: "MALFORMED_PDF", severity: "ERROR", message, ...whole } as const;
    return { findings: locateFindings(content, [finding]), markup: [] };
  }
  const html = pdfTextToHtml(pdf);
  const { findings, tree } = parseRestrictedHtml(html);
  if (tree === undefined) return { findings: findings.map((one) => ({ ...one, ...start })), markup: [] };
  const text = pdf.pages.flatMap((page) => page.text).join("\n");
  const outline = { headings: [], links: [], languages: [] };
  return { findings: [], markup: [], shown: { html, text: textAsWritten(text), isBlank: isBlank(text), outline } };
}

/** Places in the file cannot be named. */
const start = { offset: 0, length: 0, line: 1, column: 1 };

function readMarkdown(content: string): ReadContent {
  const list = createFindingList<HtmlFindingCode>(maxHtmlFindings);
  reportUnsafeCharacters(content, maxHtmlFindings, list.add);
  const converted = convertMarkdown(content, list.add);
  const parsed = parseRestrictedHtml(converted.html);
  reportOnSource(parsed.findings, { content, converted }, list);
  const findings = locateFindings(content, list.all());
  if (list.hasErrors() || parsed.tree === undefined) return { findings, markup: [] };
  const outline = outlineOf(parsed.tree);
  const shown = {
    html: converted.html,
    text: textAsWritten(content),
    isBlank: isBlank(textOf(parsed.tree)),
    outline: {
      headings: outline.headings.map((heading, index) => ({ ...heading, source: converted.headings[index] ?? whole })),
      links: outline.links.map((link, index) => ({ ...link, source: converted.links[index] ?? whole })),
      languages: [],
    },
  };
  return { findings, markup: [], shown };
}

const whole: SourceRange = { offset: 0, length: 0 };

/** Findings about the HTML that Markdown became, told where their reasons stand in the Markdown. */
function reportOnSource(
  findings: readonly LocatedHtmlFinding[],
  { content, converted }: { readonly content: string; readonly converted: ConvertedMarkdown },
  list: FindingList<HtmlFindingCode>,
): void {
  const at = ({ code, severity, message, name }: LocatedHtmlFinding, { offset, length }: SourceRange): HtmlFinding => ({
    ...{ code, severity, message, offset, length },
    ...(name === undefined ? {} : { name }),
  });
  // Then the reason is known already, and with its place.
  const isExplained = list.hasErrors();
  for (const finding of findings) {
    if (finding.code === "CONTROL_CHARACTER" || (finding.code === "MALFORMED_HTML" && isExplained)) continue;
    list.add(at(finding, placeInMarkdown(finding, converted)));
  }
  const control = findings.find((finding) => finding.code === "CONTROL_CHARACTER");
  if (control === undefined) return;
  // Those that the source has as they are were told already; character references can bring others.
  reportUnsafeReferences(content, { offset: 0, length: content.length }, list.add);
  if (!list.hasErrors()) list.add(at(control, whole));
}

/** All text of the HTML is escaped, so `<a ` is nothing else than a link. */
export function placeInMarkdown(
  { name, offset }: LocatedHtmlFinding,
  { html, links, images }: ConvertedMarkdown,
): SourceRange {
  const countBefore = (tag: string) => html.slice(0, offset).split(tag).length - 1;
  if (name === "href") return links[countBefore("<a ") - 1] ?? whole;
  if (name === "src") return images[countBefore("<img ") - 1] ?? whole;
  return whole;
}

const isBlank = (text: string): boolean => /^[\p{White_Space}\p{Default_Ignorable_Code_Point}]*$/u.test(text);

/** Thrown for a content that must not be shown. Whoever stores content checks it before, so this is a defect. */
export class UnsafeContentError extends Error {
  readonly findings: readonly LocatedHtmlFinding[];

  constructor(findings: readonly LocatedHtmlFinding[]) {
    const [first] = findings;
    super(`the content must not be shown: ${first?.message ?? "it has errors"} (line ${first?.line ?? 1})`);
    this.name = "UnsafeContentError";
    this.findings = findings;
  }
}

/**
 * The HTML that a content is shown as: of HTML its very bytes, of Markdown and plain text what they mean. It can stand
 * in any element that takes blocks: it loads nothing, runs nothing and does not reach beyond its end. Merge fields stay
 * as they are. Throws an UnsafeContentError when the content breaks a rule. See readContent for the time it takes.
 */
export function contentToHtml(format: ContentFormat, content: string): string {
  const { findings, shown } = readContent(format, content);
  if (shown === undefined) throw new UnsafeContentError(findings.filter((finding) => finding.severity === "ERROR"));
  return shown.html;
}
