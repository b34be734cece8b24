import { characterName } from "#platform/visible-text.ts";
import type { RenderWarning } from "../renderer/render-job.ts";

/** True when one of the fonts has a glyph for the code point. */
export type HasGlyph = (codePoint: number) => boolean;

/** A text as the fonts can show it. */
export type DrawablePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "symbol"; readonly symbol: string };

/** Makes the texts of one document drawable, and notes what is not. */
export interface GlyphText {
  drawable(text: string): DrawablePart[];
  /** The text without symbols of its own: for headers, titles and descriptions. */
  line(text: string): string;
  /** What was asked of the fonts of East Asian characters. */
  eastAsian(): ReadonlySet<number>;
  /** One for each character that no font has, the first ones only. */
  warnings(): readonly RenderWarning[];
}

/** Drawn by document.typ, because forms are full of them and none of the fonts has one. */
const drawnSymbols: ReadonlySet<string> = new Set("☐☑☒✓✔✗✘");

/**
 * A character that no font has is written as its code, `[U+6C49]`: readers see that something is there and which
 * character it is. A replacement character would lose it, and PDF/A forbids the box that viewers draw.
 */
export function createGlyphText(hasGlyph: HasGlyph, isEastAsian: HasGlyph = () => false): GlyphText {
  const missing = new Set<string>();
  const eastAsian = new Set<number>();
  const write = (character: string): string => {
    if (isInvisible(character)) return character;
    const codePoint = character.codePointAt(0) ?? 0;
    if (hasGlyph(codePoint) || eastAsian.has(codePoint)) return character;
    if (isIgnorable.test(character)) return "";
    if (isEastAsian(codePoint)) {
      eastAsian.add(codePoint);
      return character;
    }
    missing.add(character);
    return `[${characterName(character)}]`;
  };
  return {
    drawable: (text) => splitSymbols(text).flatMap((part) => writePart(part, write)),
    line: (text) => Array.from(text, write).join(""),
    eastAsian: () => eastAsian,
    warnings: () => Array.from(missing).slice(0, maxWarnings).map(warningOf),
  };
}

const maxWarnings = 20;

/** Places where lines may or must end: the typesetter needs no glyph for them. */
const isInvisible = (character: string): boolean => invisible.has(character);
const invisible: ReadonlySet<string> = new Set("\n\t\u00ad\u200b\u2028\u2029");

/** Joiners, variation selectors and the like ask for another form of a glyph; without the glyph they mean nothing. */
const isIgnorable = /^\p{Default_Ignorable_Code_Point}$/u;

const symbolPattern = new RegExp(`([${[...drawnSymbols].join("")}])\ufe0e?\ufe0f?`, "gu");

/** Symbols stand at the odd places. */
const splitSymbols = (text: string): DrawablePart[] =>
  text
    .split(symbolPattern)
    .map((part, index) => (index % 2 === 1 ? { kind: "symbol", symbol: part } : { kind: "text", text: part }));

function writePart(part: DrawablePart, write: (character: string) => string): DrawablePart[] {
  if (part.kind === "symbol") return [part];
  const text = Array.from(part.text, write).join("");
  return text === "" ? [] : [{ kind: "text", text }];
}

const warningOf = (character: string): RenderWarning => ({
  code: "missing_glyph",
  char: characterName(character),
  message: `No font has the character ${characterName(character)}; its code is shown instead.`,
});
