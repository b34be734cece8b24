import { type TopLevelToken, TypeGuards } from "liquidjs";

/**
 * Takes lines that have nothing but tags out of a Markdown template, so that a loop around the rows of a table or the
 * items of a list does not put blank lines between them. Linear.
 */
export function trimTagLines(tokens: readonly TopLevelToken[]): void {
  for (let index = 0; index < tokens.length; index += 1) {
    if (!TypeGuards.isTagToken(tokens[index])) continue;
    const first = index;
    while (isOnLineBetweenTags(tokens, index)) index += 1;
    trimAround(tokens, first - 1, index + 1);
  }
}

/** True while another tag follows on the same line. */
function isOnLineBetweenTags(tokens: readonly TopLevelToken[], index: number): boolean {
  const next = tokens[index + 1];
  if (TypeGuards.isTagToken(next)) return true;
  return TypeGuards.isHTMLToken(next) && /^[ \t]*$/.test(next.getText()) && TypeGuards.isTagToken(tokens[index + 2]);
}

function trimAround(tokens: readonly TopLevelToken[], indexBefore: number, indexAfter: number): void {
  const [before, after] = [tokens[indexBefore], tokens[indexAfter]];
  const indent = before === undefined ? "" : blanksAtEnd(before, indexBefore === 0);
  const rest = after === undefined ? "" : blanksAtStart(after, indexAfter === tokens.length - 1);
  if (indent === undefined || rest === undefined) return;
  if (TypeGuards.isHTMLToken(before)) before.trimRight = Math.max(before.trimRight, indent.length);
  if (TypeGuards.isHTMLToken(after)) after.trimLeft = Math.max(after.trimLeft, rest.length);
}

/** The blanks that the last line of a text is; undefined when it has something else, or other things come before it. */
function blanksAtEnd(token: TopLevelToken, isFirst: boolean): string | undefined {
  if (!TypeGuards.isHTMLToken(token)) return undefined;
  const text = token.getText();
  let start = text.length;
  while (start > 0 && (text[start - 1] === " " || text[start - 1] === "\t")) start -= 1;
  const isLineStart = start === 0 ? isFirst : text[start - 1] === "\n" || text[start - 1] === "\r";
  return isLineStart ? text.slice(start) : undefined;
}

/** The same of the first line, with its end. */
function blanksAtStart(token: TopLevelToken, isLast: boolean): string | undefined {
  if (!TypeGuards.isHTMLToken(token)) return undefined;
  const text = token.getText();
  const line = /^[ \t]*(?:\r\n|\n|\r)/.exec(text)?.[0];
  return line ?? (isLast && /^[ \t]*$/.test(text) ? text : undefined);
}
