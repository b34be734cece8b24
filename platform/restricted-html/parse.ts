import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html, parseFragment } from "parse5";
import { checkTag } from "./check-tag.ts";
import {
  elementsThatEndThemselves,
  endedByStartTag,
  impliedInTable,
  isUnsafeWhenDecoded,
  reportUnsafeCharacters,
  reportUnsafeReferences,
  voidElements,
} from "./elements.ts";
import {
  createFindingList,
  type HtmlFinding,
  type LocatedHtmlFinding,
  locateFindings,
  quotable,
  type ReportHtml,
  type Severity,
} from "./findings.ts";
import { documentRules, type HtmlRules } from "./rules.ts";
import { readTokens, type StartTag } from "./tokens.ts";
import type { HtmlElement, HtmlNode, HtmlText, SourceRange } from "./tree.ts";

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

const commentMessage = "Comments, CDATA sections and processing instructions are not allowed: no one sees them.";

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
  message: "Browsers would nest these elements differently. Check which elements may contain which.",
});

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
function reportSyntaxError(name: string, offset: number, report: ReportHtml): void {
  const error = errors.get(name);
  if (error !== undefined) {
    report({ code: "MALFORMED_HTML", severity: "ERROR", offset, length: 1, message: error });
  } else if (!toldElsewhere.test(name)) {
    const message = `The HTML is not correct here: ${name.replaceAll("-", " ")}.`;
    report({ code: "MALFORMED_HTML", severity: "WARNING", offset, length: 1, message });
  }
}

/**
 * Builds the tree of the source as browsers do, inside of an element and with something after it, and compares. Returns
 * the first place where it differs from `nodes`, or where the text would reach beyond its end; undefined when the tree
 * is the same.
 */
function findDifference(source: string, nodes: readonly HtmlNode[]): SourceRange | undefined {
  const body = defaultTreeAdapter.createElement("body", html.NS.HTML, []);
  const fragment = parseFragment(body, `<div>${source}</div><hr>`, {});
  const [frame, after, ...rest] = fragment.childNodes;
  const end = { offset: source.length, length: 0 };
  if (frame?.nodeName !== "div" || !("childNodes" in frame)) return end;
  const difference = differenceOfLists(frame.childNodes, nodes, end);
  if (difference !== undefined) return difference;
  const isIntact = after?.nodeName === "hr" && rest.length === 0;
  return isIntact ? undefined : end;
}

type StandardNode = DefaultTreeAdapterTypes.ChildNode;

function differenceOfLists(
  standard: readonly StandardNode[],
  nodes: readonly HtmlNode[],
  end: SourceRange,
): SourceRange | undefined {
  const others = withoutComments(standard);
  for (const [index, node] of nodes.entries()) {
    const other = others[index];
    const difference = other === undefined ? node.source : differenceOfNodes(other, node);
    if (difference !== undefined) return difference;
  }
  return others.length > nodes.length ? (nodes.at(-1)?.source ?? end) : undefined;
}

/** Texts that only a comment separates are one text. Where comments are forbidden there are none by now. */
function withoutComments(nodes: readonly StandardNode[]): readonly StandardNode[] {
  if (!nodes.some((node) => node.nodeName === "#comment")) return nodes;
  const merged: StandardNode[] = [];
  for (const node of nodes) {
    const last = merged.at(-1);
    if (node.nodeName === "#comment") continue;
    if ("value" in node && last !== undefined && "value" in last) {
      merged[merged.length - 1] = { ...last, value: last.value + node.value };
    } else merged.push(node);
  }
  return merged;
}

function differenceOfNodes(standard: StandardNode, node: HtmlNode): SourceRange | undefined {
  if (node.kind === "text") {
    return "value" in standard && standard.nodeName === "#text" && standard.value === node.text
      ? undefined
      : node.source;
  }
  if (!("tagName" in standard) || !isSameElement(standard, node)) return node.source;
  return differenceOfLists(standard.childNodes, node.children, node.source);
}

const isSameElement = (standard: DefaultTreeAdapterTypes.Element, element: HtmlElement): boolean =>
  standard.tagName === element.name &&
  standard.namespaceURI === html.NS.HTML &&
  standard.attrs.length === element.attributes.length &&
  standard.attrs.every((attribute, index) => {
    const other = element.attributes[index];
    return attribute.name === other?.name && attribute.value === other.value;
  });

/** Takes the tags and the text of a source in their order and nests them as they are written. */
interface Nesting {
  open(tag: StartTag): void;
  close(name: string, source: SourceRange): void;
  text(text: string, source: SourceRange): void;
  comment(): void;
  /** The outermost nodes; everything that is still open ends here. */
  finish(): HtmlNode[];
}

/**
 * Nests strictly: an end tag ends the innermost element, apart from elements that may end without one. Everything else
 * is an error, because browsers repair it in ways that the source does not show, some of which reach beyond the text:
 * an open link goes on in the page that the text is shown in.
 */
function createNesting(rules: NestingRules, report: ReportHtml): Nesting {
  const { maxDepth, endTags = false } = rules;
  const state: State = { maxDepth, endTags, report, roots: [], stack: [], beyondDepth: 0, isRightAfterPre: false };
  return {
    open: (tag) => {
      state.isRightAfterPre = tag.name === "pre";
      if (state.beyondDepth > 0 || state.stack.length >= maxDepth) refuseDepth(state, tag);
      else open(state, tag);
    },
    close: (name, source) => {
      state.isRightAfterPre = false;
      if (state.beyondDepth > 0) state.beyondDepth -= 1;
      else close(state, name, source);
    },
    text: (text, source) => {
      // Browsers drop one line feed right after <pre>.
      const shown = state.isRightAfterPre && text.startsWith("\n") ? text.slice(1) : text;
      state.isRightAfterPre = false;
      if (shown !== "") addText(siblings(state), { kind: "text", text: shown, source });
    },
    comment: () => {
      state.isRightAfterPre = false;
    },
    finish: () => {
      while (state.stack.length > 0) endWithoutTag(state, "at the end of the text");
      return state.roots;
    },
  };
}

type NestingRules = Pick<HtmlRules, "maxDepth" | "endTags">;

interface OpenElement extends HtmlElement {
  readonly children: HtmlNode[];
}

interface State extends Required<NestingRules> {
  readonly report: ReportHtml;
  readonly roots: HtmlNode[];
  /** The elements that are open, the innermost last. */
  readonly stack: OpenElement[];
  /** How many elements are open that nest too deeply. */
  beyondDepth: number;
  isRightAfterPre: boolean;
}

const siblings = ({ stack, roots }: State): HtmlNode[] => stack.at(-1)?.children ?? roots;
const innermost = ({ stack }: State): string => stack.at(-1)?.name ?? "";

function open(state: State, tag: StartTag): void {
  const { name, source } = tag;
  for (const group of endedByStartTag.get(name) ?? []) {
    if (group.has(innermost(state))) endWithoutTag(state, `where <${name}> begins`);
  }
  const implied = innermost(state) === "table" ? impliedInTable.get(name) : undefined;
  if (implied !== undefined) push(state, element(implied, [], { offset: source.offset, length: 0 }));
  const opened = element(name, tag.attributes, source);
  if (voidElements.has(name)) {
    siblings(state).push(opened);
    return;
  }
  if (tag.selfClosing) {
    const message = `<${name}/> does not end the element. Write <${name}></${name}>.`;
    state.report(malformed("ERROR", source, name, message));
  }
  push(state, opened);
}

function close(state: State, name: string, source: SourceRange): void {
  if (state.stack.some((open) => open.name === name)) {
    while (innermost(state) !== name) endWithoutTag(state, `where </${name}> stands`);
    state.stack.pop();
  } else {
    const message = `The end tag </${name}> ends nothing in the text, but perhaps something around it.`;
    state.report(malformed("ERROR", source, name, message));
  }
}

/** Comments between two texts are not in the tree. */
function addText(nodes: HtmlNode[], added: HtmlText): void {
  const last = nodes.at(-1);
  if (last?.kind !== "text") {
    nodes.push(added);
    return;
  }
  const length = added.source.offset + added.source.length - last.source.offset;
  nodes[nodes.length - 1] = { ...last, text: last.text + added.text, source: { offset: last.source.offset, length } };
}

function endWithoutTag({ stack, report, endTags }: State, where: string): void {
  const ended = stack.pop();
  // What the source does not open it need not end.
  if (ended === undefined || ended.source.length === 0) return;
  const { name, source } = ended;
  report(
    elementsThatEndThemselves.has(name) && !endTags
      ? malformed("WARNING", source, name, `The element <${name}> has no end tag; it ends ${where}.`)
      : malformed("ERROR", source, name, `The element <${name}> is still open ${where}. Close it before.`),
  );
}

function refuseDepth(state: State, { name, source }: StartTag): void {
  state.report(malformed("ERROR", source, name, `Elements are nested more than ${state.maxDepth} deep.`));
  if (!voidElements.has(name)) state.beyondDepth += 1;
}

function push(state: State, opened: OpenElement): void {
  siblings(state).push(opened);
  state.stack.push(opened);
}

const element = (name: string, attributes: StartTag["attributes"], source: SourceRange): OpenElement => ({
  kind: "element",
  name,
  attributes: attributes.map((attribute) => ({ name: attribute.name, value: attribute.value })),
  children: [],
  source,
});

const malformed = (
  severity: Severity,
  { offset, length }: SourceRange,
  name: string,
  message: string,
): HtmlFinding => ({
  code: "MALFORMED_HTML",
  severity,
  offset,
  length,
  name,
  message,
});
