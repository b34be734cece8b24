import type { WantedText } from "./messages.ts";
import type { TextLine } from "./text-lines.ts";

/** A wanted text in a line. */
export interface LineMatch {
  /** Of the wanted text. */
  readonly index: number;
  readonly left: number;
  readonly right: number;
}

/** Finds every wanted text in a line, from left to right. Blanks of any kind and number count as one. */
export function createTextSearch(wanted: readonly WantedText[]): (line: TextLine) => LineMatch[] {
  const needles = wanted.map(({ text, ...options }) => {
    const blanks = text.trim().replaceAll(/\s+/gu, " ");
    return { ...options, text: options.caseSensitive ? blanks : fold(blanks) };
  });
  return (line) => {
    const folded = fold(line.text);
    return needles.flatMap(({ text, caseSensitive, wholeWord }, index) => {
      const places = text === "" ? [] : placesOf(caseSensitive ? line.text : folded, text);
      return places
        .filter((at) => !wholeWord || isWholeWord(line.text, at, at + text.length))
        .map((at) => ({ index, left: line.lefts[at] ?? 0, right: line.rights[at + text.length - 1] ?? 0 }));
    });
  };
}

/** In lower case; characters that would become longer stay, so that places are the same. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from({ length: text.length }, (_, index) => {
    const character = text.charAt(index).toLowerCase();
    return character.length === 1 ? character : text.charAt(index);
  }).join("");
}

function placesOf(text: string, needle: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) places.push(at);
  return places;
}

/** True when no word goes on beyond the ends. */
const isWholeWord = (text: string, start: number, end: number): boolean =>
  !(isOfWord(text[start]) && isOfWord(text[start - 1])) && !(isOfWord(text[end - 1]) && isOfWord(text[end]));

const isOfWord = (character: string | undefined): boolean =>
  character !== undefined && /^[\p{L}\p{N}\p{M}_]$/u.test(character);
