import { isIPv4, isIPv6 } from "node:net";
import type { JsonObject } from "@bufbuild/protobuf";
import { parseDisclosure } from "#platform/vault/disclosures.ts";
import type { AcceptBody, ClaimedContext, Presentation, VerificationClaim } from "../accept/accept-body.ts";
import type { Assessment } from "../accept/assessment.ts";
import type { PolicyCheck } from "../accept/policy-checks.ts";
import type { ShownFacts } from "../terms/agreement.ts";
import type { CaptureMode, Policy } from "../terms/policy.ts";

/** Who sent an acceptance. */
export interface ObservedCaller {
  readonly clientId: string;
  readonly requestId: string;
  readonly ip: string;
  readonly userAgent: string;
}

/** What is stored about an acceptance in addition to its receipt. */
export interface AcceptanceEvidence {
  readonly presentation: Presentation | null;
  readonly claimed: ClaimedContext | null;
  readonly observed: ObservedContext & { readonly clientId: string; readonly requestId: string };
  readonly verification: readonly VerificationClaim[];
  readonly typedName: string | null;
  /** Where a copy goes; null when none is sent. */
  readonly copyTo: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly checks: readonly PolicyCheck[];
  /** Absent when nothing is known about how the text was shown. */
  readonly shown?: ShownFacts;
}

/** The sealed part of the evidence that is not in the disclosures of the leaf. */
export interface KeptEvidence {
  /** Whether the client sent any context of its user. */
  readonly claimed: boolean;
  readonly checks: readonly PolicyCheck[];
  readonly shown: Omit<ShownFacts, "renderHash" | "renderToken" | "data"> | null;
}

export function keptEvidence({ claimed, checks, shown }: AcceptanceEvidence): KeptEvidence {
  if (shown === undefined) return { claimed: claimed !== null, checks, shown: null };
  const { renderId, renderedAt, wordsHash, deploymentId, deploymentHash } = shown;
  return {
    claimed: claimed !== null,
    checks,
    shown: { renderId, renderedAt, wordsHash, deploymentId, deploymentHash },
  };
}

/** Rebuilds the evidence from its sealed parts: the stored members, the disclosures, and the hash in the receipt. */
export function restoreEvidence(
  kept: KeptEvidence,
  disclosures: readonly string[],
  renderHash: string | null,
): AcceptanceEvidence {
  const known = disclosedValues(disclosures);
  const { ip, userAgent, pageUrl, referrer, context } = known;
  const { renderToken = null, mergeData: data = null } = known;
  return {
    presentation: known.presentation ?? null,
    claimed: kept.claimed ? { ip, userAgent, pageUrl, referrer, ...context } : null,
    observed: known.observed,
    verification: known.verification ?? [],
    typedName: known.typedName ?? null,
    copyTo: known.copyTo ?? null,
    metadata: known.metadata ?? {},
    checks: kept.checks,
    ...(kept.shown === null ? {} : { shown: { ...kept.shown, renderHash, renderToken, data } }),
  };
}

interface DisclosedEvidence {
  readonly ip?: string;
  readonly userAgent?: string;
  readonly pageUrl?: string;
  readonly referrer?: string;
  readonly context?: Pick<ClaimedContext, "pageTitle" | "acceptLanguage" | "timezone" | "gpc">;
  readonly observed: AcceptanceEvidence["observed"];
  readonly verification?: readonly VerificationClaim[];
  readonly typedName?: string;
  readonly copyTo?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly mergeData?: JsonObject;
  readonly presentation?: Presentation;
  readonly renderToken?: string;
}

/** Values that were disclosed when the acceptance was recorded, by their names. */
const disclosedValues = (disclosures: readonly string[]): DisclosedEvidence =>
  Object.fromEntries(
    disclosures.flatMap((one) => {
      const disclosed = parseDisclosure(one);
      return disclosed === undefined ? [] : [[disclosed.name, disclosed.value]];
    }),
  ) as unknown as DisclosedEvidence;

/** Keeps only the known fields, and of addresses only what the policy allows to be stored. */
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
    copyTo: policy.sendCopyToUser && assessment.decision === "ACCEPT" ? (body.copyTo ?? null) : null,
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

/** The caller's network address and headers, as the gateway saw them. */
export interface ObservedContext {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** The part of the end user's context that may be stored. */
export function captureClaimed(context: ClaimedContext | undefined, policy: Policy): ClaimedContext | null {
  if (context === undefined) return null;
  const { ip, userAgent, pageUrl, pageTitle, referrer, acceptLanguage, timezone, gpc } = context;
  return {
    ip: capture(ip, policy.captureIp, truncateIp) ?? undefined,
    userAgent: capture(userAgent, policy.captureUserAgent, truncateUserAgent) ?? undefined,
    pageUrl,
    pageTitle,
    referrer: capture(referrer, policy.captureReferrer, originOf) ?? undefined,
    acceptLanguage,
    timezone,
    gpc,
  };
}

/** The part of the caller's context that may be stored. With a browser widget the caller is the end user. */
export const captureObserved = (ip: string, userAgent: string, policy: Policy): ObservedContext => ({
  ip: capture(ip, policy.captureIp, truncateIp),
  userAgent: capture(userAgent, policy.captureUserAgent, truncateUserAgent),
});

function capture(value: string | undefined, mode: CaptureMode, truncate: (value: string) => string | null) {
  if (value === undefined || value === "" || mode === "NONE") return null;
  return mode === "FULL" ? value : truncate(value);
}

/** Truncates to the network: /24 for IPv4, /48 for IPv6. */
export function truncateIp(ip: string): string | null {
  if (isIPv4(ip)) return `${ip.split(".").slice(0, 3).join(".")}.0`;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined) return truncateIp(mapped);
  if (!isIPv6(ip)) return null;
  const [head = "", tail] = (ip.split("%")[0] as string).split("::");
  const groups = head === "" ? [] : head.split(":");
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").filter((group) => group !== "").length;
  const all = [...groups, ...Array<string>(Math.max(missing, 0)).fill("0"), ...(tail ?? "").split(":")];
  return `${all
    .slice(0, 3)
    .map((group) => (group === "" ? "0" : group.toLowerCase()))
    .join(":")}::`;
}

/** Keeps product names and major versions; the parts in brackets identify the device. */
export function truncateUserAgent(userAgent: string): string {
  let depth = 0;
  let kept = "";
  for (const char of userAgent) {
    if (char === "(") depth += 1;
    else if (char === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0) kept += char;
  }
  return kept
    .replaceAll(/(\d+)[\d._]*/g, (_, major: string) => major)
    .replaceAll(/\s+/g, " ")
    .trim();
}

const originOf = (url: string): string | null => {
  const origin = URL.parse(url)?.origin;
  return origin === undefined || origin === "null" ? null : origin;
};
