/**
 * True when the error, or an error it wraps, is a violation of a unique index (23505); of this one when a name is given.
 * Understands errors of pg and of MikroORM.
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return causes(error).some((e) => e.code === "23505" && (constraint === undefined || e.constraint === constraint));
}

/** SQLSTATE, or class of it, of failures that the same statement may survive a moment later. */
const transientStates = [
  "40P01", // deadlock detected
  "40001", // serialization failure
  "55P03", // lock not available
  "57P01", // terminated by an administrator
  "57P02", // crash shutdown
  "57P03", // server is starting up
  "57014", // cancelled by statement_timeout
  "25006", // read-only: a failover is under way
  "53300", // too many connections
  "08", // connection exceptions
];

const transientSystemErrors = [
  "ECONNRESET",
  "ECONNREFUSED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EAI_AGAIN",
  "ENOTFOUND",
];

/** What pg and its pool say when the connection is gone, silent, or none became free; they have no code. */
const transientMessages =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** True when the database was unreachable or busy, so that the same work may be tried again as a whole. */
export function isTransient(error: unknown): boolean {
  return causes(error).some((e) => {
    const code = typeof e.code === "string" ? e.code : "";
    if (transientSystemErrors.includes(code) || transientStates.some((state) => code.startsWith(state))) return true;
    return typeof e.message === "string" && transientMessages.test(e.message);
  });
}

/** The error and what it wraps, outermost first. */
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
