import type { Receipt } from "#api/receipts.ts";

type Values = Readonly<Record<string, unknown>>;

/** How a text was shown, as far as it was told. */
export interface Presentation {
  readonly surface: string | null;
  readonly wrapType: string | null;
  readonly displayMode: string | null;
  readonly noticeText: string | null;
  readonly buttonText: string | null;
  readonly checkboxText: string | null;
  readonly scrolledToEnd: boolean | null;
  readonly displayedMs: number | null;
}

export interface PolicyCheck {
  readonly flag: string;
  readonly required: unknown;
  readonly observed: unknown;
  readonly source: "SERVER" | "CLIENT";
  readonly ok: boolean;
}

export interface TimelineEntry {
  readonly at: string | null;
  readonly serverAt: string;
  readonly type: string;
  readonly actor: string;
  readonly detail: string | null;
}

interface Verified {
  readonly method: string;
  readonly verifiedAt?: string | null;
}

interface Earlier {
  readonly receiptId: string;
  readonly presentation: Presentation | null;
  readonly claimed: Values | null;
  readonly observed: Values | null;
  readonly verification: readonly Verified[];
  readonly typedName: string | null;
  readonly metadata: Values;
  readonly checks: readonly PolicyCheck[];
}

/** The parts of an evidence bundle that the page shows; the verifier reads all of it. */
export interface Evidence {
  readonly bundleId: string;
  readonly generatedAt: string;
  readonly organizationId: string;
  readonly sessionId: string;
  readonly receipts: readonly Receipt[];
  readonly subject: {
    readonly verification: readonly Verified[];
    readonly typedName: string | null;
    readonly erased: boolean;
    readonly restricted: boolean;
  };
  readonly agreement: {
    readonly version: { readonly locale: string; readonly title: string; readonly publishedAt: string | null };
    readonly content: string;
    readonly contentType: string;
    readonly contentHash: string;
    readonly rendered: string | null;
  };
  readonly presentation: Presentation;
  readonly policy: { readonly checks: readonly PolicyCheck[] };
  readonly context: { readonly claimed: Values | null; readonly observed: Values | null; readonly metadata: Values };
  readonly earlier: readonly Earlier[];
  readonly timeline: readonly TimelineEntry[];
  readonly delivery: readonly {
    readonly receiptId: string;
    readonly to: string | null;
    readonly status: string;
    readonly at: string | null;
  }[];
  readonly after: {
    readonly withdrawals: readonly { readonly eventId: string; readonly purpose: string; readonly at: string }[];
    readonly laterAcceptances: readonly Pick<Receipt, "receiptId" | "decision" | "versionLabel" | "acceptedAt">[];
    readonly currentRevision: number | null;
  };
  readonly integrity: {
    readonly log: { readonly status?: string; readonly leafIndex: number; readonly treeSize?: number } | null;
    readonly anchor: { readonly status: string } | null;
    readonly records: readonly { readonly recordId: string; readonly kind: string }[];
  };
  readonly statement: { readonly proves: readonly string[]; readonly limitations: readonly string[] };
}

/** What is known of one acceptance of a session. */
export type Details = Omit<Earlier, "receiptId">;

/**
 * A bundle describes the last acceptance of its session in full; what is known of earlier ones is in a separate member.
 */
export function detailsOf(evidence: Evidence, receiptId: string): Details {
  const earlier = evidence.earlier.find((one) => one.receiptId === receiptId);
  if (earlier !== undefined) return earlier;
  const { presentation, subject, context, policy } = evidence;
  return {
    presentation,
    claimed: context.claimed,
    observed: context.observed,
    verification: subject.verification,
    typedName: subject.typedName,
    metadata: context.metadata,
    checks: policy.checks,
  };
}
