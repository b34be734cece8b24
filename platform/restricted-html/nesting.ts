import { elementsThatEndThemselves, endedByStartTag, impliedInTable, voidElements } from "./elements.ts";
import { quotable } from "./findings.ts";
import type { ReportHtml } from "./html-finding.ts";
import type { StartTag } from "./tokens.ts";
import type { HtmlElement, HtmlNode, SourceRange } from "./tree.ts";

/** Takes the tags and the text of a source in their order and nests them as they are written. */
export interface Nesting {
  open(tag: StartTag): void;
  close(name: string, source: SourceRange): void;
  text(text: string, source: SourceRange): void;
  /** The outermost nodes; everything that is still open ends here. */
  finish(): HtmlNode[];
}

interface OpenElement extends HtmlElement {
  readonly children: HtmlNode[];
}

/**
 * Nests strictly: an end tag ends the innermost element, apart from elements that may end without one. Everything else
 * is an error, because browsers repair it in ways that the source does not show, some of which reach beyond the text:
 * an open link goes on in the page that the text is shown in.
 */
export function createNesting(maxDepth: number, report: ReportHtml): Nesting {
  const roots: HtmlNode[] = [];
  const stack: OpenElement[] = [];
  let beyondDepth = 0;
  let isRightAfterPre = false;
  const siblings = () => stack.at(-1)?.children ?? roots;
  const innermost = () => stack.at(-1)?.name ?? "";

  const malformed = (severity: "ERROR" | "WARNING", { offset, length }: SourceRange, name: string, message: string) =>
    report({ code: "MALFORMED_HTML", severity, offset, length, name, message });

  const push = (element: OpenElement): void => {
    siblings().push(element);
    stack.push(element);
  };

  const endWithoutTag = (where: string): void => {
    const element = stack.pop();
    if (element === undefined || element.source.length === 0) return;
    const { name, source } = element;
    if (elementsThatEndThemselves.has(name)) {
      malformed("WARNING", source, name, `The element <${name}> has no end tag; it ends ${where}.`);
    } else {
      malformed("ERROR", source, name, `The element <${name}> is still open ${where}. Close it before.`);
    }
  };

  const open = (tag: StartTag): void => {
    const { name, source } = tag;
    const isVoid = voidElements.has(name);
    isRightAfterPre = name === "pre";
    if (beyondDepth > 0 || stack.length >= maxDepth) {
      malformed("ERROR", source, name, `Elements are nested more than ${maxDepth} deep.`);
      if (!isVoid) beyondDepth += 1;
      return;
    }
    for (const group of endedByStartTag.get(name) ?? []) {
      if (group.has(innermost())) endWithoutTag(`where <${name}> begins`);
    }
    const implied = innermost() === "table" ? impliedInTable.get(name) : undefined;
    if (implied !== undefined) push(element(implied, [], { offset: source.offset, length: 0 }));
    const opened = element(name, tag.attributes, source);
    if (isVoid) {
      siblings().push(opened);
      return;
    }
    if (tag.selfClosing) {
      malformed("ERROR", source, name, `<${name}/> does not end the element. Write <${name}></${name}>.`);
    }
    push(opened);
  };

  const close = (name: string, source: SourceRange): void => {
    isRightAfterPre = false;
    if (beyondDepth > 0) {
      beyondDepth -= 1;
      return;
    }
    if (!stack.some((open) => open.name === name)) {
      const message = `The end tag </${quotable(name)}> ends nothing in the text, but perhaps something around it.`;
      malformed("ERROR", source, name, message);
      return;
    }
    while (innermost() !== name) endWithoutTag(`where </${name}> stands`);
    stack.pop();
  };

  const text = (text: string, source: SourceRange): void => {
    // Browsers drop one line feed right after <pre>.
    const shown = isRightAfterPre && text.startsWith("\n") ? text.slice(1) : text;
    isRightAfterPre = false;
    if (shown !== "") siblings().push({ kind: "text", text: shown, source });
  };

  const finish = (): HtmlNode[] => {
    while (stack.length > 0) endWithoutTag("at the end of the text");
    return roots;
  };

  return { open, close, text, finish };
}

const element = (name: string, attributes: StartTag["attributes"], source: SourceRange): OpenElement => ({
  kind: "element",
  name,
  attributes: attributes.map((attribute) => ({ name: attribute.name, value: attribute.value })),
  children: [],
  source,
});
