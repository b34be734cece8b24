import { characterName } from "../visible-text.ts";
import type { ReportHtml } from "./findings.ts";
import { hasUnsafeCharacter, unsafeCharacter } from "./text.ts";
import type { SourceRange } from "./tree.ts";

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
