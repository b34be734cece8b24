import { TypeGuards } from "liquidjs";
import type { Boundary } from "./liquid-structure.ts";
import type { OutputMarks } from "./outputs.ts";
import type { LiquidTemplate } from "./read-liquid.ts";

/** The markup of a template with all branches and no tags: what its author sees between them. */
export interface FlatTemplate {
  readonly text: string;
  /** Where its outputs stand in the template. */
  readonly outputs: readonly number[];
  /** Where branches begin and end in the text. */
  readonly boundaries: readonly FlatBoundary[];
  /** The place in the template of a place in the text. */
  sourceOf(offset: number): number;
}

export interface FlatBoundary extends Boundary {
  readonly offset: number;
}

/** Leaves the tags out, or puts something in their place, and marks where the outputs are. */
export function flattenTemplate(
  { tokens, boundaries, commented }: LiquidTemplate,
  marks: OutputMarks,
  inPlaceOfTags = "",
): FlatTemplate {
  const parts: string[] = [];
  const pieces: Piece[] = [];
  const outputs: number[] = [];
  const placeOfTag = new Map<unknown, number>();
  let length = 0;
  const add = (text: string, source: number, isText: boolean): void => {
    parts.push(text);
    pieces.push({ start: length, source, length: isText ? text.length : 0 });
    length += text.length;
  };
  for (const token of tokens) {
    const { begin } = token;
    if (commented.has(token)) continue;
    if (TypeGuards.isHTMLToken(token)) add(token.getContent(), token.begin + token.trimLeft, true);
    else if (TypeGuards.isOutputToken(token)) {
      add(marks.of(outputs.length), token.begin, false);
      outputs.push(token.begin);
    } else {
      placeOfTag.set(token, length);
      add(inPlaceOfTags, begin, false);
    }
  }
  return {
    text: parts.join(""),
    outputs,
    boundaries: boundaries.map((boundary) => ({ ...boundary, offset: placeOfTag.get(boundary.token) ?? 0 })),
    sourceOf: (offset) => sourceOf(pieces, offset),
  };
}

interface Piece {
  readonly start: number;
  readonly source: number;
  /** 0 for an output, which is one place. */
  readonly length: number;
}

function sourceOf(pieces: readonly Piece[], offset: number): number {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pieces[middle]?.start ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  const piece = pieces[low - 1];
  return piece === undefined ? 0 : piece.source + Math.min(offset - piece.start, piece.length);
}
