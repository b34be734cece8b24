/**
 * Whether the error, or an error it wraps, violates a unique index (23505), or this one when a name is given.
 * Understands errors of pg and of MikroORM.
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return causes(error).some((e) => e.code === "23505" && (constraint === undefined || e.constraint === constraint));
}

/** Whether a lock was not to be had: others had it for too long (55P03), or waited for ours (40P01). */
export const isLockFailure = (error: unknown): boolean =>
  causes(error).some(({ code }) => code === "55P03" || code === "40P01");

/** SQLSTATEs, or their classes, of failures that may be gone when the same statement is retried. */
const transientStates = [
  "40P01", // deadlock detected
  "40001", // serialization failure
  "55P03", // lock not available
  "57P0", // ended by an administrator or a crash, or not yet there
  "57014", // cancelled by statement_timeout
  "25006", // read-only: a failover is under way
  "53", // no disk, memory or connections left
  "58", // the system below the database fails
  "08", // connection exceptions
  "28", // the login was refused: its password is just being changed
];

const transientSystemErrors = [
  // Full disk and file limits; they end when somebody makes room.
  "ENOSPC",
  "EDQUOT",
  "EROFS",
  "EIO",
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  // Network failures.
  "ECONNRESET",
  "ECONNREFUSED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EAI_AGAIN",
  "ENOTFOUND",
];

/** Messages of pg and its pool that come without a code: the connection is gone, silent, or none became free. */
const transientMessages =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * Whether the database was unreachable, overloaded or full, or this process's disk was: the work as a whole may
 * be retried.
 */
export function isTransient(error: unknown): boolean {
  return causes(error).some((e) => {
    const code = typeof e.code === "string" ? e.code : "";
    if (transientSystemErrors.includes(code) || transientStates.some((state) => code.startsWith(state))) return true;
    return typeof e.message === "string" && transientMessages.test(e.message);
  });
}

/** The error and the errors it wraps, outermost first. */
function causes(error: unknown): Record<string, unknown>[] {
  const chain: Record<string, unknown>[] = [];
  let current = error;
  while (typeof current === "object" && current !== null && chain.length < 8) {
    const record = current as Record<string, unknown>;
    chain.push(record);
    current = record.cause ?? record.previous;
  }
  return chain;
}
