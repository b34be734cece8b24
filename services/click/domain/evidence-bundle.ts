import type { Presentation } from "./accept-body.ts";
import { aftermathObject, consentObject } from "./aftermath.ts";
import type { Evidence, EvidencedAcceptance, ShownText } from "./evidence.ts";
import { integrityObject } from "./evidence-integrity.ts";
import { renderedText, showing } from "./evidence-shown.ts";
import { statementObject } from "./evidence-statement.ts";
import { linkedDocuments } from "./linked-documents.ts";
import type { SessionView } from "./session-view.ts";
import type { Terms } from "./terms.ts";
import { buildTimeline } from "./timeline.ts";

export interface BundleOptions {
  readonly bundleId: string;
  /** False when what is personal was left out on request. */
  readonly disclosed: boolean;
}

/** A bundle in the form in which it is handed over, up to its signature. */
export function buildBundle(evidence: Evidence, { bundleId, disclosed }: BundleOptions): object {
  const { session, acceptances, terms, text, showing: shown, aftermath } = evidence;
  const last = acceptances.at(-1);
  return {
    bundleVersion: 1,
    bundleId,
    generatedAt: evidence.generatedAt.toISOString(),
    organizationId: session.organizationId,
    sessionId: session.id,
    disclosed,
    session: sessionObject(session),
    receipts: acceptances.map(({ receipt }) => receipt),
    subject: subjectObject(session, last),
    agreement: {
      ...agreementObject(session, terms, text),
      ...renderedText(shown),
      linkedDocuments: linkedDocuments(terms),
    },
    presentation: { ...showing(shown), ...presentationObject(last?.evidence?.presentation ?? null) },
    policy: { flags: terms.policy, hash: evidence.policyHash, checks: last?.checks ?? [] },
    context: contextObject(evidence, last),
    // Only a session that may be used many times has earlier ones.
    earlier: acceptances.slice(0, -1).map(earlierObject),
    timeline: buildTimeline(session, acceptances, evidence.events, evidence.reason),
    consents: aftermath.consents.map(consentObject),
    delivery: [],
    after: aftermathObject(aftermath),
    integrity: integrityObject(text.contentHash, evidence.integrity),
    statement: statementObject(evidence, disclosed),
  };
}

/** Who made the last acceptance or, for want of one, whom the session is for. */
const subjectObject = (session: SessionView, last: EvidencedAcceptance | undefined) => ({
  userRef: last === undefined ? session.userRef : last.receipt.userRef,
  verification: last?.evidence?.verification ?? [],
  typedName: last?.evidence?.typedName ?? null,
  erased: (last?.receipt ?? session).erased,
  restricted: (last?.receipt ?? session).restricted,
});

const contextObject = ({ sessionContext }: Evidence, last: EvidencedAcceptance | undefined) => ({
  claimed: last === undefined ? sessionContext : (last.evidence?.claimed ?? null),
  observed: last?.evidence?.observed ?? null,
  metadata: last?.evidence?.metadata ?? {},
  session: sessionContext,
});

const earlierObject = ({ receipt: { receiptId }, evidence, checks }: EvidencedAcceptance) =>
  evidence === null ? { receiptId, ...nothingKnown, checks } : { receiptId, ...evidence };

const nothingKnown = {
  presentation: null,
  claimed: null,
  observed: null,
  verification: [],
  typedName: null,
  metadata: {},
};

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

function presentationObject(shown: Presentation | null): object {
  const said = saidOf(shown);
  return { claimed: Object.keys(said), ...said };
}

/** What the sender of the acceptance says of the presentation. */
const saidOf = (shown: Presentation | null): object => ({
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
