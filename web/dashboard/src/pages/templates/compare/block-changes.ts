import { diffArrays, diffWordsWithSpace } from "diff";
import type { Block } from "./text-blocks.ts";

export interface Words {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** What has become of one block. "markup" is one whose words are the same but not what it is, such as a heading. */
export type BlockChange =
  | { readonly kind: "same" | "added" | "removed" | "markup"; readonly text: string }
  | { readonly kind: "changed"; readonly words: readonly Words[] };

/** Longer than this nobody waits; then all of the one text is removed and all of the other added. */
const patienceMs = 2_000;

/** From one text to the other, in the order of reading. */
export function blockChanges(from: readonly Block[], to: readonly Block[]): BlockChange[] {
  const steps = diffArrays(from.map(nameOf), to.map(nameOf), { timeout: patienceMs });
  if (steps === undefined) return pairs(from, to);
  const changes: BlockChange[] = [];
  const at = { from: 0, to: 0 };
  let removed: readonly Block[] = [];
  let added: readonly Block[] = [];
  const finish = () => {
    changes.push(...pairs(removed, added));
    [removed, added] = [[], []];
  };
  for (const { value, removed: isRemoved, added: isAdded } of steps) {
    const { length } = value;
    if (isRemoved) removed = [...removed, ...from.slice(at.from, at.from + length)];
    else if (isAdded) added = [...added, ...to.slice(at.to, at.to + length)];
    else {
      finish();
      changes.push(...to.slice(at.to, at.to + length).map(({ text }) => ({ kind: "same" as const, text })));
    }
    if (!isAdded) at.from += length;
    if (!isRemoved) at.to += length;
  }
  finish();
  return changes;
}

export const countOf = (changes: readonly BlockChange[], ...kinds: BlockChange["kind"][]): number =>
  changes.filter(({ kind }) => kinds.includes(kind)).length;

const nameOf = ({ kind, text }: Block): string => `${kind} ${text}`;

/**
 * What stands in the place of what. Each block goes to the first one after the last pair that says enough of the same;
 * others were taken away or are new.
 */
function pairs(removed: readonly Block[], added: readonly Block[]): BlockChange[] {
  const changes: BlockChange[] = [];
  let next = 0;
  for (const block of removed) {
    const found = added.slice(next, next + lookAhead).findIndex((other) => isAlike(block.text, other.text));
    const partner = found === -1 ? undefined : added[next + found];
    if (partner === undefined) changes.push({ kind: "removed", text: block.text });
    else {
      changes.push(...added.slice(next, next + found).map(asAdded), changeOf(block, partner));
      next += found + 1;
    }
  }
  return [...changes, ...added.slice(next).map(asAdded)];
}

const lookAhead = 8;

const asAdded = ({ text }: Block): BlockChange => ({ kind: "added", text });

function changeOf(from: Block, to: Block): BlockChange {
  if (from.text === to.text) return { kind: "markup", text: to.text };
  const words = diffWordsWithSpace(from.text, to.text, { timeout: patienceMs });
  if (words === undefined) return { kind: "changed", words: [removedAll(from), addedAll(to)] };
  return { kind: "changed", words: inPhrases(words) };
}

interface Step {
  readonly value: string;
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
    const isReplaced = removed !== "" && added !== "";
    if (!isAdded && !isRemoved) {
      if (isReplaced && value.trim() === "") space += value;
      else {
        finish();
        words.push({ kind: "same", text: value });
      }
      continue;
    }
    if (space !== "") [removed, added, space] = [removed + space, added + space, ""];
    if (isRemoved) removed += value;
    else added += value;
  }
  finish();
  return words;
}

const removedAll = ({ text }: Block): Words => ({ kind: "removed", text });
const addedAll = ({ text }: Block): Words => ({ kind: "added", text });

/** Whether a third of the words of the longer one is in the other, too. */
function isAlike(one: string, other: string): boolean {
  const [shorter, longer] = [wordsOf(one), wordsOf(other)].sort((a, b) => a.size - b.size);
  if (shorter === undefined || longer === undefined) return false;
  const shared = [...shorter].filter((word) => longer.has(word)).length;
  return shared * 3 >= longer.size;
}

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().split(/\s+/));
