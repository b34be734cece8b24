import type { JsonObject } from "@bufbuild/protobuf";
import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import { defaultPolicyFlags, type PolicyFlags, type verificationMethods } from "./policy-flags.ts";
import type { Template } from "./template.ts";

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

type VerificationMethod = (typeof verificationMethods)[number];

/** What an acceptance must carry about who the person is. */
interface VerificationRequirements {
  readonly required: boolean;
  /** How the methods that are not required by themselves are meant; with ANY, one of them is enough. */
  readonly mode: "ALL" | "ANY";
  readonly methods: readonly RequiredMethod[];
}

interface RequiredMethod {
  readonly method: VerificationMethod;
  /** False for one of several alternatives. */
  readonly required: boolean;
  /** How much it proves. */
  readonly level: number;
  readonly parameters: JsonObject;
}

const levels: Readonly<Record<VerificationMethod, number>> = {
  NONE: 0,
  CUSTOMER_ATTESTED: 1,
  CUSTOMER_SESSION: 2,
  TYPED_NAME: 1,
  AGE_STATEMENT: 1,
};

/** What the flags ask for, weakest first; each method once. */
export function verificationRequirements(flags: PolicyFlags): VerificationRequirements {
  const named = flags.verificationMethods.filter((method) => method !== "NONE");
  const isChoice = flags.verificationMode === "ANY" && named.length > 1;
  const demanded = new Set<VerificationMethod>(isChoice ? [] : named);
  if (flags.requireAuthenticatedUser) demanded.add("CUSTOMER_SESSION");
  if (flags.requireTypedName) demanded.add("TYPED_NAME");
  if (flags.minAge > 0) demanded.add("AGE_STATEMENT");
  // A method that is required anyway also satisfies the choice.
  const isMet = named.some((method) => demanded.has(method));
  const alternatives = isChoice && !isMet ? named : [];
  const methods = [...new Set([...demanded, ...alternatives])].map((method) => ({
    method,
    required: demanded.has(method),
    level: levels[method],
    parameters: parametersOf(method, flags),
  }));
  return {
    required: methods.length > 0,
    mode: flags.verificationMode,
    methods: methods.sort((a, b) => a.level - b.level || a.method.localeCompare(b.method, "en")),
  };
}

function parametersOf(method: VerificationMethod, flags: PolicyFlags): JsonObject {
  switch (method) {
    case "CUSTOMER_SESSION":
      return { authMethods: ["PASSWORD", "SSO", "MFA", "PASSKEY"] };
    case "AGE_STATEMENT":
      return flags.minAge > 0 ? { minAge: flags.minAge } : {};
    default:
      return {};
  }
}
