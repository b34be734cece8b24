import { LRUCache } from "lru-cache";
import type pg from "pg";
import { sha256Label } from "#platform/canonical-json.ts";
import { withOrg } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import { findShown, insertSealedRendering, insertShown } from "../terms/content-store.ts";
import { type Placement, parsePlacement } from "../terms/placement.ts";
import { sealRendering } from "../vault/seals.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";

/** Stores what is shown before anybody sees it, so that evidence never has to recreate it. */
export interface ShownKeeper {
  /** Makes sure that the contents are stored. Returns undefined when this process knows that they are. */
  keep(orgId: OrgId, contents: readonly string[]): Promise<void> | undefined;
  /** Stores the HTML of a GENERATED text under the id of an acceptance without a session that is about to be recorded. */
  keepSealedRendering(orgId: OrgId, receiptId: string, seed: Buffer, html: string): Promise<void>;
  /** A deployment as it was, by the hash of a stored snapshot; returned synchronously when it was read before. */
  placement(orgId: OrgId, snapshotHash: string): Placement | undefined | Promise<Placement | undefined>;
}

/** Only names, about 100 bytes each. */
const rememberedKept = 100_000;
/** Up to some ten kilobytes each. */
const cachedPlacements = 1_000;

export interface ShownKeeperDeps {
  readonly pool: pg.Pool;
  readonly vault: SubjectVault;
}

export function createShownKeeper({ pool, vault }: ShownKeeperDeps): ShownKeeper {
  const kept = new LRUCache<string, true>({ max: rememberedKept });
  const placements = new LRUCache<string, Placement>({ max: cachedPlacements });
  const store = async (orgId: OrgId, names: readonly string[], contents: readonly Buffer[]): Promise<void> => {
    await withOrg(pool, orgId, (tenant) => insertShown(tenant, contents));
    for (const name of names) kept.set(name, true);
  };
  const load = async (orgId: OrgId, hash: string, name: string): Promise<Placement | undefined> => {
    const found = await withOrg(pool, orgId, (tenant) => findShown(tenant, [hash]));
    const snapshot = found.get(hash);
    if (snapshot === undefined) return undefined;
    const placement = parsePlacement(snapshot.toString("utf8"));
    placements.set(name, placement);
    return placement;
  };
  return {
    keep: (orgId, contents) => {
      const named = contents.map((content) => ({ name: `${orgId}/${sha256Label(content)}`, content }));
      const missing = named.filter(({ name }) => kept.get(name) === undefined);
      if (missing.length === 0) return undefined;
      const names = missing.map(({ name }) => name);
      return store(
        orgId,
        names,
        missing.map(({ content }) => Buffer.from(content)),
      );
    },
    keepSealedRendering: (orgId, receiptId, seed, html) => {
      const sealed = sealRendering(vault, { organizationId: orgId, recordId: receiptId }, seed, html);
      return withOrg(pool, orgId, (tenant) => insertSealedRendering(tenant, receiptId, sealed));
    },
    placement: (orgId, snapshotHash) => {
      const name = `${orgId}/${snapshotHash}`;
      return placements.get(name) ?? load(orgId, snapshotHash, name);
    },
  };
}
