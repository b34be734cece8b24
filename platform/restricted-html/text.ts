import type { HtmlNode, SourceRange } from "./tree.ts";

/**
 * A character that no text for people may have: control characters other than tab, line feed and carriage return;
 * bidirectional overrides and isolates, which can show a text in another order than the one that is stored
 * (https://trojansource.codes); halves of surrogate pairs. With the flag g.
 */
export const unsafeCharacter = /[[\p{Cc}--[\t\n\r]]\u202a-\u202e\u2066-\u2069\p{Surrogate}]/gv;

/** True when the text has one of them. */
export const hasUnsafeCharacter = (text: string): boolean => text.search(unsafeCharacter) !== -1;

/** What a reader reads, with the way back to where it stands in the source. */
export interface VisibleText {
  readonly text: string;
  /** Where a part of the text stands in the source; exact up to the lengths of character references before it. */
  sourceOf(start: number, end: number): SourceRange;
}

/** A source that is its own visible text, more or less: Markdown and plain text. */
export const textAsWritten = (source: string): VisibleText => ({
  text: source,
  sourceOf: (start, end) => ({ offset: start, length: end - start }),
});

/** The text of a tree; blocks are separated by line feeds. */
export function visibleTextOf(tree: readonly HtmlNode[]): VisibleText {
  const parts: string[] = [];
  const pieces: Piece[] = [];
  let length = 0;
  const add = (text: string): void => {
    parts.push(text);
    length += text.length;
  };
  const visit = (nodes: readonly HtmlNode[]): void => {
    for (const node of nodes) {
      if (node.kind === "text") {
        pieces.push({ start: length, source: node.source });
        add(node.text);
      } else {
        const isBlock = !inlineElements.has(node.name);
        if (isBlock) add("\n");
        visit(node.children);
        if (isBlock) add("\n");
      }
    }
  };
  visit(tree);
  return { text: parts.join(""), sourceOf: (start, end) => sourceOf(pieces, start, end) };
}

/** A text of the source and where it begins in the visible text. */
interface Piece {
  readonly start: number;
  readonly source: SourceRange;
}

const inlineElements = new Set(
  `a abbr b bdi cite code del dfn em i ins kbd mark q rp rt ruby s samp small span strong sub sup time u var
  wbr`.split(/\s+/),
);

function sourceOf(pieces: readonly Piece[], start: number, end: number): SourceRange {
  const offset = sourceOffset(pieces, start);
  return { offset, length: Math.max(0, sourceOffset(pieces, end - 1) + 1 - offset) };
}

function sourceOffset(pieces: readonly Piece[], position: number): number {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pieces[middle]?.start ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  const piece = pieces[low - 1];
  if (piece === undefined) return 0;
  return piece.source.offset + Math.min(position - piece.start, piece.source.length);
}
