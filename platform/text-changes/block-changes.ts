import { diffArrays } from "diff";
import type { Block } from "./text-blocks.ts";

export interface Words {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/**
 * What has become of one block, and the element that it is, or was when it was removed. "markup" is one whose words are
 * the same but not what it is, such as a heading.
 */
export type BlockChange =
  | { readonly kind: "same" | "added" | "removed" | "markup"; readonly as: string; readonly text: string }
  | { readonly kind: "changed"; readonly as: string; readonly words: readonly Words[] };

/**
 * In additions and removals. Counted rather than timed, so that the same texts give the same changes on every machine.
 * With more between them, the blocks from the first to the last that differs are compared by their place, and of two
 * blocks all of the one is removed and all of the other added.
 */
const maxEdits = { blocks: 1_000, words: 300 };

/** Comparing takes time proportional to the length times the edits. Of words: for all blocks of a text together. */
const maxWork = { blocks: 50_000_000, words: 20_000_000 };

/**
 * From one text to the other, in the order of reading. Takes at most a few seconds and memory of some times the size of the
 * texts, whatever they are; texts of 100,000 characters usually take some 40 ms.
 */
export function blockChanges(from: readonly Block[], to: readonly Block[]): BlockChange[] {
  const names = { from: from.map(nameOf), to: to.map(nameOf) };
  const { start, end } = commonEnds(names.from, names.to);
  const compareWords = createWordComparison();
  const inner = { from: from.slice(start, from.length - end), to: to.slice(start, to.length - end) };
  return [
    ...to.slice(0, start).map(asSame),
    ...changesBetween(inner.from, inner.to, compareWords),
    ...to.slice(to.length - end).map(asSame),
  ];
}

export const countOf = (changes: readonly BlockChange[], ...kinds: BlockChange["kind"][]): number =>
  changes.filter(({ kind }) => kinds.includes(kind)).length;

const nameOf = ({ kind, text }: Block): string => `${kind} ${text}`;

/** How many blocks are the same at the start and at the end of both. */
function commonEnds(from: readonly string[], to: readonly string[]): { readonly start: number; readonly end: number } {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < shorter - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end += 1;
  return { start, end };
}

function changesBetween(from: readonly Block[], to: readonly Block[], compareWords: CompareWords): BlockChange[] {
  const maxEditLength = Math.min(maxEdits.blocks, Math.ceil(maxWork.blocks / (from.length + to.length + 1)));
  const steps = diffArrays(from.map(nameOf), to.map(nameOf), { maxEditLength });
  if (steps === undefined) return pairs(from, to, compareWords);
  const changes: BlockChange[] = [];
  const at = { from: 0, to: 0 };
  let removed: readonly Block[] = [];
  let added: readonly Block[] = [];
  const finish = () => {
    for (const change of pairs(removed, added, compareWords)) changes.push(change);
    [removed, added] = [[], []];
  };
  for (const { value, removed: isRemoved, added: isAdded } of steps) {
    const { length } = value;
    if (isRemoved) removed = [...removed, ...from.slice(at.from, at.from + length)];
    else if (isAdded) added = [...added, ...to.slice(at.to, at.to + length)];
    else {
      finish();
      for (const block of to.slice(at.to, at.to + length)) changes.push(asSame(block));
    }
    if (!isAdded) at.from += length;
    if (!isRemoved) at.to += length;
  }
  finish();
  return changes;
}

/**
 * What stands in the place of what. Each block goes to the first one after the last pair that says enough of the same;
 * others were taken away or are new.
 */
function pairs(removed: readonly Block[], added: readonly Block[], compareWords: CompareWords): BlockChange[] {
  const changes: BlockChange[] = [];
  const said = added.map(({ text }) => wordsOf(text));
  let next = 0;
  for (const block of removed) {
    const own = wordsOf(block.text);
    const found = said.slice(next, next + lookAhead).findIndex((other) => isAlike(own, other));
    const partner = found === -1 ? undefined : added[next + found];
    if (partner === undefined) changes.push({ kind: "removed", as: block.kind, text: block.text });
    else {
      changes.push(...added.slice(next, next + found).map(asAdded), changeOf(block, partner, compareWords));
      next += found + 1;
    }
  }
  for (const block of added.slice(next)) changes.push(asAdded(block));
  return changes;
}

const lookAhead = 8;

const asSame = ({ kind: as, text }: Block): BlockChange => ({ kind: "same", as, text });
const asAdded = ({ kind: as, text }: Block): BlockChange => ({ kind: "added", as, text });

function changeOf(from: Block, to: Block, compareWords: CompareWords): BlockChange {
  const { kind: as, text } = to;
  return from.text === text
    ? { kind: "markup", as, text }
    : { kind: "changed", as, words: compareWords(from.text, text) };
}

type CompareWords = (from: string, to: string) => readonly Words[];

function createWordComparison(): CompareWords {
  let work = maxWork.words;
  return (from, to) => {
    const [older, newer] = [tokensOf(from), tokensOf(to)];
    const length = older.length + newer.length;
    const maxEditLength = Math.floor(Math.min(maxEdits.words, work / length));
    const steps = diffArrays(older, newer, { maxEditLength });
    const edits = steps?.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0);
    work -= length * (edits ?? maxEditLength);
    if (steps !== undefined) return inPhrases(steps);
    return [
      { kind: "removed", text: from },
      { kind: "added", text: to },
    ];
  };
}

/** Of scripts that put no spaces between words. */
const unspaced =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const letter = `(?:(?![${unspaced}])[\\p{L}\\p{M}\\p{N}_])`;

/** A merge field, a word, a number with its signs, a letter of an unspaced script, spaces, or any other character. */
const tokens = new RegExp(
  `\\{\\{[a-zA-Z][a-zA-Z0-9_.]*\\}\\}|\\p{N}+(?:[.,:/-]\\p{N}+)+|${letter}+(?:['’\\u2010\\u2011-]${letter}+)*|[${unspaced}]\\p{M}*|\\s+|[^]`,
  "gu",
);

/** Every character of the text is in one of them. */
const tokensOf = (text: string): string[] => text.match(tokens) ?? [];

interface Step {
  readonly value: readonly string[];
  readonly added: boolean;
  readonly removed: boolean;
}

/** Words in a row that were all replaced read as one phrase, rather than a change around each space. */
function inPhrases(steps: readonly Step[]): Words[] {
  const words: Words[] = [];
  let [removed, added, space] = ["", "", ""];
  const finish = () => {
    const all: Words[] = [
      { kind: "removed", text: removed },
      { kind: "added", text: added },
      { kind: "same", text: space },
    ];
    words.push(...all.filter(({ text }) => text !== ""));
    [removed, added, space] = ["", "", ""];
  };
  for (const { value, added: isAdded, removed: isRemoved } of steps) {
    const text = value.join("");
    const isReplaced = removed !== "" && added !== "";
    if (!isAdded && !isRemoved) {
      if (isReplaced && text.trim() === "") space += text;
      else {
        finish();
        words.push({ kind: "same", text });
      }
      continue;
    }
    if (space !== "") [removed, added, space] = [removed + space, added + space, ""];
    if (isRemoved) removed += text;
    else added += text;
  }
  finish();
  return words;
}

/** Whether a third of the words of the longer one is in the other, too. */
function isAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [shorter, longer] = one.size <= other.size ? [one, other] : [other, one];
  let shared = 0;
  for (const word of shorter) if (longer.has(word)) shared += 1;
  return shared * 3 >= longer.size;
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(tokensOf(text.toLowerCase()).filter((token) => /[\p{L}\p{N}]/u.test(token)));

/**
 * What has changed from one text to another, as a person is shown it: everything that was added or removed, with a little
 * of what stands around it. With the two texts anybody can check that it is right, however it was found.
 */
export interface Difference {
  readonly blocks: readonly DifferenceBlock[];
}

/** "unchanged" stands for this many blocks that are the same in both texts. */
export type DifferenceBlock = BlockChange | { readonly kind: "unchanged"; readonly count: number };

/** Blocks without changes that are shown before and after each change. */
const context = 1;

/** Leaves out the long stretches in which nothing changed. */
export function foldChanges(changes: readonly BlockChange[]): Difference {
  const isNear = changes.map(() => false);
  for (const [index, { kind }] of changes.entries()) {
    if (kind !== "same") isNear.fill(true, Math.max(0, index - context), index + context + 1);
  }
  const blocks: DifferenceBlock[] = [];
  for (let start = 0; start < changes.length; ) {
    let end = start + 1;
    while (end < changes.length && isNear[end] === isNear[start]) end += 1;
    if (isNear[start] === true) for (const change of changes.slice(start, end)) blocks.push(change);
    else blocks.push({ kind: "unchanged", count: end - start });
    start = end;
  }
  return { blocks };
}
