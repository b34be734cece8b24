/** Failed attempts of a user, as they are stored. */
export interface Attempts {
  /** Attempts that began and did not succeed, or have not ended yet. */
  readonly failures: number;
  readonly failuresSince: Date | null;
  readonly lockedUntil: Date | null;
}

const maxFailures = 10;
const windowMs = 15 * 60_000;
const lockMs = 15 * 60_000;

/**
 * Counts an attempt before it is known how it ends, so that of many at the same time no more are tried than one after the
 * other. Undefined while the user is locked.
 */
export function beginAttempt(attempts: Attempts, now: Date): Attempts | undefined {
  if (attempts.lockedUntil !== null && attempts.lockedUntil > now) return undefined;
  const { failuresSince: since } = attempts;
  const isOver = since === null || now.getTime() - since.getTime() >= windowMs;
  const failures = isOver ? 1 : attempts.failures + 1;
  const lockedUntil = failures >= maxFailures ? new Date(now.getTime() + lockMs) : null;
  return { failures, failuresSince: isOver ? now : since, lockedUntil };
}

export const noAttempts: Attempts = { failures: 0, failuresSince: null, lockedUntil: null };

/** Takes an attempt back that did not fail, without forgetting those that did: there is room for one more. */
export const takeBack = (attempts: Attempts): Attempts => ({
  ...attempts,
  failures: Math.max(0, attempts.failures - 1),
  lockedUntil: null,
});
