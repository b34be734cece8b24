import type { Evidence } from "#api/evidence.ts";
import type { Receipt } from "#api/receipts.ts";

/** The part of a bundle's JSON that the PDF shows. */
export interface PrintedBundle {
  readonly bundleId: string;
  readonly generatedAt: string;
  readonly organizationId: string;
  readonly sessionId: string;
  readonly disclosed: boolean;
  readonly session: PrintedSession;
  readonly receipts: readonly Receipt[];
  readonly subject: {
    readonly userRef: string | null;
    readonly verification: readonly PrintedVerification[];
    readonly typedName: string | null;
    readonly erased: boolean;
    readonly restricted: boolean;
  };
  readonly agreement: PrintedAgreement;
  readonly presentation: PrintedPresentation;
  readonly policy: { readonly hash: string; readonly checks: Evidence["policy"]["checks"] };
  readonly context: {
    readonly claimed: PrintedContext | null;
    readonly observed: PrintedContext | null;
    readonly metadata: Readonly<Record<string, string>>;
    readonly session: PrintedContext | null;
  };
  readonly timeline: Evidence["timeline"];
  readonly consents: readonly PrintedConsent[];
  readonly delivery: readonly { readonly status: string; readonly to: string | null; readonly at: string | null }[];
  readonly after: {
    readonly withdrawals: readonly PrintedEnding[];
    readonly laterAcceptances: readonly PrintedLater[];
    readonly currentRevision: number | null;
  };
  readonly integrity: Omit<Evidence["integrity"], "keys"> & {
    readonly keys: readonly { readonly kid: string; readonly purpose?: string }[];
  };
  readonly statement: Evidence["statement"];
  readonly bundleSignature: Evidence["bundleSignature"];
}

export interface PrintedSession {
  readonly status: string;
  readonly outcome: string | null;
  readonly origin: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly deploymentId: string | null;
  readonly createdAt: string;
  readonly presentedAt: string | null;
  readonly completedAt: string | null;
  readonly expiresAt: string | null;
}

export interface PrintedVerification {
  readonly method: string;
  readonly verifiedAt?: string;
  readonly reference?: string;
}

export interface PrintedAgreement {
  readonly template: {
    readonly id: string;
    readonly slug: string;
    readonly name: string;
    readonly type: string;
    readonly counterparty: Readonly<Record<string, string | null>> | null;
  };
  readonly version: {
    readonly id: string;
    readonly locale: string;
    readonly revision: number;
    readonly label: string;
    readonly title: string | null;
    readonly publishedAt: string | null;
    readonly publishedBy: string;
  };
  readonly content: string;
  readonly contentType: string;
  readonly contentHash: string;
  readonly rendered: string | null;
  readonly renderHash: string | null;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly linkedDocuments: readonly PrintedDocument[];
  /** Of a text that is a file. */
  readonly pdf?: { readonly hash: string; readonly pages: number };
}

export interface PrintedDocument {
  readonly name: string;
  readonly url: string | null;
  readonly contentHash: string | null;
  readonly mustRead: boolean;
}

export interface PrintedPresentation {
  readonly deployment: { readonly name?: string; readonly key?: string } | null;
  readonly deploymentHash: string | null;
  readonly renderedAt: string | null;
  readonly rendering: { readonly renderId: string | null; readonly words: PrintedWords | null } | null;
  readonly surface: string | null;
  readonly wrapType: string | null;
  readonly displayMode: string | null;
  readonly noticeText: string | null;
  readonly buttonText: string | null;
  readonly checkboxText: string | null;
  readonly checkboxInitiallyChecked: boolean | null;
  readonly scrolledToEnd: boolean | null;
  readonly displayedMs: number | null;
  readonly documentsOpened: readonly string[];
  readonly viewport: { readonly w?: number; readonly h?: number } | null;
  readonly screenshot: { readonly hash: string } | null;
}

/** The words around the text when the service itself showed it. */
export interface PrintedWords {
  readonly title?: string;
  readonly noticeText?: string;
  readonly buttonText?: string;
  readonly checkboxText?: string;
  readonly declineText?: string;
  readonly disclosure?: { readonly title: string; readonly text: string };
  /** Told to somebody who had accepted an earlier text. */
  readonly changes?: {
    readonly from: { readonly label: string; readonly revision: number };
    readonly changeSummary: string | null;
    readonly shownHash: string;
  };
}

export interface PrintedContext {
  readonly ip?: string | null;
  readonly userAgent?: string | null;
  readonly pageUrl?: string;
  readonly pageTitle?: string;
  readonly referrer?: string;
  readonly acceptLanguage?: string;
  readonly timezone?: string;
  readonly gpc?: boolean;
  readonly clientId?: string;
  readonly requestId?: string;
}

export interface PrintedConsent {
  readonly purpose: string;
  readonly status: string;
  readonly at: string;
  readonly legalBasis: string | null;
  readonly jurisdiction: string | null;
  readonly method: string | null;
  readonly expiresAt: string | null;
}

export interface PrintedEnding {
  readonly type: string;
  readonly purpose: string;
  readonly at: string;
  readonly actor: string;
  readonly reason: string | null;
}

export interface PrintedLater {
  readonly receiptId: string;
  readonly decision: string;
  readonly revision: number;
  readonly versionLabel: string;
  readonly acceptedAt: string;
}
