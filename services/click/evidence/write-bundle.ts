import { setImmediate as nextTurn } from "node:timers/promises";
import type pg from "pg";
import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import type { Tenant } from "#platform/db/pool.ts";
import type { TemplateOffers } from "../consent/purpose-offers.ts";
import { type EvidenceJwk, type EvidenceParts, evidenceJwk } from "../keys/evidence-parts.ts";
import { type Anchoring, findAnchoring, type Published } from "../log/anchor-store.ts";
import { findNewestCheckpoint } from "../log/log-store.ts";
import type { Proofs } from "../log/proofs.ts";
import { signJws } from "../receipts/compact-jws.ts";
import type { Evidence } from "./evidence.ts";
import { type BundleOptions, buildBundle } from "./evidence-bundle.ts";

/** The `typ` of the signature of a bundle. */
const bundleTyp = "click-evidence+jws";

/** A bundle as it is handed over. */
export interface WrittenBundle {
  readonly json: string;
  /** The public keys of all its signatures, its own included. */
  readonly keys: readonly EvidenceJwk[];
}

/**
 * Signs a bundle: over its canonical form without the signature (RFC 8785), so that it may be parsed and written again.
 * The largest ones, of some MiB, take three turns of a few milliseconds each.
 */
export async function writeBundle(
  { issuer, receiptKeys }: Pick<EvidenceDeps, "issuer" | "receiptKeys">,
  evidence: Evidence,
  options: BundleOptions,
): Promise<WrittenBundle> {
  const { generatedAt, integrity, session } = evidence;
  const signer = await receiptKeys.signingAt(generatedAt);
  const keys = withKey(integrity.keys, evidenceJwk(await receiptKeys.all(), signer, "receipt"));
  const bundle = buildBundle({ ...evidence, integrity: { ...integrity, keys } }, options);
  const canonical = canonicalJson(bundle);
  await nextTurn();
  const payload = {
    bundleId: options.bundleId,
    iss: issuer,
    org: session.organizationId,
    generatedAt: generatedAt.toISOString(),
    digest: sha256Label(canonical),
  };
  await nextTurn();
  const { kid, privateKey: key } = signer;
  const bundleSignature = { alg: "EdDSA", kid, jws: signJws({ typ: bundleTyp, kid, key, payload }) };
  return { json: JSON.stringify({ ...bundle, bundleSignature }), keys };
}

const withKey = (keys: readonly EvidenceJwk[], key: EvidenceJwk): EvidenceJwk[] => [
  ...keys.filter(({ kid }) => kid !== key.kid),
  key,
];

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
  tenant: Tenant,
  leaves: readonly { readonly leafIndex: number }[],
): Promise<ChosenTree | undefined> {
  const newest = await findNewestCheckpoint(tenant);
  const last = leaves.findLast(({ leafIndex }) => newest !== undefined && leafIndex < newest.size);
  if (newest === undefined || last === undefined) return undefined;
  const anchoring = await findAnchoring(tenant, last.leafIndex);
  return { checkpoint: anchoring?.checkpoint ?? newest, anchoring };
}

/** What evidence is collected with. */
export interface EvidenceDeps
  extends Pick<EvidenceParts, "vault" | "issuer" | "receiptKeys" | "renderKeys" | "logKeys"> {
  readonly pool: pg.Pool;
  readonly proofs: Proofs;
  readonly templateOffers: Pick<TemplateOffers, "published">;
  /** Whether checkpoints of the anchor log get time stamps: until then evidence is not complete. */
  readonly hasTimestampAuthority: boolean;
}
