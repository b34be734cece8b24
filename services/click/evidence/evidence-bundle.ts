import type { Evidence as Bundle, TimelineEntry } from "#api/evidence.ts";
import type { Presentation } from "../accept/accept-body.ts";
import { linkedDocuments } from "../accept/verification.ts";
import { aftermathObject, consentObject } from "../consent/aftermath.ts";
import { type Copy, maskedAddress } from "../copies/copy.ts";
import type { PageEvent } from "../sessions/session.ts";
import type { SessionView } from "../sessions/session-view.ts";
import type { Terms } from "../terms/terms.ts";
import {
  agreementPdf,
  type Evidence,
  type EvidencedAcceptance,
  renderedText,
  type ShownText,
  showing,
} from "./evidence.ts";
import { integrityObject } from "./evidence-integrity.ts";
import { statementObject } from "./evidence-statement.ts";

export interface BundleOptions {
  readonly bundleId: string;
  /** False when personal data was left out on request. */
  readonly disclosed: boolean;
}

/** Builds a bundle as it is delivered, without its signature. */
export function buildBundle(
  evidence: Evidence,
  { bundleId, disclosed }: BundleOptions,
): Omit<Bundle, "bundleSignature"> {
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
      ...pdfObject(evidence),
      linkedDocuments: linkedDocuments(terms),
    },
    presentation: { ...showing(shown), ...presentationObject(last?.evidence?.presentation ?? null) },
    policy: { flags: terms.policy, hash: evidence.policyHash, checks: last?.checks ?? [] },
    context: contextObject(evidence, last),
    // Only a reusable session has earlier acceptances.
    earlier: acceptances.slice(0, -1).map(earlierObject),
    timeline: buildTimeline(session, acceptances, evidence.events, evidence.reason),
    consents: aftermath.consents.map(consentObject),
    delivery: evidence.copies.map((copy) => deliveryObject(copy, acceptances)),
    after: aftermathObject(aftermath),
    integrity: integrityObject(text.contentHash, evidence.integrity),
    statement: statementObject(evidence, disclosed),
  };
}

/** The user of the latest acceptance or, without one, the user the session is for. */
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
  copyTo: null,
  metadata: {},
};

/** The address is shown as far as it tells the person whose it is; all of it stands in the disclosures. */
function deliveryObject(
  { receiptId, status, createdAt, endedAt, ...rest }: Copy,
  acceptances: Evidence["acceptances"],
): Bundle["delivery"][number] {
  const copyTo = acceptances.find(({ receipt }) => receipt.receiptId === receiptId)?.evidence?.copyTo ?? null;
  return {
    channel: "EMAIL",
    receiptId,
    to: copyTo && maskedAddress(copyTo),
    status,
    requestedAt: createdAt.toISOString(),
    at: endedAt?.toISOString() ?? null,
    ...rest,
  };
}

/** A session in the API's format. */
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
  PDF: "application/vnd.assent.pdf-text+json",
};

/** Only of texts that are files. */
function pdfObject(evidence: Evidence) {
  const pdf = agreementPdf(evidence);
  return pdf === null ? {} : { pdf: { ...pdf, content: pdf.content.toString("base64") } };
}

const agreementObject = (session: SessionView, terms: Terms, text: ShownText) => ({
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

/** What the sender of the acceptance says about the presentation. */
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

/** A session's events, in the order in which the service learned of them. */
function buildTimeline(
  session: SessionView,
  acceptances: readonly EvidencedAcceptance[],
  events: readonly PageEvent[],
  reason: string | null,
): TimelineEntry[] {
  const entries: (TimelineEntry | undefined)[] = [
    session.origin === "API" ? entry(session.createdAt, "SESSION_CREATED", "BACKEND") : undefined,
    entry(session.presentedAt, "PRESENTED", "SYSTEM"),
    ...events.map(pageEntry),
    ...acceptances.flatMap(acceptanceEntries),
    session.status === "CANCELLED" ? entry(session.updatedAt, "SESSION_CANCELLED", "BACKEND") : undefined,
    session.status === "EXPIRED" ? entry(session.expiresAt, "SESSION_EXPIRED", "SYSTEM") : undefined,
    session.origin === "API"
      ? entry(session.completedAt, "SESSION_COMPLETED", "BACKEND", reason ?? session.outcome)
      : undefined,
  ];
  const known = entries.filter((one) => one !== undefined);
  // The sort is stable: events with equal times keep the order above.
  return known.sort((a, b) => (a.serverAt < b.serverAt ? -1 : a.serverAt > b.serverAt ? 1 : 0));
}

function entry(
  time: Date | null,
  type: string,
  actor: TimelineEntry["actor"],
  detail: string | null = null,
): TimelineEntry | undefined {
  if (time === null) return undefined;
  const at = time.toISOString();
  return { at, serverAt: at, type, actor, source: "SERVER", detail };
}

const pageEntry = ({ type, at, target, serverAt }: PageEvent): TimelineEntry => ({
  at: at?.toISOString() ?? null,
  serverAt: serverAt.toISOString(),
  type,
  actor: "USER",
  source: "CLIENT",
  detail: target,
});

function acceptanceEntries({ receipt, evidence }: EvidencedAcceptance): TimelineEntry[] {
  const serverAt = receipt.acceptedAt;
  const seen = (evidence?.presentation?.events ?? []).map(({ type, at, target }) => ({
    at: at ?? null,
    serverAt,
    type,
    actor: "USER" as const,
    source: "CLIENT" as const,
    detail: target ?? null,
  }));
  const type = receipt.decision === "ACCEPT" ? "ACCEPTED" : "DECLINED";
  return [
    ...seen,
    {
      at: receipt.clientAcceptedAt ?? serverAt,
      serverAt,
      type,
      actor: "USER",
      source: "SERVER",
      detail: receipt.receiptId,
    },
  ];
}
