import type { Presentation } from "./accept-body.ts";
import type { AcceptanceEvidence } from "./acceptance-evidence.ts";
import { type Aftermath, aftermathObject, consentObject } from "./aftermath.ts";
import { type EvidencedShowing, renderedText, showing } from "./evidence-shown.ts";
import { linkedDocuments } from "./linked-documents.ts";
import type { PageEvent } from "./page-facts.ts";
import type { Receipt } from "./receipt.ts";
import type { SessionView } from "./session-view.ts";
import type { Terms } from "./terms.ts";
import { buildTimeline } from "./timeline.ts";

/** The text that was shown, as it was kept. */
export interface ShownText {
  readonly title: string | null;
  readonly content: Buffer;
  readonly format: "HTML" | "MARKDOWN" | "TEXT";
  readonly contentHash: string;
  readonly texts: object;
  readonly publishedAt: Date | null;
  readonly publishedBy: string;
}

/** An acceptance with what was kept of it, under the terms that held for it. */
export interface EvidencedReceipt {
  readonly receipt: Receipt;
  readonly evidence: AcceptanceEvidence;
}

export interface BundleInput {
  readonly bundleId: string;
  readonly generatedAt: Date;
  readonly session: SessionView;
  /** Why the session was closed, if somebody said so. */
  readonly reason: string | null;
  /** The end user's side as it was when the session was created. */
  readonly sessionContext: object | null;
  /** Oldest first. */
  readonly receipts: readonly EvidencedReceipt[];
  readonly terms: Terms;
  readonly policyHash: string;
  readonly text: ShownText;
  readonly showing: EvidencedShowing;
  /** What the page of the session told us, oldest first. */
  readonly events: readonly PageEvent[];
  readonly aftermath: Aftermath;
}

/** Everything that is known about a session, in the form in which it is handed over. */
export function buildBundle(input: BundleInput): object {
  const { session, receipts, terms, text } = input;
  const last = receipts.at(-1);
  return {
    bundleVersion: 1,
    bundleId: input.bundleId,
    generatedAt: input.generatedAt.toISOString(),
    organizationId: session.organizationId,
    sessionId: session.id,
    session: sessionObject(session),
    receipts: receipts.map(({ receipt }) => receipt),
    subject: {
      userRef: session.userRef,
      verification: last?.evidence.verification ?? [],
      typedName: last?.evidence.typedName ?? null,
      erased: false,
    },
    agreement: {
      ...agreementObject(session, terms, text),
      ...renderedText(input.showing),
      linkedDocuments: linkedDocuments(terms),
    },
    presentation: { ...showing(input.showing), ...presentationObject(last?.evidence.presentation ?? null) },
    policy: { flags: terms.policy, hash: input.policyHash, checks: last?.evidence.checks ?? [] },
    context: { claimed: last?.evidence.claimed ?? input.sessionContext, observed: last?.evidence.observed ?? null },
    // Only a session that may be used many times has earlier ones.
    earlier: receipts.slice(0, -1).map(({ receipt, evidence }) => ({ receiptId: receipt.receiptId, ...evidence })),
    timeline: buildTimeline(session, receipts, input.events, input.reason),
    consents: input.aftermath.consents.map(consentObject),
    delivery: [],
    after: aftermathObject(input.aftermath),
    integrity: {
      contentHash: text.contentHash,
      leafData: null,
      leafHash: null,
      receiptJws: null,
      disclosures: [],
      log: null,
      anchor: null,
      keys: [],
    },
    statement: buildStatement(receipts),
  };
}

/** A session in the words of the API. */
function sessionObject(session: SessionView): object {
  const { createdAt, presentedAt, acceptedAt, completedAt, expiresAt, updatedAt, claims: _, ...rest } = session;
  return {
    ...rest,
    createdAt: createdAt.toISOString(),
    presentedAt: presentedAt?.toISOString() ?? null,
    acceptedAt: acceptedAt?.toISOString() ?? null,
    completedAt: completedAt?.toISOString() ?? null,
    expiresAt: expiresAt?.toISOString() ?? null,
    updatedAt: updatedAt.toISOString(),
  };
}

const contentTypes = {
  HTML: "text/html; charset=utf-8",
  MARKDOWN: "text/markdown; charset=utf-8",
  TEXT: "text/plain; charset=utf-8",
};

const agreementObject = (session: SessionView, terms: Terms, text: ShownText): object => ({
  template: {
    id: terms.templateId,
    slug: terms.slug,
    name: terms.name,
    type: terms.type,
    counterparty: terms.counterparty,
    typeConfig: terms.typeConfig,
  },
  version: {
    id: session.versionId,
    locale: session.locale,
    revision: session.revision,
    label: session.label,
    title: text.title,
    texts: text.texts,
    publishedAt: text.publishedAt?.toISOString() ?? null,
    publishedBy: text.publishedBy,
  },
  content: text.content.toString("utf8"),
  contentType: contentTypes[text.format],
  contentHash: text.contentHash,
});

const presentationObject = (shown: Presentation | null): object => ({
  surface: shown?.surface ?? null,
  wrapType: shown?.wrapType ?? null,
  displayMode: shown?.displayMode ?? null,
  noticeText: shown?.noticeText ?? null,
  buttonText: shown?.buttonText ?? null,
  checkboxText: shown?.checkboxText ?? null,
  checkboxInitiallyChecked: shown?.checkboxInitiallyChecked ?? null,
  scrolledToEnd: shown?.scrolledToEnd ?? null,
  displayedMs: shown?.displayedMs ?? null,
  documentsOpened: shown?.documentsOpened ?? [],
  viewport: shown?.viewport ?? null,
  screenshot: shown?.screenshotHash === undefined ? null : { hash: shown.screenshotHash, url: null },
  events: shown?.events ?? [],
});

const process =
  "The text and the terms in force were stored before the session or acceptance that refers to them. The acceptance was checked against the policy and written in one database transaction together with the change of its session; acceptedAt is the time of that check by the clock of the service. The receipt is stored as it was first answered.";

const limitations = [
  "That the act was the user's own is asserted by the party that sent the acceptance.",
  "Checks with the source CLIENT rest on what the sender says about the presentation.",
];

function buildStatement(receipts: readonly EvidencedReceipt[]): object {
  const assertedBy = receipts.at(-1)?.receipt.assertedBy ?? null;
  if (receipts.length > 0) return { process, assertedBy, limitations };
  return { process: "No acceptance was recorded for this session.", assertedBy, limitations: [] };
}
