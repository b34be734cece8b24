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

/** A bundle as delivered. */
export interface WrittenBundle {
  readonly json: string;
  /** The public keys of all its signatures, including its own. */
  readonly keys: readonly EvidenceJwk[];
}

/**
 * Signs a bundle's canonical form (RFC 8785) without the signature, so that it may be parsed and serialized
 * again. The largest bundles, of several MiB, take three turns of a few milliseconds.
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

/** The tree against which leaves are proven. */
export interface ChosenTree {
  readonly checkpoint: Published;
  /** Undefined while the checkpoint is not anchored. */
  readonly anchoring: Anchoring | undefined;
}

/**
 * The anchored tree that contains all these leaves, or else the newest published one. Leaves not yet in any
 * published tree are ignored; undefined when that is all of them. Takes the leaves in log order.
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

/** The dependencies of collecting evidence. */
export interface EvidenceDeps
  extends Pick<EvidenceParts, "vault" | "issuer" | "receiptKeys" | "renderKeys" | "logKeys"> {
  readonly pool: pg.Pool;
  readonly proofs: Proofs;
  readonly templateOffers: Pick<TemplateOffers, "published">;
  /** Whether checkpoints of the anchor log get timestamps. Evidence is complete only with one. */
  readonly hasTimestampAuthority: boolean;
}
