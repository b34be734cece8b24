import type { Bidi } from "bidi-js";

/** A text laid out in a box. */
export interface SetText {
  readonly lines: readonly string[];
  readonly size: number;
}

const smallestSize = 5;
/** Distance between baselines, as a multiple of the font size. */
export const lineHeight = 1.2;

/**
 * Breaks a text into lines that fit the box, at the largest size that fits but not above the wanted size. A
 * text that does not fit at the smallest size overflows at the bottom, so nothing that somebody wrote is
 * dropped. Each word is measured once, because shaping is slow for scripts whose letters join.
 */
export function setText(
  text: string,
  box: { readonly width: number; readonly height: number },
  wanted: number,
  widthOf: (text: string, size: number) => number,
): SetText {
  const widths = new Map<string, number>();
  const widthAtOne = (word: string): number => {
    const width = widths.get(word) ?? widthOf(word, 1);
    widths.set(word, width);
    return width;
  };
  const paragraphs = text
    .split(/\r\n|\r|\n/)
    .map((paragraph) => wordsOf(paragraph).map((word): Word => ({ ...word, width: widthAtOne(word.text) })));
  const breakAt = (size: number) => breakLines(paragraphs, box.width / size, widthAtOne(" "));
  for (let size = wanted; size > smallestSize; size -= 0.5) {
    const lines = breakAt(size);
    const fitsHeight = lines.length === 1 || lines.length * size * lineHeight <= box.height;
    if (fitsHeight && lines.every(({ width }) => width * size <= box.width)) return { lines: textsOf(lines), size };
  }
  return { lines: textsOf(breakAt(smallestSize)), size: smallestSize };
}

/** A word or line, with its width at size 1. */
interface Piece {
  readonly text: string;
  readonly width: number;
}

/** A unit that a line may break before, and whether a space precedes it. */
interface Word extends Piece {
  readonly isJoined: boolean;
}

const wordsOf = (paragraph: string): Omit<Word, "width">[] =>
  paragraph
    .split(" ")
    .flatMap((text) => partsOf(text).map((part, index): Omit<Word, "width"> => ({ text: part, isJoined: index > 0 })));

/** Scripts written without spaces between words. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u;
/** Characters that must not begin a line, and characters that must not end one. */
const closing = /^[\p{Pe}\p{Pf}\p{Po}\p{Lm}\p{M}]+$/u;
const opening = /[\p{Ps}\p{Pi}]$/u;

function partsOf(word: string): string[] {
  if (!unspaced.test(word)) return [word];
  const parts: string[] = [];
  for (const { segment } of new Intl.Segmenter("und", { granularity: "word" }).segment(word)) {
    const last = parts.at(-1);
    if (last !== undefined && (closing.test(segment) || opening.test(last))) parts[parts.length - 1] = last + segment;
    else parts.push(segment);
  }
  return parts;
}

const textsOf = (lines: readonly Piece[]): readonly string[] => lines.map(({ text }) => text);

function breakLines(paragraphs: readonly (readonly Word[])[], width: number, space: number): Piece[] {
  return paragraphs.flatMap((words) => {
    const lines: Piece[] = [];
    let line: Piece = { text: "", width: 0 };
    for (const word of words) {
      const longer = line.width + (word.isJoined ? 0 : space) + word.width;
      if (line.text === "") line = word;
      else if (longer > width) {
        lines.push(line);
        line = word;
      } else line = { text: `${line.text}${word.isJoined ? "" : " "}${word.text}`, width: longer };
    }
    return [...lines, line];
  });
}

/** A piece of a line with a single direction. */
interface DirectedPiece {
  readonly text: string;
  readonly isRightToLeft: boolean;
}

/** False for most texts, which need no reordering. */
export const mayRunRightToLeft = (text: string): boolean =>
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(text);

/**
 * The pieces of a line from left to right, by the Unicode Bidirectional Algorithm (UAX #9). Within a piece
 * characters stay in reading order; brackets in right-to-left pieces are mirrored.
 */
export function visualOrder(bidi: Bidi, line: string, base: "ltr" | "rtl"): DirectedPiece[] {
  const { levels } = bidi.getEmbeddingLevels(line, base);
  const mirrored = bidi.getMirroredCharactersMap(line, levels);
  const runs: { level: number; text: string }[] = [];
  for (let at = 0; at < line.length; at += 1) {
    const level = levels[at] ?? 0;
    const character = mirrored.get(at) ?? line.charAt(at);
    const last = runs.at(-1);
    if (last?.level === level) last.text += character;
    else runs.push({ level, text: character });
  }
  return reordered(runs).map(({ level, text }) => ({ text, isRightToLeft: level % 2 === 1 }));
}

/** UAX #9 rule L2: from the highest level down, reverse every run at that level or above. */
function reordered<Run extends { readonly level: number }>(runs: readonly Run[]): Run[] {
  const ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    let from = 0;
    for (let at = 0; at <= ordered.length; at += 1) {
      if ((ordered[at]?.level ?? -1) >= level) continue;
      ordered.splice(from, at - from, ...ordered.slice(from, at).reverse());
      from = at + 1;
    }
  }
  return ordered;
}
