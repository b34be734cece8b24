import type { Agreement } from "./agreement.ts";
import { canBeViewed } from "./view-recipient.ts";

export type ViewKind = "recipient" | "send" | "edit" | "look";

/** A link that lets a person act; opened, it is a session. One that came by mail makes a session each time. */
export interface View {
  /** SHA-256 of the link's token. */
  readonly tokenHash: Buffer;
  readonly kind: ViewKind;
  /** Whether it may be opened as often as somebody likes. It stays unopened then: its sessions are views of their own. */
  readonly isReusable: boolean;
  /** Null for a sender who looks at no agreement. */
  readonly agreementId: string | null;
  /** UUID; null in the views of senders. */
  readonly recipientId: string | null;
  /** Empty when there is nowhere to lead back to. */
  readonly returnUrl: string;
  /** Origins. */
  readonly frameAncestors: readonly string[];
  /** The API key or client that asked for it. */
  readonly createdBy: string;
  readonly createdAt: Date;
  /** Until when the link can be opened. */
  readonly expiresAt: Date;
  readonly openedAt: Date | null;
  readonly sessionExpiresAt: Date | null;
  readonly endedAt: Date | null;
  /** When the session first showed the agreement to somebody. */
  readonly seenAt: Date | null;
}

const linkMs = 5 * 60_000;
const idleMs = 60 * 60_000;
const dayMs = 86_400_000;
const readableMs = 30 * dayMs;
/** Longer than any agreement is open. */
const reusableMs = 10 * 365 * dayMs;
/** An extension is written at most this often. */
const extendEveryMs = 60_000;

export const linkExpiry = (now: Date, isReusable = false): Date =>
  new Date(now.getTime() + (isReusable ? reusableMs : linkMs));
export const sessionExpiry = (now: Date): Date => new Date(now.getTime() + idleMs);

/** Until when a session lives that is used now; undefined when writing it is not worth it yet. */
export function extendedExpiry({ sessionExpiresAt }: View, now: Date): Date | undefined {
  const extended = sessionExpiry(now);
  const isDue = sessionExpiresAt === null || extended.getTime() - sessionExpiresAt.getTime() >= extendEveryMs;
  return isDue ? extended : undefined;
}

/** Whether the link can be opened, as far as it says itself. */
export const isLinkOpen = ({ openedAt, endedAt, expiresAt }: View, now: Date): boolean =>
  openedAt === null && endedAt === null && now < expiresAt;

/** Whether a link that came by mail still leads somewhere: it is for reading what was completed, but not for ever. */
export const isReadable = ({ isReusable }: View, { completedAt }: Agreement, now: Date): boolean =>
  !isReusable || completedAt === null || now.getTime() < completedAt.getTime() + readableMs;

/** Whether the session goes on, as far as it says itself. */
export const isSessionOpen = ({ sessionExpiresAt, endedAt }: View, now: Date): boolean =>
  sessionExpiresAt !== null && endedAt === null && now < sessionExpiresAt;

/**
 * Whether the agreement as it is now lets a view go on. Whatever a person came for ends with the agreement; whoever comes
 * afterwards may look at what was completed.
 */
export function isOfAgreement({ kind, openedAt }: View, agreement: Agreement): boolean {
  if (kind === "look") return true;
  if (kind !== "recipient") return agreement.status === "created";
  if (!canBeViewed(agreement)) return false;
  return agreement.status !== "completed" || openedAt === null || agreement.statusChangedAt <= openedAt;
}
