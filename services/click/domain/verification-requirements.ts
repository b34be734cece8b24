import type { JsonObject } from "@bufbuild/protobuf";
import type { Policy } from "./policy.ts";
import { verificationLevels } from "./verification.ts";

/**
 * The verification that an acceptance must carry, in the words of the API: the same that the templates service answers for
 * a template, but of the flags in force where the text is shown.
 */
export function verificationRequirements(policy: Policy): JsonObject {
  const methods = requiredMethods(policy);
  return { required: methods.length > 0, mode: policy.verificationMode, methods };
}

/** Weakest first, each method once. */
function requiredMethods(policy: Policy): JsonObject[] {
  const named = policy.verificationMethods.filter((method) => method !== "NONE");
  const isChoice = policy.verificationMode === "ANY" && named.length > 1;
  const demanded = new Set(isChoice ? [] : named);
  if (policy.requireAuthenticatedUser) demanded.add("CUSTOMER_SESSION");
  if (policy.requireTypedName) demanded.add("TYPED_NAME");
  if (policy.minAge > 0) demanded.add("AGE_STATEMENT");
  // Who brings a method that is demanded anyway has met the choice as well.
  const alternatives = isChoice && !named.some((method) => demanded.has(method)) ? named : [];
  return [...new Set([...demanded, ...alternatives])]
    .map((method) => ({
      method,
      required: demanded.has(method),
      level: verificationLevels[method] ?? 0,
      validForSeconds: null,
      parameters: parametersOf(method, policy),
    }))
    .sort((a, b) => a.level - b.level || a.method.localeCompare(b.method, "en"));
}

function parametersOf(method: string, { minAge }: Policy): JsonObject {
  if (method === "CUSTOMER_SESSION") return { authMethods: ["PASSWORD", "SSO", "MFA", "PASSKEY"] };
  return method === "AGE_STATEMENT" && minAge > 0 ? { minAge } : {};
}
