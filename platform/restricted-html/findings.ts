import { unsafeCharacter } from "./text.ts";
import type { SourceRange } from "./tree.ts";

/** An ERROR means that the text must not be shown; a WARNING that its author should look at it. */
export type Severity = "ERROR" | "WARNING";

/** Something about a text, at a place in it. */
export interface Finding<Code extends string = string> extends SourceRange {
  readonly code: Code;
  readonly severity: Severity;
  /** A sentence for the author. Quotes at most a few characters of the text, none of them unsafe. */
  readonly message: string;
  /** The element or attribute that it is about, made quotable. */
  readonly name?: string;
}

/** A finding as it is shown to people. */
export interface LocatedFinding<Code extends string = string> extends Finding<Code> {
  /** 1-based; lines end with CR LF, LF or CR. */
  readonly line: number;
  /** 1-based, in UTF-16 code units. */
  readonly column: number;
  /** The text at that place: at most 80 characters, unsafe ones replaced by U+FFFD. */
  readonly snippet: string;
}

/** Keeps the first findings of each severity: a hostile text could have a million of them. */
export interface FindingList<Code extends string = string> {
  add(finding: Finding<Code>): void;
  hasErrors(): boolean;
  /** In the order of adding. */
  all(): Finding<Code>[];
}

/** A list that keeps at most `limit` errors and `limit` warnings. */
export function createFindingList<Code extends string = string>(limit: number): FindingList<Code> {
  const kept: Finding<Code>[] = [];
  const counts = { ERROR: 0, WARNING: 0 };
  return {
    add: (finding) => {
      counts[finding.severity] += 1;
      if (counts[finding.severity] <= limit) kept.push(finding);
    },
    hasErrors: () => counts.ERROR > 0,
    all: () => [...kept],
  };
}

/** Adds line, column and snippet, and puts the findings into the order of the text. Linear in the text. */
export function locateFindings<Code extends string>(
  source: string,
  findings: readonly Finding<Code>[],
): LocatedFinding<Code>[] {
  const inOrder = [...findings].sort((a, b) => a.offset - b.offset);
  let line = 1;
  let lineStart = 0;
  let position = 0;
  return inOrder.map((finding) => {
    for (; position < finding.offset; position += 1) {
      if (!endsLine(source, position)) continue;
      line += 1;
      lineStart = position + 1;
    }
    return { ...finding, line, column: finding.offset - lineStart + 1, snippet: snippetOf(source, finding) };
  });
}

/** A name of the source as findings and their messages have it: at most 40 characters, none of them unsafe. */
export const quotable = (name: string): string => snippetOf(name, { offset: 0, length: Math.min(name.length, 40) });

function endsLine(source: string, position: number): boolean {
  const code = source.charCodeAt(position);
  return code === 0x0a || (code === 0x0d && source.charCodeAt(position + 1) !== 0x0a);
}

const maxSnippet = 80;

const snippetOf = (source: string, { offset, length }: SourceRange): string =>
  source
    .slice(offset, offset + Math.min(length, maxSnippet))
    .toWellFormed()
    .replaceAll(unsafeCharacter, "\ufffd");

/** What can be wrong with HTML that has to be restricted. */
export type HtmlFindingCode =
  | "CONTROL_CHARACTER"
  | "ELEMENT_FORBIDDEN"
  | "ATTRIBUTE_FORBIDDEN"
  | "URL_FORBIDDEN"
  | "REMOTE_RESOURCE"
  | "COMMENT_FORBIDDEN"
  | "MALFORMED_HTML"
  | "MALFORMED_PDF";

export type HtmlFinding = Finding<HtmlFindingCode>;
export type LocatedHtmlFinding = LocatedFinding<HtmlFindingCode>;

/** Takes one finding. */
export type ReportHtml = (finding: HtmlFinding) => void;
