import type { ServiceImpl } from "@connectrpc/connect";
import { type SigningService, type Visitor, ViewKind as WireKind } from "#gen/assent/sign/v1/signing_pb.ts";
import type { Caller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement, Recipient } from "../agreement/agreement.ts";
import { loadAgreement } from "../agreement/agreement-store.ts";
import type { Change, DecisionContext } from "../agreement/change.ts";
import { type ChangeDeps, changeAgreement, type Within } from "../agreement/change-agreement.ts";
import { lockedBy, lockOfNow } from "../agreement/edit-lock.ts";
import { boundedClaim } from "../agreement/problems.ts";
import { isActing, requireRecipient } from "../agreement/recipients.ts";
import type { SignDeps } from "../deps.ts";
import { isBeforeViewing } from "../identity/checks.ts";
import { type ReturnEvent, withEvent } from "./return-url.ts";
import {
  extendedExpiry,
  isLinkOpen,
  isOfAgreement,
  isReadable,
  isSessionOpen,
  newViewToken,
  parseViewToken,
  sessionExpiry,
  type View,
  type ViewKind,
  type ViewToken,
  viewTokenHash,
} from "./view.ts";
import {
  endSession,
  extendSession,
  findSession,
  findView,
  hasEnded,
  openView as markOpened,
  openReusableView,
} from "./view-store.ts";

/** What a person who has opened a link may do, and with what. */
export interface SigningSession {
  readonly orgId: OrgId;
  readonly view: View;
  /** Until when it lives if it is not used again. */
  readonly expiresAt: Date;
  /** Undefined for a sender who looks at no agreement. */
  readonly agreement: Agreement | undefined;
  /** Undefined in the views of senders. */
  readonly recipient: Recipient | undefined;
}

/** A session of a recipient. */
export interface RecipientSession extends SigningSession {
  readonly agreement: Agreement;
  readonly recipient: Recipient;
}

type SessionDeps = Pick<SignDeps, "pool" | "clock">;

/** The session of this token, which lives longer for being used. Throws VIEW_URL_EXPIRED. */
export async function requireSession(deps: SessionDeps, sessionToken: string): Promise<SigningSession> {
  const token = parseViewToken(sessionToken);
  if (token === undefined) throw viewExpired();
  const { orgId, hash } = token;
  const now = deps.clock.now();
  return withOrg(deps.pool, orgId, async (tenant) => {
    const view = await findSession(tenant, hash);
    if (view === undefined) throw viewExpired();
    const agreement = view.agreementId === null ? undefined : await loadAgreement(tenant, view.agreementId);
    if (!isSessionOpen(view, now)) throw sessionClosed(view, { orgId, agreement });
    // Drafts may be deleted while somebody looks at them.
    if (view.agreementId !== null && (agreement === undefined || !isOfAgreement(view, agreement))) {
      throw viewExpired(view, "ttl_expired", { orgId, agreement });
    }
    const extended = extendedExpiry(view, now);
    if (extended !== undefined) await extendSession(tenant, view.tokenHash, extended);
    const expiresAt = extended ?? view.sessionExpiresAt ?? sessionExpiry(now);
    return { orgId, view, expiresAt, agreement, recipient: recipientOf(view, agreement) };
  });
}

/** Ends the session; what was done in it stays done. True for the call that ended it. */
export const closeSession = (deps: SessionDeps, { orgId, view }: SigningSession): Promise<boolean> =>
  withOrg(deps.pool, orgId, (tenant) => endSession(tenant, view.tokenHash, deps.clock.now()));

/**
 * The answer to links and sessions that are used, old or unknown; it leads back to where the link was asked for. Whoever
 * has a link that leads nowhere back is told what became of the agreement.
 */
export function viewExpired(view?: View, event: ReturnEvent = "ttl_expired", ended?: Ended): DomainError {
  if (view === undefined) return new DomainError("VIEW_URL_EXPIRED");
  const metadata =
    view.returnUrl === "" ? outcomeOf(view, ended) : { returnUrl: withEvent(view.returnUrl, event), event };
  return new DomainError("VIEW_URL_EXPIRED", { metadata });
}

/** What a link led to. */
interface Ended {
  readonly orgId: OrgId;
  readonly agreement: Agreement | undefined;
}

/** A session that nobody has used for long, or that the person has left: the link in the mail goes on from there. */
function sessionClosed(view: View, { orgId, agreement }: Ended): DomainError {
  const isEnded = agreement === undefined || endedStatuses.has(agreement.status) || isReplaced(view, agreement);
  if (isEnded || view.returnUrl !== "")
    return viewExpired(view, view.endedAt === null ? "session_timeout" : "ttl_expired");
  const metadata = { outcome: "closed", ...subjectFor(view, agreement), ...faceOf(orgId, agreement) };
  return new DomainError("VIEW_URL_EXPIRED", { metadata });
}

/** Whether a correction has put somebody else in their place, or nobody. */
const isReplaced = ({ recipientId }: View, { recipients }: Agreement): boolean =>
  recipientId !== null && !recipients.some(({ id }) => id === recipientId);

function outcomeOf(view: View, { orgId, agreement }: Partial<Ended> = {}): Record<string, string> {
  if (orgId === undefined) return {};
  const { recipientId } = view;
  if (agreement === undefined || recipientId === null || !endedStatuses.has(agreement.status)) return {};
  const { status, recipients } = agreement;
  const own = recipients.find(({ id }) => id === recipientId);
  return {
    outcome: own?.status === "declined" ? "declined-by-you" : status,
    ...subjectFor(view, agreement),
    ...faceOf(orgId, agreement),
  };
}

/** Nothing for somebody who was asked to prove who they are before they see anything, and has not yet. */
function subjectFor(view: View, { emailSubject: subject, recipients }: Agreement): { subject?: string } {
  const own = recipients.find(({ id }) => id === view.recipientId);
  const isPending = own?.verification?.some((one) => isBeforeViewing(one, own) && view.proofs[one.id] === undefined);
  return isPending === true ? {} : { subject };
}

/** Whose the agreement was, and in which look it was shown. */
const faceOf = (organizationId: OrgId, { id, brandId }: Agreement): Record<string, string> => ({
  ...{ organizationId, agreementId: id },
  ...(brandId == null ? {} : { brandId }),
});

const endedStatuses: ReadonlySet<Agreement["status"]> = new Set(["declined", "voided", "expired", "completed"]);

/**
 * Ends the session of somebody who is done; what was done in it stays done. One that came from a mail goes on: the page
 * tells what becomes of the agreement, and gives the person the file.
 */
export const closeWhenDone = async (deps: SessionDeps, session: SigningSession): Promise<void> => {
  if (session.view.returnUrl !== "") await closeSession(deps, session);
};

const recipientOf = ({ recipientId }: View, agreement: Agreement | undefined): Recipient | undefined =>
  recipientId === null || agreement === undefined ? undefined : requireRecipient(agreement, recipientId);

/** Who opened the link, as far as events tell. */
export const callerOfVisit = (
  { orgId }: Pick<SigningSession, "orgId">,
  visitor: { readonly requestId: string; readonly traceparent: string } | undefined,
): Pick<Caller, "orgId" | "requestId" | "traceparent"> => ({
  orgId,
  requestId: visitor?.requestId ?? "",
  traceparent: visitor?.traceparent ?? "",
});

/**
 * Changes the agreement of a session that is still open once the agreement is locked: a correction ends pages that show
 * what was there before. Throws VIEW_URL_EXPIRED, and ENVELOPE_LOCKED while a sender prepares a correction.
 */
export const changeInSession = (
  deps: ChangeDeps,
  session: SigningSession & { readonly agreement: Agreement },
  visitor: Parameters<typeof callerOfVisit>[1],
  decide: (current: Agreement) => Change,
  within?: Within,
  { whileLocked = false } = {},
): Promise<Agreement> =>
  changeAgreement(
    deps,
    { ...callerOfVisit(session, visitor), ...(whileLocked ? {} : { lockToken: "" }) },
    { id: session.agreement.id, isTemplate: false },
    async (current, tenant) => {
      if (await hasEnded(tenant, session.view.tokenHash)) {
        throw sessionClosed(session.view, { orgId: session.orgId, agreement: current });
      }
      return decide(current);
    },
    new Map(),
    within,
  );

type Sitting = Pick<Visitor, "ip" | "userAgent"> | undefined;

/** What the decisions of a recipient are made with. */
export const signerContext = (
  deps: Pick<SignDeps, "clock" | "newId">,
  { id, name, email, hostEmail }: Recipient,
  visitor: Sitting,
): DecisionContext =>
  // Who signs in person may have no address; the host's tells at least where it was.
  contextOf(deps, { source: "signer", id, name, email: email === "" ? hostEmail : email }, visitor);

/** What the decisions of a sender are made with: the person is known only as somebody whom the client gave a link. */
export const senderContext = (
  deps: Pick<SignDeps, "clock" | "newId">,
  { createdBy }: View,
  organizationName: string,
  visitor: Sitting,
): DecisionContext => contextOf(deps, { source: "sender", id: createdBy, name: organizationName, email: "" }, visitor);

function contextOf(
  { clock, newId }: Pick<SignDeps, "clock" | "newId">,
  who: Omit<DecisionContext["actor"], "ip" | "userAgent">,
  visitor: Sitting,
): DecisionContext {
  return {
    now: clock.now(),
    newId,
    actor: { ...who, ip: visitor?.ip ?? "", userAgent: boundedClaim(visitor?.userAgent ?? "") },
  };
}

export const openView = (
  deps: Pick<SignDeps, "pool" | "clock">,
): Pick<ServiceImpl<typeof SigningService>, "openView"> => ({
  async openView({ token }) {
    const parsed = parseViewToken(token);
    if (parsed === undefined) throw viewExpired();
    const sessionToken = newViewToken(parsed.orgId);
    const view = await openOnce(deps, parsed, sessionToken);
    return { sessionToken, kind: wireViewKinds[view.kind], frameAncestors: [...view.frameAncestors] };
  },
});

export const wireViewKinds: Readonly<Record<ViewKind, WireKind>> = {
  recipient: WireKind.RECIPIENT,
  send: WireKind.SEND,
  edit: WireKind.EDIT,
  look: WireKind.LOOK,
};

/**
 * Makes a session of the link, in one transaction with its being spent. Nobody has seen the agreement yet. Throws VIEW_URL_EXPIRED for everybody but one, unless the link
 * is reusable.
 */
async function openOnce(
  { pool, clock }: Pick<SignDeps, "pool" | "clock">,
  { orgId, hash: tokenHash }: ViewToken,
  sessionToken: string,
): Promise<View> {
  const now = clock.now();
  const sessionExpiresAt = sessionExpiry(now);
  const opening = { tokenHash, sessionHash: viewTokenHash(sessionToken), now, sessionExpiresAt };
  return withOrg(pool, orgId, async (tenant) => {
    const view = await findView(tenant, tokenHash);
    if (view === undefined) throw viewExpired();
    if (!isLinkOpen(view, now)) throw viewExpired(view);
    // Whoever corrects the agreement meanwhile ends the session, or is done: it never shows what was there before.
    const agreement =
      view.agreementId === null ? undefined : await loadAgreement(tenant, view.agreementId, { lock: true });
    if (view.agreementId !== null && !leadsTo(view, agreement, now)) {
      throw viewExpired(view, "ttl_expired", { orgId, agreement });
    }
    requireShowable(recipientOf(view, agreement), agreement, now);
    const open = view.isReusable ? openReusableView : markOpened;
    if (!(await open(tenant, opening))) throw viewExpired(view);
    return view;
  });
}

/** While a sender prepares a correction, nobody sees what is to be otherwise. Throws ENVELOPE_LOCKED. */
export function requireShowable(recipient: Recipient | undefined, agreement: Agreement | undefined, now: Date): void {
  const lock = agreement && lockOfNow(agreement, now);
  if (lock !== undefined && recipient !== undefined && isActing(recipient)) throw lockedBy(lock);
}

const leadsTo = (view: View, agreement: Agreement | undefined, now: Date): boolean =>
  agreement !== undefined && isOfAgreement(view, agreement) && isReadable(view, agreement, now);
