import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type GiveConsentRequest,
  SenderDecision,
  type SigningService,
  type TabValue,
  type Visitor,
  type AdoptedSignature as WireSignature,
} from "#gen/assent/sign/v1/signing_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { ImageFault, readWholeImage } from "#platform/image-file.ts";
import type { AdoptedSignature, Agreement, CheckMethod, Recipient } from "../agreement/agreement.ts";
import { loadAgreement } from "../agreement/agreement-store.ts";
import { noChange } from "../agreement/change.ts";
import { keepConsentText } from "../agreement/file-store.ts";
import { wireAgreementStatuses } from "../agreement/messages.ts";
import { invalid, problem } from "../agreement/problems.ts";
import { isActing, requireRecipient, requireTurn } from "../agreement/recipients.ts";
import { invalidStatus, isOpen } from "../agreement/transitions.ts";
import type { SignDeps, SigningRpcs } from "../deps.ts";
import { pendingChecks } from "../identity/checks.ts";
import { verifyInSession } from "../identity/handlers.ts";
import { isOverdue } from "../send/end-agreement.ts";
import { sendDraft } from "../send/send-draft.ts";
import { addAttachment, listAttachments, requireAttached } from "./attachments.ts";
import { giveConsent as decideConsent, declineAgreement, leaveAgreement } from "./ceremony.ts";
import { getCeremony, getCeremonyDocument, requireRecipientSession, servedConsentTexts } from "./ceremony-handlers.ts";
import type { ConsentText } from "./consent-text.ts";
import { type FinishCommand, finishAgreement } from "./finish.ts";
import { findProgress, type SavedPart, saveProgress } from "./progress.ts";
import { type ReturnEvent, withEvent } from "./return-url.ts";
import {
  callerOfVisit,
  changeInSession,
  closeSession,
  closeWhenDone,
  openView,
  type RecipientSession,
  requireSession,
  type SigningSession,
  senderContext,
  signerContext,
  viewExpired,
} from "./signing-session.ts";
import type { TabValues } from "./tab-values.ts";
import { isOfAgreement, type View } from "./view.ts";

/** What people do with the links. */
export const signingHandlers = (deps: SignDeps): Partial<ServiceImpl<typeof SigningService>> => ({
  ...openView(deps),
  ...getCeremony(deps),
  ...getCeremonyDocument(deps),
  ...verifyInSession(deps),
  ...addAttachment(deps),
  ...giveConsent(deps),
  ...finishSigning(deps),
  ...declineSigning(deps),
  ...saveSigningProgress(deps),
  ...leaveSigning(deps),
  ...endSenderView(deps),
});

const giveConsent = (deps: SignDeps): SigningRpcs<"giveConsent"> => ({
  async giveConsent(request) {
    const { sessionToken, visitor } = request;
    const session = await requireRecipientSession(deps, sessionToken);
    const { recipient } = session;
    const text = requireServed(await servedConsentTexts(deps, session), request);
    const decision = signerContext(deps, recipient, visitor);
    const consented = await changeInSession(
      deps,
      session,
      visitor,
      (current) => decideConsent(current, recipient.id, text, decision),
      (tenant) => keepConsentText(tenant, text),
    );
    const { consentedAt } = requireRecipient(consented, recipient.id);
    return { consentedAt: timestampFromDate(consentedAt ?? decision.now) };
  },
});

/** Whatever a browser says it has shown: only what was served to it can have been. Throws VALIDATION_FAILED. */
function requireServed(
  texts: readonly ConsentText[],
  { textSha256, locale }: Pick<GiveConsentRequest, "textSha256" | "locale">,
): ConsentText {
  const text = texts.find(({ sha256 }) => sha256.equals(textSha256));
  if (text === undefined) {
    throw invalid(problem("textSha256", "UNKNOWN_TEXT", "must be the hash of a consent text of this session"));
  }
  if (text.locale !== locale) throw invalid(problem("locale", "OTHER_LOCALE", "must be the locale of the text"));
  return text;
}

const finishSigning = (deps: SignDeps): SigningRpcs<"finishSigning"> => ({
  async finishSigning({ sessionToken, values, signature, initials, visitor }) {
    const session = await requireRecipientSession(deps, sessionToken);
    const { agreement, recipient, view } = session;
    const decision = signerContext(deps, recipient, visitor);
    requireProven(recipient, view, decision.now);
    const saved = (
      await withOrg(deps.pool, session.orgId, (tenant) => findProgress(deps.files, tenant, agreement.id))
    ).get(recipient.id);
    const command = {
      ...{ values: tabValues(values), saved },
      signature: adopted(signature) ?? saved?.signature ?? null,
      initials: adopted(initials) ?? saved?.initials ?? null,
    };
    await requireImages(command);
    await requireKnownFiles(deps, session, new Map([...(saved?.values ?? []), ...command.values]));
    const finished = await changeInSession(deps, session, visitor, (current) => {
      const proven = requireProven(requireRecipient(current, recipient.id), view, decision.now);
      return finishAgreement(current, recipient.id, { ...command, proven }, decision);
    });
    await closeWhenDone(deps, session);
    return {
      returnUrl: withEvent(view.returnUrl, finishEvent(recipient)),
      agreementStatus: wireAgreementStatuses[finished.status],
    };
  },
});

/** The checks that the session has passed. */
function provenBy(recipient: Recipient, view: View, now: Date): readonly CheckMethod[] {
  const pending = pendingChecks(recipient, view, now);
  return (recipient.verification ?? []).filter((check) => !pending.includes(check)).map(({ method }) => method);
}

/** What the session has proved, which has to be all that is asked for. Throws VERIFICATION_REQUIRED. */
function requireProven(recipient: Recipient, view: View, now: Date): readonly CheckMethod[] {
  const proven = provenBy(recipient, view, now);
  if (proven.length < (recipient.verification ?? []).length) throw new DomainError("VERIFICATION_REQUIRED");
  return proven;
}

/** Files are attached before, each by a call of its own. */
async function requireKnownFiles(
  { pool }: Pick<SignDeps, "pool">,
  { orgId, agreement, recipient }: RecipientSession,
  values: TabValues,
): Promise<void> {
  if (!recipient.tabs.some(({ type }) => type === "attachment")) return;
  const attachments = await withOrg(pool, orgId, (tenant) => listAttachments(tenant, agreement.id));
  const own = attachments.filter(({ recipientId }) => recipientId === recipient.id);
  requireAttached(recipient, values, new Set(own.map(({ id }) => id)));
}

/** What a person put in, by tabId. Throws VALIDATION_FAILED for a tab that is named twice. */
function tabValues(values: readonly TabValue[]): ReadonlyMap<string, string> {
  const byId = new Map<string, string>();
  for (const { tabId, value } of values) {
    const id = tabId.toLowerCase();
    if (byId.has(id)) throw invalid(problem(tabId, "DUPLICATE", "must be given once"));
    byId.set(id, value);
  }
  return byId;
}

/** Null when there is none: the one adopted before counts. */
function adopted(signature: WireSignature | undefined): AdoptedSignature | null {
  if (signature === undefined) return null;
  const { typed, font, drawnPng } = signature;
  return { typed, font, drawnPng: Buffer.from(drawnPng).toString("base64") };
}

const finishEvent = ({ role }: Recipient) => (role === "certified-delivery" ? "viewing_complete" : "signing_complete");

const declineSigning = (deps: SignDeps): SigningRpcs<"declineSigning"> => ({
  async declineSigning({ sessionToken, reason, visitor }) {
    const session = await requireRecipientSession(deps, sessionToken);
    const { recipient, view } = session;
    const decision = signerContext(deps, recipient, visitor);
    await changeInSession(deps, session, visitor, (current) => {
      // Whoever cannot pass a check before signing may still refuse; the trail says what they had proved.
      const proven = provenBy(requireRecipient(current, recipient.id), view, decision.now);
      return declineAgreement(current, recipient.id, { reason, proven }, decision);
    });
    await closeWhenDone(deps, session);
    return { returnUrl: withEvent(view.returnUrl, "decline") };
  },
});

const saveSigningProgress = (deps: SignDeps): SigningRpcs<"saveSigningProgress"> => ({
  async saveSigningProgress({ sessionToken, values, signature, initials, place }) {
    const session = await requireRecipientSession(deps, sessionToken);
    const drawn = { signature: adopted(signature), initials: adopted(initials) };
    await requireImages(drawn);
    const part = { values: tabValues(values), ...drawn, ...(place === undefined ? {} : { place }) };
    await saveInSession(deps, session, part);
    return {};
  },
});

/** Saves while the agreement is locked: a page that is behind cannot write after somebody has finished. */
async function saveInSession(
  { pool, files, clock }: SignDeps,
  { orgId, view, agreement, recipient }: RecipientSession,
  part: SavedPart,
  isWanted: (current: Agreement) => boolean = () => true,
): Promise<void> {
  await withOrg(pool, orgId, async (tenant) => {
    const now = clock.now();
    const current = await loadAgreement(tenant, agreement.id, { lock: true });
    if (current === undefined || isOverdue(current, now) || !isOfAgreement(view, current)) throw viewExpired(view);
    if (!isWanted(current)) return;
    await saveProgress(files, tenant, agreement.id, requireTurn(current, recipient.id), part, now);
  });
}

/** More than any signature pad makes. */
const imageLimits = { maxPixels: 4_000_000, maxSide: 4_000 };

/** A picture of a signature is a PNG that is sound from its first byte to its last. Throws VALIDATION_FAILED. */
async function requireImages(drawn: Pick<FinishCommand, "signature" | "initials">): Promise<void> {
  for (const field of ["signature", "initials"] as const) {
    const bytes = Buffer.from(drawn[field]?.drawnPng ?? "", "base64");
    if (bytes.length === 0) continue;
    try {
      const { contentType } = await readWholeImage(bytes, imageLimits);
      if (contentType !== "image/png") throw new ImageFault("must be a PNG");
    } catch (error) {
      if (!(error instanceof ImageFault)) throw error;
      throw invalid(problem(field, "NOT_ALLOWED", error.message));
    }
  }
}

const leaveSigning = (deps: SignDeps): SigningRpcs<"leaveSigning"> => ({
  async leaveSigning({ sessionToken, values, visitor }) {
    const session = await requireRecipientSession(deps, sessionToken);
    const { agreement, recipient, view } = session;
    const mayGoOn = (current: Agreement): boolean =>
      isOpen(current) && isActing(requireRecipient(current, recipient.id));
    // Whoever only looked leaves nothing behind.
    if (mayGoOn(agreement)) {
      const decision = signerContext(deps, recipient, visitor);
      await saveInSession(deps, session, { values: tabValues(values) }, mayGoOn);
      const leave = (current: Agreement) =>
        mayGoOn(current) ? leaveAgreement(current, recipient.id, decision) : noChange(current);
      await changeInSession(deps, session, visitor, leave, undefined, { whileLocked: true });
    }
    await closeSession(deps, session);
    return { returnUrl: withEvent(view.returnUrl, mayGoOn(agreement) ? "cancel" : "viewing_complete") };
  },
});

const endSenderView = (deps: SignDeps): SigningRpcs<"endSenderView"> => ({
  async endSenderView({ sessionToken, decision, visitor }) {
    const event = events.get(decision);
    if (event === undefined) throw invalid(problem("decision", "REQUIRED", "must be a decision"));
    const session = await requireSession(deps, sessionToken);
    const { view, agreement } = session;
    if (view.kind === "recipient") throw viewExpired();
    if (event === "send") await send(deps, session, visitor);
    await closeSession(deps, session);
    return { returnUrl: withEvent(view.returnUrl, event, agreement?.id), agreementId: agreement?.id ?? "" };
  },
});

const events: ReadonlyMap<SenderDecision, ReturnEvent> = new Map([
  [SenderDecision.SEND, "send"],
  [SenderDecision.SAVE, "save"],
  [SenderDecision.CANCEL, "cancel"],
]);

/** The link has to be one for sending: whoever asked for another kind has not been asked for the right to send. */
async function send(deps: SignDeps, session: SigningSession, visitor: Visitor | undefined): Promise<void> {
  const { orgId, view, agreement } = session;
  if (agreement === undefined || view.kind !== "send") throw invalidStatus(agreement ?? { status: "created" }, "send");
  const { name } = await deps.organizations.of(orgId);
  const context = senderContext(deps, view, name, visitor);
  await sendDraft(deps, { ...callerOfVisit(session, visitor), lockToken: "" }, { agreementId: agreement.id }, context);
}
