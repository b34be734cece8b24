import { generateKeyPairSync } from "node:crypto";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService, GetInclusionProofRequest } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { checkpointText } from "#platform/transparency/checkpoint.ts";
import { appendHashes, emptyFrontier, leafHash, rootOf } from "#platform/transparency/merkle.ts";
import { consistencyPath, inclusionPath } from "#platform/transparency/proofs.ts";
import { signNote, verifierKey } from "#platform/transparency/signed-note.ts";
import { tilesAfter } from "#platform/transparency/tiles.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const rawKey = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");

/** Leaves of one organization, all of them published in one checkpoint. */
interface FakeTree {
  readonly receiptIds: readonly string[];
  readonly leafHashes: readonly Buffer[];
  readonly note: string;
}

/** The logs of some organizations in memory, with true proofs. */
export function createFakeLog() {
  const trees = new Map<string, FakeTree>();
  const name = "gateway.example/log";

  const read = (orgId: string) => {
    const tree = trees.get(orgId);
    const tiles = tilesAfter(0, tree?.leafHashes ?? [], () => undefined);
    const tile = async (level: number, number: number): Promise<Buffer> =>
      tiles.find((one) => one.level === level && one.tile === number)?.hashes ?? Buffer.alloc(0);
    return { receiptIds: [], leafHashes: [], ...tree, tile };
  };
  const indexOf = (leaf: GetInclusionProofRequest["leaf"], { receiptIds, leafHashes }: Omit<FakeTree, "note">) => {
    if (leaf.case === "index") {
      if (leaf.value >= leafHashes.length) throw new DomainError("CLICK_LEAF_NOT_FOUND");
      return Number(leaf.value);
    }
    const found = receiptIds.indexOf(leaf.value ?? "");
    if (found === -1) throw new DomainError("CLICK_RECEIPT_NOT_FOUND");
    return found;
  };

  const handlers = {
    getCheckpoint: ({ anchor }, context) => {
      const note = anchor ? "anchor\n" : trees.get(requireCaller(context).orgId)?.note;
      if (note === undefined) throw new DomainError("CLICK_CHECKPOINT_NOT_FOUND");
      return { note };
    },
    getInclusionProof: async ({ leaf, size }, context) => {
      const tree = read(requireCaller(context).orgId);
      const index = indexOf(leaf, tree);
      const treeSize = Number(size ?? tree.leafHashes.length);
      return {
        leafIndex: BigInt(index),
        treeSize: BigInt(treeSize),
        leafHash: tree.leafHashes[index] as Buffer,
        auditPath: await inclusionPath(index, treeSize, tree.tile),
        checkpoint: treeSize === tree.leafHashes.length ? (tree.note ?? "") : "",
      };
    },
    getConsistencyProof: async ({ from, to }, context) => {
      const tree = read(requireCaller(context).orgId);
      return { from, to, path: await consistencyPath(Number(from), Number(to), tree.tile) };
    },
    getLogTile: async ({ level, tile, width }, context) => {
      const bytes = (width === 0 ? 256 : width) * 32;
      const hashes = await read(requireCaller(context).orgId).tile(level, Number(tile));
      if (hashes.length < bytes) throw new DomainError("CLICK_TILE_NOT_FOUND");
      return { hashes: hashes.subarray(0, bytes) };
    },
  } satisfies Partial<ServiceImpl<typeof ClickService>>;

  /** Gives an organization a log with so many leaves, of which the first is the receipt's. */
  const fill = (orgId: string, receiptId: string, leaves: number): FakeTree => {
    const leafHashes = Array.from({ length: leaves }, (_, n) => leafHash(Buffer.from(`${orgId} ${n}`)));
    const text = checkpointText(name, leaves, rootOf(appendHashes(emptyFrontier, leafHashes)));
    const note = signNote(text, { name, key: privateKey, publicKey: rawKey });
    const tree = { receiptIds: [receiptId], leafHashes, note };
    trees.set(orgId, tree);
    return tree;
  };
  return { handlers, fill, verifierKey: verifierKey(name, rawKey) };
}
