import { characterName } from "../visible-text.ts";
import type { ReportHtml } from "./findings.ts";
import { hasUnsafeCharacter, unsafeCharacter } from "./text.ts";
import type { SourceRange } from "./tree.ts";

/** Facts of the HTML standard about the elements that a document may have. */

/** Have no content and no end tag. */
export const voidElements: ReadonlySet<string> = new Set(
  words("area base br col embed hr img input link meta source track wbr"),
);

/** Whose end tag may be left out where something else shows that they end. */
export const elementsThatEndThemselves: ReadonlySet<string> = new Set(
  words("p li dt dd rt rp tr td th thead tbody tfoot caption colgroup"),
);

/** What a start tag ends when it comes right inside of it: group after group, from the innermost outwards. */
export const endedByStartTag: ReadonlyMap<string, readonly ReadonlySet<string>[]> = new Map([
  ...words(`address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section table ul`).map(
    (name): [string, ReadonlySet<string>[]] => [name, groups("p")],
  ),
  ["li", groups("p", "li")],
  ["dt", groups("p", "dt dd")],
  ["dd", groups("p", "dt dd")],
  ["rt", groups("rt rp")],
  ["rp", groups("rt rp")],
  ["td", groups("p", "td th")],
  ["th", groups("p", "td th")],
  ["tr", groups("p", "td th", "tr", "caption colgroup")],
  ...words("thead tbody tfoot").map((name): [string, ReadonlySet<string>[]] => [
    name,
    groups("p", "td th", "tr", "thead tbody tfoot caption colgroup"),
  ]),
]);

/** Which element a start tag implies right inside of a table. */
export const impliedInTable: ReadonlyMap<string, string> = new Map([
  ["tr", "tbody"],
  ["col", "colgroup"],
]);

function words(text: string): string[] {
  return text.split(/\s+/);
}

function groups(...names: string[]): ReadonlySet<string>[] {
  return names.map((group) => new Set(words(group)));
}

/** Reports the first unsafe characters that stand in the source as they are, at most so many. */
export function reportUnsafeCharacters(source: string, limit: number, report: ReportHtml): void {
  let count = 0;
  for (const match of source.matchAll(unsafeCharacter)) {
    const [character] = match;
    reportCharacter(character, { offset: match.index, length: character.length }, report);
    count += 1;
    if (count === limit) return;
  }
}

/** Reports the character references of a text that stand for unsafe characters. */
export function reportUnsafeReferences(source: string, within: SourceRange, report: ReportHtml): void {
  for (const match of source.slice(within.offset, within.offset + within.length).matchAll(numericReference)) {
    const [reference, hex, decimal] = match;
    const code = hex === undefined ? Number.parseInt(decimal ?? "", 10) : Number.parseInt(hex, 16);
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : "";
    if (!isUnsafeWhenDecoded(character)) continue;
    reportCharacter(character, { offset: within.offset + match.index, length: reference.length }, report);
  }
}

/** True for a decoded text with a character that only a reference can have brought there, or that nothing may have. */
export const isUnsafeWhenDecoded = (text: string): boolean => hasUnsafeCharacter(text) || text.includes("\r");

/** No unsafe character has a reference by name. */
const numericReference = /&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?/g;

const reportCharacter = (character: string, range: SourceRange, report: ReportHtml): void =>
  report({
    code: "CONTROL_CHARACTER",
    severity: "ERROR",
    ...range,
    message: `The character ${characterName(character)} is not allowed: it is invisible or changes the order of the text.`,
  });
