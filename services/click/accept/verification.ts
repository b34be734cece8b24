import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Policy } from "../terms/policy.ts";
import type { Terms } from "../terms/terms.ts";
import type { VerificationClaim } from "./accept-body.ts";
import type { PolicyCheck } from "./policy-checks.ts";

/** How strong each method is as proof. */
const verificationLevels: Readonly<Record<string, number>> = {
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

/**
 * Methods where the customer's word is the proof. All others are performed with the service, and a claim proves
 * nothing.
 */
const claimable = new Set(["NONE", "CUSTOMER_ATTESTED", "CUSTOMER_SESSION", "TYPED_NAME", "AGE_STATEMENT"]);

const authenticatedLevel = 2;

/** Checks the flags on how the customer verified the user. */
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

/**
 * The verification an acceptance requires, in the API's terms: as the templates service answers for a template,
 * but for the flags in force where the text is shown.
 */
export function verificationRequirements(policy: Policy): JsonObject {
  const methods = requiredMethods(policy);
  return { required: methods.length > 0, mode: policy.verificationMode, methods };
}

/** Weakest first, without duplicates. */
function requiredMethods(policy: Policy): JsonObject[] {
  const named = policy.verificationMethods.filter((method) => method !== "NONE");
  const isChoice = policy.verificationMode === "ANY" && named.length > 1;
  const demanded = new Set(isChoice ? [] : named);
  if (policy.requireAuthenticatedUser) demanded.add("CUSTOMER_SESSION");
  if (policy.requireTypedName) demanded.add("TYPED_NAME");
  if (policy.minAge > 0) demanded.add("AGE_STATEMENT");
  // A method that is required anyway also satisfies the choice.
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

/** A document linked to a STATIC text and shown beside it. */
interface LinkedDocument {
  readonly name: string;
  readonly url: string | null;
  /** The hash of the bytes behind the URL, as stated by the author. */
  readonly contentHash: string | null;
  readonly mustRead: boolean;
}

/** In display order. */
export function linkedDocuments({ type, typeConfig }: Pick<Terms, "type" | "typeConfig">): LinkedDocument[] {
  const documents = type === "STATIC" && Array.isArray(typeConfig.documents) ? typeConfig.documents : [];
  return documents
    .filter(isObject)
    .toSorted((a, b) => orderOf(a) - orderOf(b))
    .map(({ name, url, contentHash, mustRead }) => ({
      name: textOf(name) ?? "",
      url: textOf(url),
      contentHash: textOf(contentHash),
      mustRead: mustRead === true,
    }));
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Documents without an order come last, as given. */
const orderOf = ({ order }: JsonObject): number => (typeof order === "number" ? order : Number.MAX_SAFE_INTEGER);

const textOf = (value: JsonValue | undefined): string | null => (typeof value === "string" ? value : null);
