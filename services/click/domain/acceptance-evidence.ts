import type { AcceptBody, ClaimedContext, Presentation, VerificationClaim } from "./accept-body.ts";
import type { Assessment } from "./assessment.ts";
import { captureClaimed, captureObserved, type ObservedContext } from "./capture.ts";
import type { Policy } from "./policy.ts";
import type { PolicyCheck } from "./policy-checks.ts";
import type { ShownFacts } from "./shown.ts";

/** Who sent an acceptance. */
export interface ObservedCaller {
  readonly clientId: string;
  readonly requestId: string;
  readonly ip: string;
  readonly userAgent: string;
}

/** What is kept of an acceptance besides its receipt. */
export interface AcceptanceEvidence {
  readonly presentation: Presentation | null;
  readonly claimed: ClaimedContext | null;
  readonly observed: ObservedContext & { readonly clientId: string; readonly requestId: string };
  readonly verification: readonly VerificationClaim[];
  readonly typedName: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly checks: readonly PolicyCheck[];
  /** Absent when we know nothing of how the text was shown. */
  readonly shown?: ShownFacts;
}

/** Takes the known fields only, and of addresses only what the policy lets us keep. */
export function gatherEvidence(
  body: AcceptBody,
  assessment: Assessment,
  caller: ObservedCaller,
  policy: Policy,
  shown: ShownFacts | null,
): AcceptanceEvidence {
  const { ip, userAgent, clientId, requestId } = caller;
  return {
    presentation: body.presentation === undefined ? null : knownPresentation(body.presentation),
    claimed: captureClaimed(body.context, policy),
    observed: { ...captureObserved(ip, userAgent, policy), clientId, requestId },
    verification: (body.verification ?? []).map(knownVerification),
    typedName: body.typedName ?? null,
    metadata: body.metadata ?? {},
    checks: assessment.checks,
    ...(shown === null ? {} : { shown }),
  };
}

function knownPresentation(given: Presentation): Presentation {
  const { surface, wrapType, displayMode, noticeText, buttonText, checkboxText, checkboxInitiallyChecked } = given;
  const { scrolledToEnd, displayedMs, documentsOpened, viewport, screenshotHash, events } = given;
  return {
    surface,
    wrapType,
    displayMode,
    noticeText,
    buttonText,
    checkboxText,
    checkboxInitiallyChecked,
    scrolledToEnd,
    displayedMs,
    documentsOpened,
    viewport: viewport && { w: viewport.w, h: viewport.h },
    screenshotHash,
    events: events?.map(({ type, at, target }) => ({ type, at, target })),
  };
}

const knownVerification = ({ method, verifiedAt, reference }: VerificationClaim): VerificationClaim => ({
  method,
  verifiedAt,
  reference,
});
