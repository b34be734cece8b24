/**
 * When a leaf was recorded. The leaf says it itself, but for a publication the time is that of the event, which may have
 * been noted long after it; ids of records say it too, but that of a completion is its session's, made before. So the later
 * one of both counts. Undefined when neither tells.
 */
export function leafTime(recordId: string, leaf?: Buffer): Date | undefined {
  const times = [idTime(recordId), ...(leaf === undefined ? [] : statedTimes(leaf))];
  const latest = Math.max(...times.filter((time) => !Number.isNaN(time)));
  return Number.isFinite(latest) ? new Date(latest) : undefined;
}

/** The time in a UUIDv7 (RFC 9562 §5.7) in milliseconds; NaN for other ids. */
const idTime = (id: string): number =>
  id[14] === "7" ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : Number.NaN;

/** What the kinds of leaves call it. */
const timeNames = ["acceptedAt", "recordedAt", "completedAt", "publishedAt", "requestedAt", "openedAt"];

function statedTimes(leaf: Buffer): number[] {
  const payload = parse(leaf);
  return timeNames.flatMap((name) => (typeof payload[name] === "string" ? [Date.parse(payload[name])] : []));
}

/** Whoever watches the logs must not stumble over a leaf that somebody spoiled. */
function parse(leaf: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(leaf.toString());
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
