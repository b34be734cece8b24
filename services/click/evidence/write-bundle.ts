import { setImmediate as nextTurn } from "node:timers/promises";
import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import { signJws } from "../domain/compact-jws.ts";
import type { Evidence } from "../domain/evidence.ts";
import { type BundleOptions, buildBundle } from "../domain/evidence-bundle.ts";
import { type EvidenceJwk, evidenceJwk } from "../keys/evidence-jwk.ts";
import type { EvidenceDeps } from "./evidence-deps.ts";

/** The `typ` of the signature of a bundle. */
export const bundleTyp = "click-evidence+jws";

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
