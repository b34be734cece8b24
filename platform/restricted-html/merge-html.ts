import { findMergeFields } from "../merge-fields.ts";
import { escapeHtml } from "./serialize.ts";
import { readTokens } from "./tokens.ts";
import type { SourceRange } from "./tree.ts";

/** HTML with places where values are filled in. */
export interface MergeHtml {
  /** The keys of its fields, each once. */
  readonly keys: readonly string[];
  /** The HTML before the first field, between the fields, and after the last one: one more than `fields`. */
  readonly texts: readonly string[];
  /** The key of each field. */
  readonly fields: readonly string[];
}

/**
 * Prepares safe HTML for merging. Throws a RangeError for a field that is malformed or stands where a value could do
 * more than be read: inside of a tag, or right after a < or & that would make a tag or a character reference of it.
 * Linear in the HTML, about 0.1 s for 1 MiB.
 */
export function prepareMerge(html: string): MergeHtml {
  const { fields, problems } = findMergeFields(html);
  const [problem] = problems;
  if (problem !== undefined) throw new RangeError(`malformed merge field at ${problem.offset}`);
  const misplaced = findMisplaced(html, fields, markupOf(html))[0];
  if (misplaced !== undefined) throw new RangeError(`misplaced merge field at ${misplaced.offset}`);
  const ends = fields.map((field) => field.offset + field.length);
  const texts = [
    ...fields.map((field, index) => html.slice(ends[index - 1] ?? 0, field.offset)),
    html.slice(ends.at(-1) ?? 0),
  ];
  const keys = fields.map((field) => field.key);
  return { keys: [...new Set(keys)], texts, fields: keys };
}

/** The HTML with the values as text; a value never becomes markup, whatever it is. An absent value is empty. */
export function fillMerge({ texts, fields }: MergeHtml, values: ReadonlyMap<string, string>): string {
  const escaped = new Map([...values].map(([key, value]) => [key, escapeValue(value)]));
  const valueAfter = (index: number): string => {
    const key = fields[index];
    return key === undefined ? "" : (escaped.get(key) ?? "");
  };
  return texts.map((text, index) => text + valueAfter(index)).join("");
}

/** How long `fillMerge` would make it, in UTF-16 code units. */
export function filledLength({ texts, fields }: MergeHtml, values: ReadonlyMap<string, string>): number {
  const lengths = new Map([...values].map(([key, value]) => [key, escapeValue(value).length]));
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  return sum(texts.map((text) => text.length)) + sum(fields.map((key) => lengths.get(key) ?? 0));
}

/** Line ends are those that HTML has. */
const escapeValue = (value: string): string => escapeHtml(value.toWellFormed().replaceAll(/\r\n?/g, "\n"));

/** The places that are not text. Both lists are in the order of the source; so is the result. */
export function findMisplaced<Field extends SourceRange>(
  html: string,
  fields: readonly Field[],
  markup: readonly SourceRange[],
): Field[] {
  let next = 0;
  return fields.filter(({ offset, length }) => {
    while (endOf(markup[next]) <= offset) next += 1;
    const isInMarkup = (markup[next]?.offset ?? Number.POSITIVE_INFINITY) < offset + length;
    return isInMarkup || opensSomething.test(html.slice(Math.max(0, offset - longestReference), offset));
  });
}

const endOf = (range: SourceRange | undefined): number =>
  range === undefined ? Number.POSITIVE_INFINITY : range.offset + range.length;

/** The longest name of a character reference has 31 letters; a number may have any count of zeros. */
const longestReference = 64;
const opensSomething = /(?:<|&#?[0-9a-zA-Z]*)$/;

function markupOf(html: string): SourceRange[] {
  const markup: SourceRange[] = [];
  const add = (range: SourceRange) => markup.push(range);
  readTokens(html, {
    startTag: (tag) => add(tag.source),
    endTag: (_name, range) => add(range),
    comment: add,
    doctype: add,
    text: () => {},
    syntaxError: (name, offset) => {
      if (name === "eof-in-tag") throw new RangeError(`the HTML ends within a tag, before ${offset}`);
    },
  });
  return markup;
}
