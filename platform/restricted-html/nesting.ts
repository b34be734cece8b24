import { elementsThatEndThemselves, endedByStartTag, impliedInTable, voidElements } from "./elements.ts";
import type { HtmlFinding, ReportHtml, Severity } from "./findings.ts";
import type { HtmlRules } from "./rules.ts";
import type { StartTag } from "./tokens.ts";
import type { HtmlElement, HtmlNode, HtmlText, SourceRange } from "./tree.ts";

/** Takes the tags and the text of a source in their order and nests them as they are written. */
export interface Nesting {
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
export function createNesting(rules: NestingRules, report: ReportHtml): Nesting {
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

export type NestingRules = Pick<HtmlRules, "maxDepth" | "endTags">;

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
