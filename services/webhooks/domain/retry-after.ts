/**
 * The milliseconds that a Retry-After header asks for: seconds, or a date as HTTP writes it. Undefined for anything else.
 */
export function parseRetryAfter(text: string, now: Date): number | undefined {
  if (text.length === 0 || text.length > 64) return undefined;
  if (/^[0-9]+$/.test(text)) return Number(text) * 1_000;
  if (!datePattern.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

/** IMF-fixdate; the older forms are not sent any more. */
const datePattern = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/;

const askingStatuses: ReadonlySet<number> = new Set([429, 503]);

/** The delay that a receiver asked for, but never less than planned, and at most twice that. */
export function honourRetryAfter(
  plannedMs: number,
  answer: { readonly status: number; readonly retryAfter?: string | undefined },
  now: Date,
): number {
  if (answer.retryAfter === undefined || !askingStatuses.has(answer.status)) return plannedMs;
  const asked = parseRetryAfter(answer.retryAfter, now) ?? plannedMs;
  return Math.min(2 * plannedMs, Math.max(plannedMs, asked));
}
