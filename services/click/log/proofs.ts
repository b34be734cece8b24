import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { withOrg } from "#platform/db/pool.ts";
import type { NewId, OrgId } from "#platform/ids.ts";
import { hashBytes } from "#platform/transparency/merkle.ts";
import { consistencyPath, consistencyTiles, inclusionPath, inclusionTiles } from "#platform/transparency/proofs.ts";
import { fullTileBytes, type ReadTile, type TileName, tileLevels, tileWidth } from "#platform/transparency/tiles.ts";
import { findExternalHead, insertExternalHead, type LoggedHead } from "./anchor-store.ts";
import { anchorLogId, type LeafSigner } from "./leaf.ts";
import { type ExternalHead, externalHeadLeaf } from "./log-leaves.ts";
import { appendLeaves, type LogId, readTiles } from "./log-store.ts";

export interface InclusionProof {
  readonly leafHash: Buffer;
  /** From the leaf's sibling up to a child of the root (RFC 6962 §2.1.1). */
  readonly path: readonly Buffer[];
}

/**
 * Creates proofs from the logs' tiles, for any size up to that of the latest published checkpoint; anything
 * beyond is the caller's mistake and rejects. Uses connections of its own: must not be called within a
 * transaction.
 */
export interface Proofs {
  inclusion(orgId: OrgId, index: number, size: number): Promise<InclusionProof>;
  /** As RFC 6962 §2.1.2 defines it. */
  consistency(orgId: OrgId, from: number, to: number): Promise<readonly Buffer[]>;
  /** Proof that an organization's checkpoint is in the anchor log. */
  anchorInclusion(index: number, size: number): Promise<InclusionProof>;
  /** The first `width` hashes of a tile; undefined when it has fewer. */
  tile(orgId: OrgId, name: TileName, width: number): Promise<Buffer | undefined>;
}

/** The cache of full tiles: enough for a million leaves, or for the upper levels of many logs. */
const cachedBytes = 32 * 1_048_576;

export function createProofs({ pool }: { readonly pool: pg.Pool }): Proofs {
  const load = createTileLoader(pool);
  const inclusion = async (logId: LogId, index: number, size: number): Promise<InclusionProof> => {
    const ownTile = { level: 0, tile: Math.floor(index / tileWidth) };
    const read = await load(logId, [ownTile, ...inclusionTiles(index, size)]);
    const path = await inclusionPath(index, size, read);
    const start = (index % tileWidth) * hashBytes;
    return { leafHash: (await read(0, ownTile.tile)).subarray(start, start + hashBytes), path };
  };
  return {
    inclusion,
    anchorInclusion: (index, size) => inclusion(anchorLogId, index, size),
    consistency: async (orgId, from, to) => consistencyPath(from, to, await load(orgId, consistencyTiles(from, to))),
    tile: async (orgId, { level, tile }, width) => {
      if (level >= tileLevels || !Number.isSafeInteger(tile)) return undefined;
      const read = await load(orgId, [{ level, tile }]);
      const hashes = await read(level, tile);
      return hashes.length < width * hashBytes ? undefined : hashes.subarray(0, width * hashBytes);
    },
  };
}

type LoadTiles = (logId: LogId, names: readonly TileName[]) => Promise<ReadTile>;

/** Loads tiles in one query. Full tiles never change and are loaded only once. A missing tile is empty. */
function createTileLoader(pool: pg.Pool): LoadTiles {
  const cache = new LRUCache<string, Buffer>({ maxSize: cachedBytes });
  return async (logId, names) => {
    const tiles = new Map(names.map((name) => [keyOf(logId, name), { name, hashes: cache.get(keyOf(logId, name)) }]));
    const missing = [...tiles.values()].filter(({ hashes }) => hashes === undefined).map(({ name }) => name);
    const read = missing.length === 0 ? [] : await readFrom(pool, logId, missing);
    for (const { hashes, ...name } of read) {
      const key = keyOf(logId, name);
      tiles.set(key, { name, hashes });
      if (hashes.length === fullTileBytes) cache.set(key, hashes, { size: hashes.length });
    }
    return async (level, tile) => tiles.get(keyOf(logId, { level, tile }))?.hashes ?? noHashes;
  };
}

/** The anchor log is read under its own organization id. */
const readFrom = (pool: pg.Pool, logId: LogId, names: readonly TileName[]) =>
  withOrg(pool, logId as OrgId, (tenant) => readTiles(tenant, names));

const noHashes = Buffer.alloc(0);

const keyOf = (logId: LogId, { level, tile }: TileName): string => `${logId}/${level}/${tile}`;

export interface EnterHeadDeps {
  /** Acts for one organization at a time. */
  readonly pool: pg.Pool;
  readonly leafSigner: LeafSigner;
  readonly issuer: string;
  readonly clock: Clock;
  readonly newId: NewId;
  wakeIntegrator(organizationId: string): void;
}

/**
 * Adds a trail's head to the organization's log. If the log already has a head for the same trail, returns that
 * one, whatever it is, and writes nothing.
 */
export async function enterHead(deps: EnterHeadDeps, orgId: OrgId, head: ExternalHead): Promise<LoggedHead> {
  const { pool, leafSigner, issuer, clock, newId, wakeIntegrator } = deps;
  const known = await withOrg(pool, orgId, (tenant) => findExternalHead(tenant, head));
  if (known !== undefined) return known;
  const [recordId, recordedAt] = [newId(), clock.now()];
  const payload = externalHeadLeaf({ issuer, organizationId: orgId, recordId, recordedAt }, head);
  // Sign before the transaction, so that loading keys does not hold the log's lock.
  const leaves = await leafSigner.sign([{ recordId, payload }], recordedAt);
  const [signed] = leaves;
  const entered = await withOrg(pool, orgId, async (tenant) => {
    const isFirst = await insertExternalHead(tenant, head, { recordId, recordedAt });
    if (!isFirst) return findExternalHead(tenant, head);
    const [place] = await appendLeaves(tenant, leaves);
    return place === undefined || signed === undefined ? undefined : { ...head, ...signed, leafIndex: place.leafIndex };
  });
  if (entered === undefined) throw new Error("the head of a trail has got no place in the log");
  wakeIntegrator(orgId);
  return entered;
}
