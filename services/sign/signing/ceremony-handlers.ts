import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { type Tenant, withOrg, withOrgSnapshot } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { AdoptedSignature, Check } from "../agreement/agreement.ts";
import type { ChangeDeps } from "../agreement/change-agreement.ts";
import { agreementMessage } from "../agreement/messages.ts";
import { isActing } from "../agreement/recipients.ts";
import { isOpen } from "../agreement/transitions.ts";
import { isShownTo, seesAll } from "../agreement/visibility.ts";
import { resolveBrand } from "../brands/brand-store.ts";
import { brandMessage } from "../brands/handlers.ts";
import type { SignDeps } from "../deps.ts";
import { pdfFileName, readDocument } from "../edit/documents.ts";
import { requireDocument } from "../edit/edit-documents.ts";
import { isBeforeViewing, pendingChecks } from "../identity/checks.ts";
import { pendingMessage } from "../identity/messages.ts";
import { isOverdue } from "../send/end-agreement.ts";
import { openAgreement, requireOpenable } from "../send/open.ts";
import { seenByRecipient, seenBySender } from "./ceremony.ts";
import { type ConsentText, consentTexts } from "./consent-text.ts";
import { findProgress, type Progress, withProgress } from "./progress.ts";
import { withEvent } from "./return-url.ts";
import {
  type callerOfVisit,
  changeInSession,
  type RecipientSession,
  requireSession,
  requireShowable,
  type SigningSession,
  signerContext,
  viewExpired,
  wireViewKinds,
} from "./signing-session.ts";
import { noteSeen } from "./view-store.ts";

export const getCeremony = (deps: SignDeps): Pick<ServiceImpl<typeof SigningService>, "getCeremony"> => ({
  async getCeremony({ sessionToken }) {
    const session = await requireOpenSession(deps, sessionToken);
    const { orgId, view, recipient, expiresAt } = session;
    requireShowable(recipient, session.agreement, deps.clock.now());
    const { name: organizationName } = await deps.organizations.of(orgId);
    const { consentedAt } = recipient ?? { consentedAt: null };
    const now = deps.clock.now();
    const pending = pendingOf(session, now);
    const isHidden = pending.some(isFirst(session));
    const progress = isHidden ? undefined : await progressIn(deps, session);
    const seen = isHidden ? undefined : seenIn(session, progress);
    const brand = await withOrg(deps.pool, orgId, (tenant) => resolveBrand(tenant, session.agreement?.brandId ?? null));
    return {
      ...(brand === undefined ? {} : { brand: brandMessage(brand) }),
      ...(progress === undefined ? {} : { progress: progressMessage(progress) }),
      kind: wireViewKinds[view.kind],
      ...(seen === undefined ? {} : { agreement: agreementMessage(seen, orgId) }),
      recipientId: isHidden ? "" : (recipient?.id ?? ""),
      organizationId: orgId,
      verification: recipient === undefined ? [] : pending.map((one) => pendingMessage(one, recipient, view, now)),
      returnUrl: view.returnUrl,
      frameAncestors: [...view.frameAncestors],
      ...(consentedAt === null || isHidden ? {} : { consentedAt: timestampFromDate(consentedAt) }),
      sessionExpiresAt: timestampFromDate(expiresAt),
      organizationName,
      canAct: !isHidden && isWaitedFor(session, now),
      hasCertificate: !isHidden && hasCertificate(session),
      timeoutUrl: withEvent(view.returnUrl, "session_timeout"),
      consentTexts: !isHidden && isWaitedFor(session, now) && consentedAt === null ? await textsOf(deps, session) : [],
    };
  },
});

/** What the session has not proved yet. */
const pendingOf = ({ recipient, view }: SigningSession, now: Date): readonly Check[] =>
  recipient === undefined ? [] : pendingChecks(recipient, view, now);

/** Whether a check comes before anything is shown. */
const isFirst =
  ({ recipient }: SigningSession) =>
  (check: Check): boolean =>
    recipient !== undefined && isBeforeViewing(check, recipient);

/** Whoever only has to look has nothing to do but to load the documents. */
const isWaitedFor = ({ agreement, recipient }: SigningSession, now: Date): boolean =>
  agreement !== undefined &&
  recipient !== undefined &&
  recipient.role !== "certified-delivery" &&
  isOpen(agreement) &&
  !isOverdue(agreement, now) &&
  isActing(recipient);

const textsOf = async (deps: SignDeps, session: SigningSession) =>
  (await servedConsentTexts(deps, session)).map(({ content: _, points, ...text }) => ({
    ...text,
    points: [...points],
  }));

function seenIn({ agreement, recipient }: SigningSession, progress: Progress | undefined) {
  if (agreement === undefined) return undefined;
  if (recipient === undefined) return seenBySender(agreement);
  const seen = seenByRecipient(agreement, recipient.id);
  const recipients = seen.recipients.map((one) => (one.id === recipient.id ? withProgress(one, progress) : one));
  return { ...seen, recipients };
}

/** What the person has saved, while there is something left for them to do. */
async function progressIn(
  { pool, files, clock }: Pick<SignDeps, "pool" | "files" | "clock">,
  session: SigningSession,
): Promise<Progress | undefined> {
  const { orgId, agreement, recipient } = session;
  if (agreement === undefined || recipient === undefined || !isWaitedFor(session, clock.now())) return undefined;
  const saved = await withOrg(pool, orgId, (tenant) => findProgress(files, tenant, agreement.id));
  return saved.get(recipient.id);
}

const progressMessage = ({ signature, initials, place }: Progress) => ({
  ...(signature === null ? {} : { signature: adoptedMessage(signature) }),
  ...(initials === null ? {} : { initials: adoptedMessage(initials) }),
  place,
});

const adoptedMessage = ({ typed, font, drawnPng }: AdoptedSignature) => ({
  ...{ typed, font, drawnPng: Buffer.from(drawnPng, "base64") },
});

/** What the certificate of completion is called among the documents, once it is sealed. */
const certificateId = "certificate";

export const getCeremonyDocument = (
  deps: SignDeps,
): Pick<ServiceImpl<typeof SigningService>, "getCeremonyDocument"> => ({
  async getCeremonyDocument({ sessionToken, documentId, visitor }) {
    const session = await requireShownSession(deps, sessionToken);
    const { orgId, agreement } = session;
    requireShowable(session.recipient, agreement, deps.clock.now());
    if (agreement === undefined) throw new DomainError("DOCUMENT_NOT_FOUND");
    const { certificate, documents } = agreement;
    const isCertificate = documentId === certificateId && !documents.some((one) => one.documentId === certificateId);
    if (isCertificate && certificate !== null && hasCertificate(session)) {
      const read = (tenant: Tenant) => deps.files.read(tenant, agreement.id, certificate);
      return { content: await withOrgSnapshot(deps.pool, orgId, read), fileName: `certificate-${agreement.id}.pdf` };
    }
    const document = requireDocument(agreement, documentId);
    // As if it were not there.
    if (session.recipient !== undefined && !isShownTo(session.recipient, document)) {
      throw new DomainError("DOCUMENT_NOT_FOUND");
    }
    const { content } = await withOrgSnapshot(deps.pool, orgId, (tenant) =>
      readDocument(deps, tenant, agreement.id, document),
    );
    await noteOpened(deps, session, visitor);
    return { content, fileName: pdfFileName(document.name) };
  },
});

type Visit = Parameters<typeof callerOfVisit>[1] & Parameters<typeof signerContext>[2];

/**
 * The session of somebody whom its agreement may be shown. Throws VIEW_URL_EXPIRED, RECIPIENT_NOT_IN_SEQUENCE, and
 * VERIFICATION_REQUIRED while something has to be proved before.
 */
async function requireShownSession(deps: ChangeDeps, sessionToken: string): Promise<SigningSession> {
  const session = await requireOpenSession(deps, sessionToken);
  if (pendingOf(session, deps.clock.now()).some(isFirst(session))) throw new DomainError("VERIFICATION_REQUIRED");
  return session;
}

/** The session of a recipient whose turn has come, whatever they have proved. Throws what requireOpenSession does. */
export async function requireOpenableSession(deps: ChangeDeps, sessionToken: string): Promise<RecipientSession> {
  const session = await requireOpenSession(deps, sessionToken);
  if (!isOfRecipient(session)) throw viewExpired();
  return session;
}

/** Throws VIEW_URL_EXPIRED and RECIPIENT_NOT_IN_SEQUENCE. */
async function requireOpenSession(deps: ChangeDeps, sessionToken: string): Promise<SigningSession> {
  const session = await requireSession(deps, sessionToken);
  if (isOfRecipient(session) && session.view.seenAt === null) {
    try {
      requireOpenable(session.agreement, session.recipient.id);
    } catch (error) {
      throw asEnded(error, session);
    }
  }
  return session;
}

/** The session of a recipient who acts; one of a sender is as unknown. Throws what requireShownSession does. */
export async function requireRecipientSession(deps: ChangeDeps, sessionToken: string): Promise<RecipientSession> {
  const session = await requireShownSession(deps, sessionToken);
  if (!isOfRecipient(session)) throw viewExpired();
  return session;
}

/**
 * Notes that a document is being sent to the person of the session. The first time counts as opening the agreement: it is
 * what we see ourselves. Following the link does not, because programs that check mails follow links too, nor does
 * consenting, which says nothing of the documents. What opening comes to and that it has happened are one transaction, so
 * that it happens once. Throws VIEW_URL_EXPIRED.
 */
async function noteOpened(deps: ChangeDeps, session: SigningSession, visitor: Visit): Promise<void> {
  if (!isOfRecipient(session) || session.view.seenAt !== null) return;
  const { view, recipient } = session;
  const decision = signerContext(deps, recipient, visitor);
  try {
    await changeInSession(
      deps,
      session,
      visitor,
      (current) => openAgreement(current, recipient.id, decision),
      async (tenant) => {
        if (!(await noteSeen(tenant, view.tokenHash, decision.now))) throw new SeenError();
      },
    );
  } catch (error) {
    // Another document was sent at the same time.
    if (!(error instanceof SeenError)) throw asEnded(error, session);
  }
}

/** It names all documents, and tells of them what they are. */
const hasCertificate = (session: SigningSession): boolean =>
  isOfRecipient(session) && session.agreement.certificate !== null && seesAll(session.agreement, session.recipient);

const isOfRecipient = (session: SigningSession): session is RecipientSession =>
  session.agreement !== undefined && session.recipient !== undefined;

/** The agreement has ended, and the session with it. */
const asEnded = (error: unknown, { view }: SigningSession): unknown =>
  error instanceof DomainError && endings.has(error.code) ? viewExpired(view) : error;

const endings: ReadonlySet<string> = new Set(["INVALID_ENVELOPE_STATUS", "ENVELOPE_NOT_FOUND", "RECIPIENT_NOT_FOUND"]);

class SeenError extends Error {}

/** What the person of a session is asked to consent to: a text names the organization, or the sender of one without. */
export async function servedConsentTexts(
  { organizations }: Pick<SignDeps, "organizations">,
  { orgId, agreement }: Pick<SigningSession, "orgId" | "agreement">,
): Promise<readonly ConsentText[]> {
  const { name } = await organizations.of(orgId);
  return consentTexts(name === "" ? (agreement?.sender.name ?? "") : name);
}
