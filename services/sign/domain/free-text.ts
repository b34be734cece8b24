/** The first characters of a text; none is cut in half. */
export const firstCharacters = (text: string, count: number): string =>
  text.length <= count ? text : Array.from(text).slice(0, count).join("");

/** What a program says of itself, as long as it is told of: longer ones are made up, or of no use to anybody. */
export const boundedClaim = (text: string): string => firstCharacters(storable(text), 300);

/** How many characters a text has, as people count them: a pair of surrogates is one. */
export const lengthOf = (text: string): number => Array.from(text).length;

export { isStorable } from "#platform/json-object.ts";

/** A text with U+FFFD in place of what the database does not store. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\uFFFD");
