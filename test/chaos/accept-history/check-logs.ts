import { parseCheckpoint } from "#platform/transparency/checkpoint.ts";
import { appendHashes, emptyFrontier, leafHash, rootOf } from "#platform/transparency/merkle.ts";
import { verifyNote } from "#platform/transparency/signed-note.ts";
import type { Violation } from "./history.ts";
import type { CheckpointRow, LogView } from "./observation.ts";

/** Each log by itself: no index is missing, every checkpoint is of this log, and none contradicts another. */
export const checkLogs = (logs: readonly LogView[]): Violation[] =>
  logs.flatMap((log) =>
    [...wholeLog(log), ...trueCheckpoints(log), ...oneHistory(log), ...allIntegrated(log)].map((violation) => ({
      ...violation,
      detail: `log ${log.organizationId}: ${violation.detail}`,
    })),
  );

function wholeLog({ size, leaves }: LogView): Violation[] {
  const gap = leaves.find((leaf, n) => leaf.index !== n);
  const changed = leaves.filter((leaf) => leafHash(Buffer.from(leaf.leaf)).toString("hex") !== leaf.leafHash);
  return [
    ...(gap === undefined ? [] : [{ rule: "indexes have no gap", detail: `${gap.index} follows where it should not` }]),
    ...(size === leaves.length
      ? []
      : [{ rule: "indexes have no gap", detail: `${leaves.length} leaves, but ${size} indexes were given out` }]),
    ...changed.map(({ index }) => ({ rule: "a leaf has its hash", detail: `leaf ${index} has another` })),
  ];
}

/** Builds the tree of each checkpoint anew from the leaves. */
function trueCheckpoints({ leaves, checkpoints, verifierKeys }: LogView): Violation[] {
  let frontier = emptyFrontier;
  return checkpoints
    .toSorted((a, b) => a.size - b.size)
    .flatMap((checkpoint) => {
      const added = leaves.slice(frontier.size, checkpoint.size).map((leaf) => Buffer.from(leaf.leafHash, "hex"));
      frontier = appendHashes(frontier, added);
      const isTrue = frontier.size === checkpoint.size && rootOf(frontier).toString("hex") === checkpoint.root;
      return [
        ...(isTrue ? [] : [{ rule: "a checkpoint has the root of its leaves", detail: `size ${checkpoint.size}` }]),
        ...(saysTheSame(checkpoint, verifierKeys)
          ? []
          : [{ rule: "a checkpoint is signed", detail: `the note of size ${checkpoint.size} does not verify` }]),
      ];
    });
}

function saysTheSame({ note, size, root }: CheckpointRow, verifierKeys: readonly string[]): boolean {
  const read = readCheckpoint(note, verifierKeys);
  return read?.size === size && read.root.toString("hex") === root;
}

/** The checkpoint of a note that verifies. */
export function readCheckpoint(note: string, verifierKeys: readonly string[]) {
  const verified = verifyNote(note, verifierKeys);
  return verified === undefined ? undefined : parseCheckpoint(verified.text);
}

/** Whoever asked at any time saw a beginning of the same log. */
function oneHistory({ checkpoints, notes, verifierKeys }: LogView): Violation[] {
  const roots = new Map<number, Set<string>>();
  for (const { size, root } of checkpoints) roots.set(size, (roots.get(size) ?? new Set()).add(root));
  const violations: Violation[] = [];
  for (const note of new Set(notes)) {
    const seen = readCheckpoint(note, verifierKeys);
    if (seen === undefined) {
      violations.push({ rule: "a checkpoint is signed", detail: `an answered note does not verify: ${note}` });
      continue;
    }
    if (!roots.has(seen.size)) {
      violations.push({ rule: "a checkpoint is kept", detail: `size ${seen.size} was answered and is not stored` });
    }
    roots.set(seen.size, (roots.get(seen.size) ?? new Set()).add(seen.root.toString("hex")));
  }
  for (const [size, all] of roots) {
    if (all.size > 1) violations.push({ rule: "one root for each size", detail: `size ${size} has ${all.size} roots` });
  }
  return violations;
}

function allIntegrated({ size, checkpoints }: LogView): Violation[] {
  const covered = Math.max(0, ...checkpoints.map((checkpoint) => checkpoint.size));
  return covered === size
    ? []
    : [{ rule: "every leaf is integrated", detail: `the newest checkpoint covers ${covered} of ${size} leaves` }];
}
