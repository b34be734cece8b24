import type { VerificationClaim } from "./accept-body.ts";
import type { Policy } from "./policy.ts";
import type { PolicyCheck } from "./policy-checks.ts";

/** How much each method proves. */
export const verificationLevels: Readonly<Record<string, number>> = {
  NONE: 0,
  CUSTOMER_ATTESTED: 1,
  TYPED_NAME: 1,
  AGE_STATEMENT: 1,
  CUSTOMER_SESSION: 2,
  EMAIL_OTP: 2,
  SMS_OTP: 2,
  OIDC: 3,
  PASSKEY: 3,
};

/** Methods for which the customer's word is the proof. The others are passed with us, and a claim proves nothing. */
const claimable = new Set(["NONE", "CUSTOMER_ATTESTED", "CUSTOMER_SESSION", "TYPED_NAME", "AGE_STATEMENT"]);

const authenticatedLevel = 2;

/** Checks the flags that ask how the customer knows the user. */
export function checkVerification(
  policy: Policy,
  claims: readonly VerificationClaim[],
  typedName: string | undefined,
): PolicyCheck[] {
  const methods = claims.map((claim) => claim.method);
  const checks: PolicyCheck[] = [];
  if (policy.requireAuthenticatedUser) {
    const ok = methods.some((method) => (verificationLevels[method] ?? 0) >= authenticatedLevel);
    checks.push({ flag: "requireAuthenticatedUser", required: true, observed: ok, source: "CLIENT", ok });
  }
  if (policy.minAge > 0) {
    const ok = methods.includes("AGE_STATEMENT");
    checks.push({ flag: "minAge", required: policy.minAge, observed: ok, source: "CLIENT", ok });
  }
  const required = policy.verificationMethods.filter((method) => method !== "NONE");
  if (required.length > 0) {
    const isPassed = (method: string): boolean =>
      claimable.has(method) &&
      (methods.includes(method) || (method === "TYPED_NAME" && (typedName ?? "").trim() !== ""));
    const passed = required.filter(isPassed);
    const ok = policy.verificationMode === "ANY" ? passed.length > 0 : passed.length === required.length;
    checks.push({ flag: "verificationMethods", required, observed: passed, source: "CLIENT", ok });
  }
  return checks;
}
