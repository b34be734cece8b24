import type { BlockChange } from "./block-changes.ts";

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
