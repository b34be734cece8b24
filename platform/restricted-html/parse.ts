import { checkTag } from "./check-tag.ts";
import { voidElements } from "./elements.ts";
import { createFindingList, locateFindings, quotable } from "./findings.ts";
import type { HtmlFinding, LocatedHtmlFinding, ReportHtml } from "./html-finding.ts";
import { createNesting } from "./nesting.ts";
import { documentRules, type HtmlRules } from "./rules.ts";
import { findDifference } from "./standard-tree.ts";
import { reportSyntaxError } from "./syntax-errors.ts";
import { readTokens } from "./tokens.ts";
import type { HtmlNode, SourceRange } from "./tree.ts";
import { isUnsafeWhenDecoded, reportUnsafeCharacters, reportUnsafeReferences } from "./unsafe-text.ts";

export interface ParsedHtml {
  /** At most `maxHtmlFindings` of each severity, in the order of the source. */
  readonly findings: readonly LocatedHtmlFinding[];
  /** Everything in the source that is not text, in its order. */
  readonly markup: readonly SourceRange[];
  /** Exactly the tree that browsers make of the source. Absent when there is an error. */
  readonly tree?: readonly HtmlNode[];
}

/** One more than anybody wants to see, so that it shows that there are more. */
export const maxHtmlFindings = 101;

/**
 * Checks HTML that will be shown as it is. Refuses, never repairs: when there is no error, the source has nothing but
 * what the rules allow, browsers make of it exactly the tree that its tags show, and it changes nothing of the page
 * around it. Takes linear time whatever the source is: about 0.2 s for 1 MiB, so large sources belong into a worker.
 */
export function parseRestrictedHtml(source: string, rules: HtmlRules = documentRules): ParsedHtml {
  const list = createFindingList<HtmlFinding["code"]>(maxHtmlFindings);
  const { nodes, markup } = readNodes(source, rules, list.add);
  if (!list.hasErrors()) {
    // Only now: what is nested strictly and not deeply cannot make the building of the tree expensive.
    const difference = findDifference(source, nodes);
    if (difference !== undefined) list.add(misunderstood(difference));
  }
  const findings = locateFindings(source, list.all());
  return list.hasErrors() ? { findings, markup } : { findings, markup, tree: nodes };
}

function readNodes(source: string, rules: HtmlRules, report: ReportHtml): { nodes: HtmlNode[]; markup: SourceRange[] } {
  const markup: SourceRange[] = [];
  const nesting = createNesting(rules, report);
  // Forbidden elements are told once, at their start tag, and are otherwise as if they were not there.
  const forbidden = new Map<string, number>();
  reportUnsafeCharacters(source, maxHtmlFindings, report);
  readTokens(source, {
    startTag: (tag) => {
      markup.push(tag.source);
      if (checkTag(tag, rules, report)) nesting.open(tag);
      else if (!voidElements.has(tag.name)) forbidden.set(tag.name, (forbidden.get(tag.name) ?? 0) + 1);
    },
    endTag: (name, range) => {
      markup.push(range);
      const open = forbidden.get(name) ?? 0;
      if (open > 0) forbidden.set(name, open - 1);
      else if (Object.hasOwn(rules.elements, name)) nesting.close(name, range);
      else report(forbiddenEndTag(name, range));
    },
    text: (text, range) => {
      if (isUnsafeWhenDecoded(text)) reportUnsafeReferences(source, range, report);
      nesting.text(text, range);
    },
    comment: (range) => {
      markup.push(range);
      if (rules.comments === true && source.startsWith("<!--", range.offset)) return nesting.comment();
      report({ code: "COMMENT_FORBIDDEN", severity: "ERROR", ...range, message: commentMessage });
    },
    doctype: (range) => {
      markup.push(range);
      const message = "A doctype is not allowed: the text is a part of a page.";
      report({ code: "ELEMENT_FORBIDDEN", severity: "ERROR", ...range, name: "!doctype", message });
    },
    syntaxError: (name, offset) => reportSyntaxError(name, Math.min(offset, source.length - 1), report),
  });
  return { nodes: nesting.finish(), markup };
}

const commentMessage = "Comments, CDATA sections and processing instructions are not allowed: nobody sees them.";

const forbiddenEndTag = (name: string, range: SourceRange): HtmlFinding => ({
  code: "ELEMENT_FORBIDDEN",
  severity: "ERROR",
  ...range,
  name: quotable(name),
  message: `The element <${quotable(name)}> is not allowed.`,
});

const misunderstood = (range: SourceRange): HtmlFinding => ({
  code: "MALFORMED_HTML",
  severity: "ERROR",
  ...range,
  message: "Browsers nest the elements here in another way than the text does. Check which elements may stand where.",
});
