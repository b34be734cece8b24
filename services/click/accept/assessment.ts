import type { Receipt } from "#api/receipts.ts";
import { DomainError, type ErrorCode, type FieldProblem } from "#platform/errors.ts";
import { isExpired, type RenderClaims, renderedAt } from "../render/render-tokens.ts";
import type { Agreement, MergeOutcome, PresentedToken, SessionFacts } from "../terms/agreement.ts";
import { type AcceptBody, type Decision, type PurposeDecision, parseTimestamp } from "./accept-body.ts";
import { checkDeclinePolicy, checkPolicy, failedChecks, type PolicyCheck } from "./policy-checks.ts";
import { checkVerification } from "./verification.ts";

export interface AssessmentInput {
  readonly body: AcceptBody;
  readonly agreement: Agreement;
  readonly session: SessionFacts | undefined;
  readonly organizationId: string;
  readonly token: PresentedToken;
  readonly merged: MergeOutcome;
  /** What was shown has the disclosure on electronic records. */
  readonly hasDisclosure: boolean;
  /** The hash of a user reference within the organization. */
  userKey(userRef: string): string;
  readonly now: Date;
}

/** What an acceptance states once it has passed every rule. */
export interface Assessment {
  readonly decision: Decision;
  readonly action: Receipt["action"];
  readonly userRef: string;
  /** The time the client claims, in the API's format. */
  readonly clientAcceptedAt: string | null;
  readonly purposes: readonly PurposeDecision[];
  readonly checks: readonly PolicyCheck[];
}

/**
 * Applies the rules that need no further look-up. Throws the first violation: field errors first, then rules of
 * meaning.
 */
export function assess(input: AssessmentInput): Assessment {
  const { body, agreement, session, token, merged, hasDisclosure, now } = input;
  const decision = body.decision ?? "ACCEPT";
  const action = body.action ?? (session === undefined ? "API" : "BUTTON");
  const clientAcceptedAt = body.acceptedAt === undefined ? null : readClaimedTime(body.acceptedAt, now);
  refuse("CLICK_VALIDATION_FAILED", purposeProblems(body, agreement));
  const userRef = readUserRef(body, session);
  const { policy, type } = agreement.terms.terms;
  const displayedSince = session === undefined ? tokenTime(token) : session.displayedSince;
  const facts = {
    type,
    policy,
    body,
    action,
    isDirect: session === undefined,
    displayedSince,
    page: session?.pageFacts ?? null,
    hasDisclosure,
    now,
  };
  const answer = { decision, action, userRef, clientAcceptedAt };
  if (decision === "DECLINE") {
    requireRightToken(input, userRef, false);
    const checks = checkDeclinePolicy(facts);
    refuse("CLICK_POLICY_NOT_SATISFIED", failedChecks(checks));
    return { ...answer, purposes: refusedPurposes(body, agreement), checks };
  }
  if (merged instanceof DomainError) throw merged;
  requireRightToken(input, userRef, policy.requireRenderToken);
  const purposes = honourGpc(body, agreement);
  const checks = checkPolicy(facts);
  refuse("CLICK_POLICY_NOT_SATISFIED", [...failedChecks(checks), ...missingPurposes(purposes, agreement)]);
  const verification = checkVerification(policy, body.verification ?? [], body.typedName);
  refuse("CLICK_VERIFICATION_REQUIRED", failedChecks(verification));
  return { ...answer, purposes, checks: [...checks, ...verification] };
}

function requireRightToken(input: AssessmentInput, userRef: string, isRequired: boolean): void {
  const { token, merged, session, organizationId, agreement, now } = input;
  const renderHash = merged === undefined || merged instanceof DomainError ? session?.renderHash : merged.renderHash;
  const userKey = () => input.userKey(userRef);
  const context = { organizationId, agreement, session, renderHash: renderHash ?? null, userKey, now };
  checkRenderToken(token, isRequired, context);
}

const tokenTime = (token: PresentedToken): Date | undefined =>
  typeof token === "object" ? renderedAt(token) : undefined;

function refuse(code: ErrorCode, details: readonly FieldProblem[]): void {
  if (details.length > 0) throw new DomainError(code, { details });
}

const maxClockSkewMs = 5 * 60_000;

function readClaimedTime(text: string, now: Date): string {
  const time = parseTimestamp(text);
  if (time === undefined) throw new Error("the shape of acceptedAt was not checked");
  if (time.getTime() > now.getTime() + maxClockSkewMs) {
    const message = "is more than five minutes in the future";
    throw new DomainError("CLICK_VALIDATION_FAILED", { details: [{ field: "acceptedAt", code: "FUTURE", message }] });
  }
  return time.toISOString();
}

function readUserRef(body: AcceptBody, session: SessionFacts | undefined): string {
  const expected = session?.userRef ?? undefined;
  const userRef = body.userRef ?? expected;
  if (userRef === undefined) {
    const message = "is required because the session has none";
    throw new DomainError("CLICK_VALIDATION_FAILED", { details: [{ field: "userRef", code: "REQUIRED", message }] });
  }
  if (expected !== undefined && userRef !== expected) throw new DomainError("CLICK_USER_REF_MISMATCH");
  return userRef;
}

function purposeProblems(body: AcceptBody, { terms }: Agreement): FieldProblem[] {
  const seen = new Set<string>();
  return (body.purposes ?? []).flatMap(({ purpose, granted }, index) => {
    const field = `purposes[${index}].purpose`;
    if (granted && body.decision === "DECLINE") {
      return [{ field: `purposes[${index}].granted`, code: "DISAGREES", message: "cannot be true in a decline" }];
    }
    if (!terms.purposes.has(purpose)) return [{ field, code: "UNKNOWN", message: "is not a purpose of the template" }];
    if (seen.has(purpose)) return [{ field, code: "REPEATED", message: "is decided twice" }];
    seen.add(purpose);
    return [];
  });
}

/** A decline refuses every purpose that was asked for. */
function refusedPurposes(body: AcceptBody, { terms }: Agreement): readonly PurposeDecision[] {
  const named = (body.purposes ?? []).map(({ purpose }) => purpose);
  return (named.length > 0 ? named : [...terms.purposes.keys()]).map((purpose) => ({ purpose, granted: false }));
}

/** Global Privacy Control refuses the sale and sharing of data, whatever else was ticked. */
function honourGpc(body: AcceptBody, { terms }: Agreement): readonly PurposeDecision[] {
  const purposes = (body.purposes ?? []).map(({ purpose, granted }) => ({ purpose, granted }));
  if (!terms.terms.policy.honorGpc || body.context?.gpc !== true) return purposes;
  return purposes.map(({ purpose, granted }) => ({
    purpose,
    granted: granted && terms.purposes.get(purpose)?.saleOrShare !== true,
  }));
}

function missingPurposes(decided: readonly PurposeDecision[], { terms }: Agreement): FieldProblem[] {
  if (terms.terms.type !== "CONSENT") return [];
  if (decided.length === 0) return [{ field: "purposes", code: "REQUIRED", message: "must say what was decided" }];
  const granted = new Set(decided.filter((decision) => decision.granted).map((decision) => decision.purpose));
  return [...terms.purposes]
    .filter(([key, purpose]) => purpose.required && !granted.has(key))
    .map(([key]) => ({
      field: "purposes",
      code: "NOT_GRANTED",
      message: `the required purpose ${key} is not granted`,
    }));
}

/** What an acceptance's render token must agree with. */
interface TokenContext {
  readonly organizationId: string;
  readonly agreement: Agreement;
  readonly session: SessionFacts | undefined;
  /** The hash of the merged text that is accepted, if there is one. */
  readonly renderHash: string | null;
  /** The hash of the accepting user's reference. */
  userKey(): string;
  readonly now: Date;
}

/**
 * A token that is sent must be valid, whether or not the policy requires one, because the receipt quotes it.
 * Throws CLICK_RENDER_TOKEN_INVALID.
 */
function checkRenderToken(token: PresentedToken, isRequired: boolean, context: TokenContext): void {
  if (token === undefined) {
    if (isRequired) throw invalid("REQUIRED", "is required: render the text and send the token that comes with it");
    return;
  }
  // One answer for every invalid token, so that it does not reveal whose token it is.
  if (token === "not ours" || token.org !== context.organizationId) {
    throw invalid("NOT_OURS", "is not a token that was issued to this organization");
  }
  if (isExpired(token, context.now)) throw invalid("EXPIRED", "has expired");
  if ((token.sid ?? null) !== (context.session?.id ?? null)) {
    throw invalid("OTHER_SESSION", "belongs to another session, or to none");
  }
  if (!isSameText(token, context)) throw invalid("OTHER_TEXT", "belongs to another text");
  if (token.usr !== undefined && token.usr !== context.userKey()) {
    throw invalid("OTHER_USER", "was issued for another user");
  }
}

const isSameText = (token: RenderClaims, { agreement, renderHash }: TokenContext): boolean =>
  token.tpl === agreement.templateId &&
  token.ver === agreement.versionId &&
  token.rev === agreement.revision &&
  token.ch === agreement.contentHash &&
  (renderHash === null || token.rh === renderHash);

const invalid = (code: string, message: string): DomainError =>
  new DomainError("CLICK_RENDER_TOKEN_INVALID", { details: [{ field: "renderToken", code, message }] });
