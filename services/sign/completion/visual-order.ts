import type { Bidi } from "bidi-js";

/** A piece of a line whose characters run in one direction. */
export interface DirectedPiece {
  readonly text: string;
  readonly isRightToLeft: boolean;
}

/** False for most texts: nothing of them has to be put into another order. */
export const mayRunRightToLeft = (text: string): boolean =>
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(text);

/**
 * The pieces of a line from left to right, by the Unicode Bidirectional Algorithm (UAX #9). The characters of a piece stay
 * in the order of reading; brackets of what runs to the left are those that look right there.
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

/** Rule L2: from the highest level down, what stands at a level or above it is turned around. */
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
