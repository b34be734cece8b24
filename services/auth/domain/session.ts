import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { DerivedKeys } from "./secrets.ts";

/** What decides on a session. */
export interface SessionState {
  readonly tokenHash: Buffer;
  /** Whether the token was shown since it was given out. */
  readonly tokenUsed: boolean;
  readonly previousHash: Buffer | null;
  /** Null while the token that follows was not shown yet. */
  readonly previousUntil: Date | null;
  readonly rotatedAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
}

/** What is to be written when a token is shown; with nothing to write the session is read only. */
export type SessionUse =
  | { readonly kind: "ended" }
  | { readonly kind: "valid"; readonly rotates: boolean; readonly confirms: boolean; readonly touches: boolean };

export const idleMs = 12 * 60 * 60_000;
export const lifetimeMs = 14 * 24 * 60 * 60_000;
const rotateMs = 30 * 60_000;
/** How much longer a replaced token works once its successor was shown. */
const previousMs = 60_000;
const touchMs = 60_000;
/** Living sessions of a user at most; the one that was not used for longest makes room. */
export const maxSessions = 50;

const ended: SessionUse = { kind: "ended" };

/**
 * What becomes of a session whose token, or the one before, is shown. An answer with a new token may be lost, and many
 * requests may be under way with the old one: so the old one works until the new one was shown, and a minute longer; and
 * who still shows it a minute after it was replaced did not get the new one and is given another.
 */
export function judgeSession(session: SessionState, shownHash: Buffer, now: Date): SessionUse {
  const since = (time: Date): number => now.getTime() - time.getTime();
  if (session.expiresAt <= now || since(session.lastSeenAt) >= idleMs) return ended;
  const touches = since(session.lastSeenAt) >= touchMs;
  if (timingSafeEqual(session.tokenHash, shownHash)) {
    return { kind: "valid", rotates: since(session.rotatedAt) >= rotateMs, confirms: !session.tokenUsed, touches };
  }
  const isPrevious = session.previousHash !== null && timingSafeEqual(session.previousHash, shownHash);
  if (!isPrevious || (session.previousUntil !== null && session.previousUntil <= now)) return ended;
  const rotates = !session.tokenUsed && since(session.rotatedAt) >= previousMs;
  return { kind: "valid", rotates, confirms: false, touches };
}

/** The session after a use. `newHash` takes effect only when the use rotates. */
export function usedSession(
  session: SessionState,
  use: SessionUse & { readonly kind: "valid" },
  { shownHash, newHash, now }: { readonly shownHash: Buffer; readonly newHash: Buffer; readonly now: Date },
): SessionState {
  const lastSeenAt = use.touches ? now : session.lastSeenAt;
  if (use.rotates) {
    const replaced = { previousHash: shownHash, previousUntil: null };
    return { ...session, ...replaced, lastSeenAt, tokenHash: newHash, tokenUsed: false, rotatedAt: now };
  }
  if (!use.confirms) return { ...session, lastSeenAt };
  const previousUntil = session.previousHash === null ? null : new Date(now.getTime() + previousMs);
  return { ...session, lastSeenAt, tokenUsed: true, previousUntil };
}

const tokenLength = 43;

/** The stored form of a random token of 256 bits. Undefined for what cannot be one. */
export const hashToken = (token: string): Buffer | undefined =>
  token.length === tokenLength ? hash("sha256", token, "buffer") : undefined;

/** What proves that a request comes from a page of ours: only those were told it. */
export const csrfToken = (keys: DerivedKeys, sessionId: string): string =>
  createHmac("sha256", keys.csrfKey).update(sessionId).digest("base64url");
