import type { ErrorCode } from "./errors.ts";
import { refusedField } from "./problems.ts";

const maxSlugLength = 100;
const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** What a name without a single Latin letter or digit becomes. */
const fallbackSlug = "template";

/** Lower-case letters and digits, joined by single hyphens, at most 100 characters. */
export const isSlug = (text: string): boolean => text.length <= maxSlugLength && slugPattern.test(text);

/** A slug that the client chose; throws an error of this code when it is not one. */
export function parseSlug(text: string, code: ErrorCode): string {
  if (isSlug(text)) return text;
  const rule = `must be at most ${maxSlugLength} lower-case letters and digits, joined by single hyphens`;
  throw refusedField("slug", "INVALID_SLUG", rule, code);
}

/** The slug that a name suggests: accents dropped, the rest reduced to letters, digits and hyphens. */
export function slugFromName(name: string): string {
  const latin = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[\p{M}'’ʼ]/gu, "")
    .replaceAll(/[^ -~]/gu, (letter) => latinLetters.get(letter) ?? " ");
  return cut(latin.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-/, ""), maxSlugLength) || fallbackSlug;
}

/** The first is the slug itself, the second ends in -2, and so on; none is longer than a slug may be. */
export function numberedSlug(slug: string, number: number): string {
  if (number === 1) return slug;
  const suffix = `-${number}`;
  return cut(slug, maxSlugLength - suffix.length) + suffix;
}

/** At most so many characters, not ending in a hyphen. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/-+$/, "");

/** Letters that have no accent to drop. */
const latinLetters = new Map([
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ø", "o"],
  ["đ", "d"],
  ["ð", "d"],
  ["ħ", "h"],
  ["ı", "i"],
  ["ł", "l"],
  ["ŋ", "n"],
  ["ŧ", "t"],
  ["þ", "th"],
]);
