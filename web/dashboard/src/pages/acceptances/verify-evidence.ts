import { missingSupport } from "../../../../verify/src/ed25519.ts";
import { type Verification, verifyBundle } from "../../../../verify/src/verify-bundle.ts";
import type { Evidence } from "./evidence.ts";

export type EvidenceVerdict =
  | { readonly kind: "verified"; readonly verification: Verification }
  /** Why this browser cannot check anything. */
  | { readonly kind: "unsupported"; readonly reason: string };

/** The offline verifier's checks of a bundle, with the keys from where the installation publishes them. */
export async function verifyEvidence(
  evidence: Evidence,
  get: (path: string) => Promise<object>,
): Promise<EvidenceVerdict> {
  const reason = await missingSupport();
  if (reason !== undefined) return { kind: "unsupported", reason };
  const keys = await get(`/.well-known/click-keys.json?log=${encodeURIComponent(evidence.organizationId)}`);
  return { kind: "verified", verification: await verifyBundle(JSON.stringify(evidence), { keys }) };
}
