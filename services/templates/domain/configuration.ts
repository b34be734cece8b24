import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import { defaultPolicyFlags, type PolicyFlags } from "./policy-flags.ts";
import type { Template } from "./template.ts";
import { type VerificationRequirements, verificationRequirements } from "./verification.ts";

export interface EffectiveConfiguration {
  readonly policy: PolicyFlags;
  /** Receipts name the policy that held by it. */
  readonly policyHash: string;
  readonly verification: VerificationRequirements;
}

/** What holds for an acceptance of this template now. */
export function effectiveConfiguration(template: Pick<Template, "type" | "policyFlags">): EffectiveConfiguration {
  // A template that is older than a flag does not state it.
  const policy = { ...defaultPolicyFlags(template.type), ...template.policyFlags };
  return {
    policy,
    policyHash: sha256Label(canonicalJson(policy)),
    verification: verificationRequirements(policy),
  };
}
