import type { OrgId } from "#platform/ids.ts";
import { mapInTurns } from "../consent/sealed-change.ts";
import { type EvidenceJwk, evidenceJwk, originVerifierKeys } from "../keys/evidence-parts.ts";
import type { SigningKey, SigningKeys } from "../keys/signing-keys.ts";
import { anchorLogId, type LeafPayload, logOrigin, receiptJws } from "../log/leaf.ts";
import type { LoggedLeaf } from "../log/log-store.ts";
import { parseJws } from "../receipts/compact-jws.ts";
import { renderTokenForm } from "../render/render-tokens.ts";
import {
  type AnchorProof,
  type EvidencedRecord,
  type EvidenceIntegrity,
  type LeafProof,
  mainRecord,
  promisedTime,
} from "./evidence-integrity.ts";
import type { ChosenTree, EvidenceDeps } from "./write-bundle.ts";

type Deps = Pick<
  EvidenceDeps,
  "receiptKeys" | "renderKeys" | "logKeys" | "proofs" | "issuer" | "hasTimestampAuthority"
>;

export interface ProvableLeaves {
  /** In log order. */
  readonly leaves: readonly LoggedLeaf[];
  /** By record id. */
  readonly disclosures: ReadonlyMap<string, readonly string[]>;
  readonly tree: ChosenTree | undefined;
  /** All render tokens in the evidence. */
  readonly renderTokens: readonly string[];
}

/** Creates the leaves' proofs and collects the keys that verify them. Must not be called within a transaction. */
export async function collectIntegrity(
  deps: Deps,
  orgId: OrgId,
  { leaves, disclosures, tree, renderTokens }: ProvableLeaves,
): Promise<EvidenceIntegrity> {
  const { issuer } = deps;
  const records = await mapInTurns(leaves, async (leaf): Promise<EvidencedRecord> => {
    const payload = JSON.parse(leaf.leaf.toString("utf8")) as LeafPayload;
    const proof = await proveLeaf(deps, orgId, leaf, tree);
    return {
      recordId: leaf.recordId,
      kind: payload.kind,
      leaf: leaf.leaf,
      leafHash: leaf.leafHash,
      leafIndex: leaf.leafIndex,
      origin: proof === null ? logOrigin(issuer, orgId, leaf.epoch) : originOf(proof.checkpoint),
      jws: receiptJws(await keyOf(deps, leaf), leaf.leaf, leaf.signature),
      disclosures: disclosures.get(leaf.recordId) ?? [],
      integrateBy: promisedTime(payload),
      proof,
    };
  });
  const anchor = mainRecord({ records })?.proof == null ? null : await proveAnchor(deps, tree);
  const origins = [
    ...[logOrigin(issuer, orgId), ...records.map(({ origin }) => origin)],
    ...[logOrigin(issuer, anchorLogId), ...(anchor === null ? [] : [originOf(anchor.checkpoint)])],
  ];
  return {
    logId: orgId,
    records,
    // The bundle's main record must be in the anchored tree.
    anchor,
    keys: [...(await receiptJwks(deps, leaves)), ...(await renderJwks(deps, renderTokens))],
    logKeys: originVerifierKeys(await deps.logKeys.all(), [...new Set(origins)]),
  };
}

/** Of a checkpoint of ours. */
const originOf = (note: string): string => note.split("\n", 1)[0] as string;

async function keyOf({ receiptKeys }: Pick<Deps, "receiptKeys">, { signedBy }: LoggedLeaf): Promise<SigningKey> {
  const key = await receiptKeys.byGeneration(signedBy);
  if (key === undefined) throw new Error(`there is no receipt key of generation ${signedBy}`);
  return key;
}

async function proveLeaf(
  { proofs }: Deps,
  orgId: OrgId,
  { leafIndex }: LoggedLeaf,
  tree: ChosenTree | undefined,
): Promise<LeafProof | null> {
  if (tree === undefined || leafIndex >= tree.checkpoint.size) return null;
  const { size: treeSize, note: checkpoint } = tree.checkpoint;
  const { path } = await proofs.inclusion(orgId, leafIndex, treeSize);
  return { treeSize, path, checkpoint };
}

async function proveAnchor(
  { proofs, hasTimestampAuthority }: Deps,
  tree: ChosenTree | undefined,
): Promise<AnchorProof | null> {
  if (tree?.anchoring === undefined) return null;
  const { anchorIndex, anchorCheckpoint, token, tsaName } = tree.anchoring;
  const { size: treeSize, note: checkpoint } = anchorCheckpoint;
  const { path } = await proofs.anchorInclusion(anchorIndex, treeSize);
  const isComplete = token !== null || !hasTimestampAuthority;
  return { anchorIndex, treeSize, path, checkpoint, token, tsaName, isComplete };
}

async function receiptJwks(deps: Deps, leaves: readonly LoggedLeaf[]): Promise<EvidenceJwk[]> {
  const keys = new Set<SigningKey>();
  for (const leaf of leaves) keys.add(await keyOf(deps, leaf));
  return publicKeys(deps.receiptKeys, keys, "receipt");
}

async function renderJwks({ renderKeys }: Deps, tokens: readonly string[]): Promise<EvidenceJwk[]> {
  const keys = new Set<SigningKey>();
  for (const token of tokens) {
    const kid = parseJws(token, renderTokenForm)?.kid;
    const key = kid === undefined ? undefined : await renderKeys.find(kid);
    if (key !== undefined) keys.add(key);
  }
  return publicKeys(renderKeys, keys, "render");
}

/** Deduplicated by kid, because keys may be reloaded in between. */
async function publicKeys(
  all: SigningKeys,
  keys: ReadonlySet<SigningKey>,
  purpose: "receipt" | "render",
): Promise<EvidenceJwk[]> {
  if (keys.size === 0) return [];
  const wanted = new Set([...keys].map(({ kid }) => kid));
  const known = await all.all();
  return known.filter(({ kid }) => wanted.has(kid)).map((key) => evidenceJwk(known, key, purpose));
}
