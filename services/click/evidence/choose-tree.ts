import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import { type Anchoring, findAnchoring, type Published } from "../store/anchor-store.ts";
import { findNewestCheckpoint } from "../store/tree-store.ts";

/** The tree that leaves are proven to be in. */
export interface ChosenTree {
  readonly checkpoint: Published;
  /** Undefined while the checkpoint is not anchored. */
  readonly anchoring: Anchoring | undefined;
}

/**
 * The anchored tree that has all of these leaves, or for want of one the newest that is published. Leaves that no
 * published tree has yet do not count; undefined when that are all of them. Takes the leaves in the order of the log.
 */
export async function chooseTree(
  orgId: OrgId,
  client: pg.ClientBase,
  leaves: readonly { readonly leafIndex: number }[],
): Promise<ChosenTree | undefined> {
  const newest = await findNewestCheckpoint(orgId, client);
  const last = leaves.findLast(({ leafIndex }) => newest !== undefined && leafIndex < newest.size);
  if (newest === undefined || last === undefined) return undefined;
  const anchoring = await findAnchoring(orgId, client, last.leafIndex);
  return { checkpoint: anchoring?.checkpoint ?? newest, anchoring };
}
