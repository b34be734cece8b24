/** What every receipt says of itself. */
interface Recorded {
  readonly receiptId: string;
  readonly organizationId: string;
  readonly userRef: string | null;
  readonly erased: boolean;
  readonly restricted: boolean;
  readonly log: { readonly leafIndex: number; readonly leafHash: string; readonly integrateBy: string };
}

/** Of an acceptance or a refusal. */
export interface Receipt extends Recorded {
  readonly decision: "ACCEPT" | "DECLINE";
  readonly sessionId: string;
  readonly templateId: string;
  readonly templateSlug: string;
  readonly templateName: string;
  readonly revision: number;
  readonly versionLabel: string;
  readonly locale: string;
  readonly action: string;
  readonly assertedBy: string;
  readonly purposes: readonly { readonly purpose: string; readonly granted: boolean }[];
  readonly acceptedAt: string;
  readonly clientAcceptedAt: string | null;
  readonly expiresAt: string | null;
  readonly reacceptBy: string | null;
  readonly superseded: boolean;
}

/** Of a change of consent that was no acceptance. */
export interface ConsentReceipt extends Recorded {
  readonly kind: "CONSENT";
  readonly purpose: string;
  readonly consentStatus: string;
  readonly recordedAt: string;
  readonly occurredAt: string | null;
  readonly expiresAt: string | null;
  readonly legalBasis: string | null;
  readonly source: string;
  readonly method: string | null;
  readonly actor: { readonly type: string; readonly id: string | null };
  readonly reason: string | null;
}

export type AnyReceipt = Receipt | ConsentReceipt;
export const isConsentReceipt = (receipt: AnyReceipt): receipt is ConsentReceipt => "kind" in receipt;

/** What is shown of a template in lists. */
export interface TemplateName {
  readonly id: string;
  readonly name: string;
}

export interface Consent {
  readonly purpose: string;
  readonly status: string;
  readonly valid: boolean;
  readonly legalBasis: string | null;
  readonly receiptId: string | null;
  readonly updatedAt: string | null;
  readonly expiresAt: string | null;
  readonly source: string;
}

export interface AgreedTo {
  readonly templateId: string;
  readonly templateSlug: string;
  readonly versionLabel: string;
  readonly acceptedAt: string | null;
  readonly receiptId: string;
  readonly status: string;
  readonly isLatest: boolean;
  readonly reacceptanceRequired: boolean;
  readonly reacceptBy: string | null;
}

export interface ConsentChange {
  readonly eventId: string;
  readonly type: string;
  readonly purpose: string;
  readonly at: string;
  readonly source: string;
  readonly receiptId: string | null;
  readonly actor: string;
  readonly reason: string | null;
}

export interface ConsentState {
  readonly userRef: string;
  readonly consents: readonly Consent[];
  readonly agreements: readonly AgreedTo[];
  readonly history: readonly ConsentChange[];
}

export interface ErasureAnswer {
  /** Null when there was nothing to do. */
  readonly erasureId: string | null;
  readonly requestedAt: string;
  readonly complete: boolean;
  readonly erased: {
    readonly receipts: readonly string[];
    readonly sessions: readonly string[];
    readonly consentChanges: readonly string[];
  };
  readonly restricted: readonly { readonly receiptId: string; readonly until: string }[];
  readonly kept: readonly { readonly what: string; readonly why: string }[];
  readonly log: { readonly leafIndex: number; readonly leafHash: string } | null;
  readonly statement: string;
}

/** With why it was asked for. */
export interface Erasure extends ErasureAnswer {
  readonly reason: string;
}
