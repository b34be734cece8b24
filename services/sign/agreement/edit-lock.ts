import { DomainError } from "#platform/errors.ts";
import type { Agreement, EditLock } from "./agreement.ts";
import { isOpen } from "./transitions.ts";

type Lockable = Pick<Agreement, "status" | "editLock">;

/** The lock that holds now. */
export function lockOfNow({ status, editLock }: Lockable, now: Date): EditLock | undefined {
  const canChange = status === "created" || isOpen({ status });
  return editLock != null && canChange && now < new Date(editLock.until) ? editLock : undefined;
}

/**
 * A lock lets only those change an agreement who name its token. Jobs ask for nothing: what is due happens in any case.
 * Throws ENVELOPE_LOCKED.
 */
export function requireUnlocked(agreement: Lockable, { lockToken }: { readonly lockToken?: string }, now: Date): void {
  const lock = lockOfNow(agreement, now);
  if (lock !== undefined && lockToken !== undefined && lockToken !== lock.token) throw lockedBy(lock);
}

/**
 * The lock that holds now, for whoever has its token, or has made it and so may read the token. Throws
 * ENVELOPE_NOT_LOCKED and ENVELOPE_LOCKED.
 */
export function requireOwnLock(
  agreement: Lockable,
  { lockToken, clientId }: { readonly lockToken: string; readonly clientId: string },
  now: Date,
): EditLock {
  const lock = lockOfNow(agreement, now);
  if (lock === undefined) throw new DomainError("ENVELOPE_NOT_LOCKED");
  const isOwn = lockToken === "" ? lock.by === clientId : lock.token === lockToken;
  if (!isOwn) throw lockedBy(lock);
  return lock;
}

export const lockedBy = ({ until }: EditLock): DomainError =>
  new DomainError("ENVELOPE_LOCKED", { metadata: { until } });
