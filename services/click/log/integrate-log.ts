import { setImmediate as nextTurn } from "node:timers/promises";
import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { withTransaction } from "#platform/db/pool.ts";
import type { Metrics } from "#platform/metrics.ts";
import {
  appendHashes,
  emptyRoot,
  type Frontier,
  frontierBytes,
  frontierFromBytes,
  hashBytes,
  rootOf,
} from "#platform/transparency/merkle.ts";
import { partialTiles, type Tile, tilesAfter, widthIn } from "#platform/transparency/tiles.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import { continues, LogWentBackError, signCheckpoint } from "./epochs.ts";
import { type Growth, type LockedTree, lockTree, publishTree, readGrowth } from "./integrate-store.ts";
import { anchorLogId, logOrigin } from "./leaf.ts";
import { type KnownCheckpoint, type LogMemory, mustBegin } from "./log-memory.ts";

export interface IntegrateDeps {
  /** Connects as the integrator. */
  readonly pool: pg.Pool;
  readonly logKeys: Pick<SigningKeys, "signingAt">;
  readonly issuer: string;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Absent: nobody outside the database knows what was signed. */
  readonly memory?: LogMemory | undefined;
}

export type Integration =
  /** `more`: more leaves remain than fit into one transaction. */
  | { readonly kind: "published"; readonly checkpoint: NewCheckpoint; readonly more: boolean }
  /** The tree is up to date, or the log has no leaves. */
  | { readonly kind: "current" }
  /** Another process is integrating the log. */
  | { readonly kind: "busy" };

/** A checkpoint to be published. */
export interface NewCheckpoint {
  /** The tree's previous size. */
  readonly from: number;
  readonly size: number;
  /** The signed note. */
  readonly note: string;
}

/** The limit of leaves in one transaction: about 30 ms, half of it hashing. */
export const maxLeaves = 10_000;

/**
 * Adds recorded leaves to their log's tree and publishes a checkpoint, in one transaction: an interruption
 * leaves the tree unchanged. `alsoCommit` adds to the transaction. Throws a LogMismatchError when the leaves do
 * not continue the tree, and a LogWentBackError when the tree does not continue what the witness has; nothing is
 * signed then. The witness has a checkpoint before anybody else can see it.
 */
export async function integrateLog(
  deps: IntegrateDeps,
  logId: string,
  alsoCommit?: (client: pg.ClientBase, checkpoint: NewCheckpoint) => Promise<void>,
): Promise<Integration> {
  const now = deps.clock.now();
  const key = await deps.logKeys.signingAt(now);
  await deps.memory?.recognise();
  const startedAt = performance.now();
  const outcome = await withTransaction(deps.pool, async (client): Promise<Integration> => {
    const tree = await lockTree(client, logId, { root: emptyRoot, now });
    if (tree === undefined) return { kind: "busy" };
    const growth = await readGrowth(client, logId, tree.size, maxLeaves);
    const before = checkGrowth(tree, growth, maxLeaves);
    if (growth.found === 0) return { kind: "current" };
    const { firstEpoch, witnessSince: since } = growth;
    const witness = deps.memory && firstEpoch !== null && since !== null ? { firstEpoch, since } : undefined;
    if (mustBegin(logId, growth.epoch, witness)) throw new LogWentBackError(logId);
    const known = await deps.memory?.read(logId);
    await requireContinued(client, logId, growth, known);
    const { frontier, tiles } = await growTree(before, growth.tiles, growth.leafHashes);
    const { size } = frontier;
    const root = rootOf(frontier);
    const note = signCheckpoint(key, { origin: logOrigin(deps.issuer, logId, growth.epoch), size, root });
    const isKnown = known?.epoch === growth.epoch && known.size >= size;
    if (!isKnown) await deps.memory?.witness.write(logId, { epoch: growth.epoch, size, note }, known);
    if (deps.memory !== undefined) deps.memory.last.isAway = false;
    const after = { size, root, frontier: frontierBytes(frontier) };
    if (!(await publishTree(client, logId, { before: tree, after, tiles, note, now }))) {
      throw new Error("the tree changed while it was locked");
    }
    const checkpoint = { from: tree.size, size, note };
    await alsoCommit?.(client, checkpoint);
    return { kind: "published", checkpoint, more: growth.leaves > size };
  });
  if (outcome.kind === "published") {
    const log = logId === anchorLogId ? "anchor" : "organization";
    deps.metrics.logCheckpoints.inc({ log });
    deps.metrics.logIntegrationDuration.observe((performance.now() - startedAt) / 1000);
  }
  return outcome;
}

async function requireContinued(
  client: pg.ClientBase,
  logId: string,
  { epoch, publishedSize, publishedRoot }: Growth,
  known: KnownCheckpoint | undefined,
): Promise<void> {
  if (known === undefined) return;
  const isNewest = known.epoch === epoch && known.size === publishedSize;
  if (isNewest && publishedRoot?.equals(known.root) === true) return;
  if (!(await continues(client, logId, known))) throw new LogWentBackError(logId);
}

interface GrownTree {
  readonly frontier: Frontier;
  /** Every new or extended tile, in its new form. */
  readonly tiles: readonly Tile[];
}

/** About 2 ms of hashing; other calls are served between slices. */
const sliceLeaves = 1_024;

/** Adds concatenated leaf hashes to a tree, given its partial tiles. */
async function growTree(before: Frontier, partial: readonly Tile[], leafHashes: Buffer): Promise<GrownTree> {
  const known = new Map(partial.map((tile) => [nameOf(tile.level, tile.tile), tile]));
  const changed = new Map<string, Tile>();
  let frontier = before;
  for (let start = 0; start < leafHashes.length; start += sliceLeaves * hashBytes) {
    if (start > 0) await nextTurn();
    const slice = splitHashes(leafHashes.subarray(start, start + sliceLeaves * hashBytes));
    for (const tile of tilesAfter(frontier.size, slice, (level, n) => known.get(nameOf(level, n))?.hashes)) {
      known.set(nameOf(tile.level, tile.tile), tile);
      changed.set(nameOf(tile.level, tile.tile), tile);
    }
    frontier = appendHashes(frontier, slice);
  }
  return { frontier, tiles: [...changed.values()] };
}

const nameOf = (level: number, tile: number): string => `${level}/${tile}`;

const splitHashes = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / hashBytes }, (_, n) => bytes.subarray(n * hashBytes, (n + 1) * hashBytes));

/** The stored data of a log contradicts itself: somebody has changed it. None of it may be signed. */
export class LogMismatchError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "LogMismatchError";
  }
}

/**
 * The tree's frontier, if tree, checkpoint, tiles and leaves are consistent. Throws a LogMismatchError
 * otherwise.
 */
function checkGrowth(tree: LockedTree, growth: Growth, maxLeaves: number): Frontier {
  const frontier = readFrontier(tree);
  if (!rootOf(frontier).equals(tree.root))
    throw new LogMismatchError("the frontier does not give the root of the tree");
  checkPublished(tree, growth);
  checkLeaves(tree.size, growth, maxLeaves);
  checkTiles(tree.size, growth);
  return frontier;
}

/** The latest checkpoint is public: what is signed next must extend exactly that tree. */
function checkPublished({ size, root }: LockedTree, { publishedSize, publishedRoot }: Growth): void {
  if (publishedSize !== size) {
    throw new LogMismatchError(`the newest checkpoint is of size ${publishedSize}, the tree of size ${size}`);
  }
  if (size > 0 && publishedRoot?.equals(root) !== true) {
    throw new LogMismatchError("the newest checkpoint has another root than the tree");
  }
}

function checkTiles(treeSize: number, { tiles }: Growth): void {
  for (const { level, tile } of partialTiles(treeSize)) {
    const hashes = tiles.find((stored) => stored.level === level)?.hashes;
    if (hashes?.length !== widthIn(treeSize, { level, tile }) * hashBytes) {
      throw new LogMismatchError(`tile ${tile} of level ${level} is missing or does not end where the tree does`);
    }
  }
}

function readFrontier({ size, frontier }: LockedTree): Frontier {
  try {
    return frontierFromBytes(size, frontier);
  } catch (cause) {
    throw new LogMismatchError(`the frontier does not fit the size of the tree: ${(cause as Error).message}`);
  }
}

function checkLeaves(treeSize: number, growth: Growth, maxLeaves: number): void {
  const { leaves, found, firstIndex, lastIndex, leafHashes } = growth;
  if (leaves < treeSize) throw new LogMismatchError(`the log has ${leaves} leaves, its tree ${treeSize}`);
  const expected = Math.min(leaves - treeSize, maxLeaves);
  const isGapless = found === 0 || (firstIndex === treeSize && lastIndex === treeSize + found - 1);
  if (found !== expected || !isGapless || leafHashes.length !== found * hashBytes) {
    throw new LogMismatchError(
      `${expected} leaves should follow leaf ${treeSize - 1}, but ${found} were found, from ${firstIndex} to ${lastIndex}`,
    );
  }
}
