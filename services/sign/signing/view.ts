import { createHash, randomBytes } from "node:crypto";
import { DomainError } from "#platform/errors.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import type { Agreement, Recipient } from "../agreement/agreement.ts";
import { emailKey } from "../agreement/agreement-records.ts";
import { invalidStatus, isOpen } from "../agreement/transitions.ts";

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
  /** When the session passed checks of the recipient (ISO 8601), by the ids of these. */
  readonly proofs: Readonly<Record<string, string>>;
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
 * Whether the agreement as it is now lets a view go on. What a sender came for ends when it is sent; recipients may look at
 * what was completed, and not at what ended otherwise.
 */
export function isOfAgreement({ kind, recipientId }: View, agreement: Agreement): boolean {
  if (kind === "look") return true;
  if (kind !== "recipient") return agreement.status === "created";
  // A correction may have put somebody else in their place.
  return canBeViewed(agreement) && agreement.recipients.some(({ id }) => id === recipientId);
}

/** How an integration names the person whom a link is for. */
interface ViewPerson {
  /** The recipientId or the UUID; empty: found by the other members. */
  readonly recipientId: string;
  readonly email: string;
  readonly userName: string;
  readonly clientUserId: string;
}

/**
 * The recipient whom a link is for. Throws RECIPIENT_NOT_FOUND, RECIPIENT_NOT_EMBEDDED, INVALID_ENVELOPE_STATUS and
 * RECIPIENT_NOT_IN_SEQUENCE, in this order. Those who have finished may look.
 */
export function requireViewRecipient(agreement: Agreement, person: ViewPerson): Recipient {
  const recipient = findPerson(agreement, person);
  if (!canBeViewed(agreement)) throw invalidStatus(agreement, "view");
  if (isOpen(agreement) && recipient.status === "created") throw new DomainError("RECIPIENT_NOT_IN_SEQUENCE");
  return recipient;
}

/** Whether a recipient may see it: it has been sent, and has not ended without being completed. */
const canBeViewed = (agreement: Pick<Agreement, "status">): boolean =>
  isOpen(agreement) || agreement.status === "completing" || agreement.status === "completed";

function findPerson({ recipients }: Agreement, person: ViewPerson): Recipient {
  const named = recipients.filter((recipient) => isNamed(recipient, person));
  const { recipientId, clientUserId } = person;
  const embedded = named.filter((one) => hasLinks(one) && isSaid(one, recipientId, clientUserId));
  // Of the entries of one person, that which waits for the person.
  const found = embedded.find(({ status }) => status === "sent" || status === "delivered") ?? embedded[0];
  if (found !== undefined) return found;
  if (!named.every(hasLinks)) throw new DomainError("RECIPIENT_NOT_EMBEDDED");
  throw new DomainError("RECIPIENT_NOT_FOUND");
}

/** Who signs in person does so on the device of the host, whom the application has before it. */
const hasLinks = ({ clientUserId, role }: Recipient): boolean => clientUserId !== "" || role === "in-person-signer";

/** With the recipient's own id the clientUserId may be left out; a wrong one is refused in any case. */
const isSaid = (recipient: Recipient, recipientId: string, clientUserId: string): boolean =>
  recipient.clientUserId === clientUserId || (recipientId !== "" && clientUserId === "");

function isNamed(recipient: Recipient, { recipientId, email, userName }: ViewPerson): boolean {
  if (recipientId !== "") return recipient.recipientId === recipientId || recipient.id === recipientId.toLowerCase();
  const isCalled = (itsName: string, itsEmail: string): boolean =>
    itsEmail !== "" && emailKey(itsEmail) === emailKey(email.trim()) && itsName === userName.trim();
  if (isCalled(recipient.name, recipient.email)) return true;
  // Whoever asks for an in-person signer's link may name the host, on whose device it is opened.
  return recipient.role === "in-person-signer" && isCalled(recipient.hostName, recipient.hostEmail);
}

/**
 * The secret of a link or of a session: the 16 bytes of the organization's id and 256 random bits, in base64url without
 * padding. The organization says only where to look; a row is found by the hash of the whole token.
 */
export function newViewToken(orgId: OrgId): string {
  const org = Buffer.from(orgId.replaceAll("-", ""), "hex");
  return Buffer.concat([org, randomBytes(randomLength)]).toString("base64url");
}

export interface ViewToken {
  readonly orgId: OrgId;
  /** SHA-256 of the token, by which it is stored. */
  readonly hash: Buffer;
}

/** Undefined for what cannot be a token. */
export function parseViewToken(token: string): ViewToken | undefined {
  if (token.length !== tokenLength) return undefined;
  const bytes = Buffer.from(token, "base64url");
  // One form only: the decoder skips what is no base64url.
  if (bytes.length !== tokenBytes || bytes.toString("base64url") !== token) return undefined;
  const orgId = parseOrgId(uuidOf(bytes.subarray(0, orgLength)));
  return orgId === undefined ? undefined : { orgId, hash: viewTokenHash(token) };
}

export const viewTokenHash = (token: string): Buffer => createHash("sha256").update(token).digest();

const orgLength = 16;
const randomLength = 32;
const tokenBytes = orgLength + randomLength;
const tokenLength = 64;

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
