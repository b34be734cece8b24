import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { withTransaction } from "#platform/db/pool.ts";
import type { Metrics } from "#platform/metrics.ts";
import { checkpointText } from "#platform/transparency/checkpoint.ts";
import { type Frontier, frontierBytes, rootOf } from "#platform/transparency/compact-range.ts";
import { emptyRoot } from "#platform/transparency/merkle.ts";
import { signNote } from "#platform/transparency/signed-note.ts";
import type { SigningKey, SigningKeys } from "../keys/signing-keys.ts";
import { anchorLogId, logOrigin } from "../log/leaf.ts";
import { lockTree, publishTree, readGrowth } from "../store/integrate-store.ts";
import { checkGrowth } from "./check-growth.ts";
import { growTree } from "./grow-tree.ts";

export interface IntegrateDeps {
  /** Connects as the integrator. */
  readonly pool: pg.Pool;
  readonly logKeys: Pick<SigningKeys, "signingAt">;
  readonly issuer: string;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

export type Integration =
  /** `more`: there were more leaves than one transaction takes. */
  | { readonly kind: "published"; readonly checkpoint: NewCheckpoint; readonly more: boolean }
  /** The tree is up to its leaves, or the log has none. */
  | { readonly kind: "current" }
  /** Another process integrates the log at this moment. */
  | { readonly kind: "busy" };

/** A checkpoint that is about to be published. */
export interface NewCheckpoint {
  /** The size of the tree before. */
  readonly from: number;
  readonly size: number;
  /** The signed note. */
  readonly note: string;
}

/** Leaves in one transaction at most: about 30 ms, half of it hashing. */
export const maxLeaves = 10_000;

/**
 * Adds leaves that are recorded to the tree of their log and publishes a checkpoint of it, in one transaction: whatever
 * is cut off anywhere leaves the tree as it was. `alsoCommit` adds to the transaction. Throws a LogMismatchError when the
 * leaves do not continue the tree; nothing is signed then.
 */
export async function integrateLog(
  deps: IntegrateDeps,
  logId: string,
  alsoCommit?: (client: pg.ClientBase, checkpoint: NewCheckpoint) => Promise<void>,
): Promise<Integration> {
  const now = deps.clock.now();
  const key = await deps.logKeys.signingAt(now);
  const startedAt = performance.now();
  const outcome = await withTransaction(deps.pool, async (client): Promise<Integration> => {
    const tree = await lockTree(client, logId, { root: emptyRoot, now });
    if (tree === undefined) return { kind: "busy" };
    const growth = await readGrowth(client, logId, tree.size, maxLeaves);
    const before = checkGrowth(tree, growth, maxLeaves);
    if (growth.found === 0) return { kind: "current" };
    const { frontier, tiles } = await growTree(before, growth.tiles, growth.leafHashes);
    const { size } = frontier;
    const root = rootOf(frontier);
    const note = signCheckpoint(key, logOrigin(deps.issuer, logId), frontier);
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

/** The name of the key is the origin of the log, as C2SP tlog-checkpoint wants. */
function signCheckpoint({ privateKey, publicKey }: SigningKey, origin: string, frontier: Frontier): string {
  const { x = "" } = publicKey.export({ format: "jwk" });
  return signNote(checkpointText(origin, frontier.size, rootOf(frontier)), {
    name: origin,
    key: privateKey,
    publicKey: Buffer.from(x, "base64url"),
  });
}
