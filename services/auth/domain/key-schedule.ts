/** When a signing key takes over. Keys are listed by generation, which is also the order in which they take over. */
export interface ScheduledKey {
  readonly generation: number;
  readonly signsFrom: Date;
}

const hourMs = 60 * 60 * 1000;

export const tokenLifetimeSeconds = 3600;
/** A key signs for 30 days. */
export const rotationMs = 30 * 24 * hourMs;
/** A key is published a day before it signs, longer than anybody keeps a copy of the key set. */
export const leadMs = 24 * hourMs;
/** A key stays published until the last token it signed has expired, and an hour more for late clocks. */
export const retentionMs = tokenLifetimeSeconds * 1000 + hourMs;

/** The key that signs now. The first one also signs for a clock that is behind the clock that made it. */
export const activeKey = <K extends ScheduledKey>(keys: readonly K[], now: Date): K | undefined =>
  keys.findLast((key) => key.signsFrom <= now) ?? keys[0];

/** The key that has to be made now; undefined when there is nothing to do. */
export function plannedKey(keys: readonly ScheduledKey[], now: Date): ScheduledKey | undefined {
  const newest = keys.at(-1);
  if (newest === undefined) return { generation: 1, signsFrom: now };
  const takeover = newest.signsFrom.getTime() + rotationMs;
  if (now.getTime() < takeover - leadMs) return undefined;
  return { generation: newest.generation + 1, signsFrom: new Date(Math.max(takeover, now.getTime() + leadMs)) };
}

/** The keys that verifiers must know: the next one, the active one, and those whose tokens may still live. */
export const publishedKeys = <K extends ScheduledKey>(keys: readonly K[], now: Date): K[] =>
  keys.filter((_, index) => !isRetired(keys[index + 1], now));

/** The generations that nobody needs any more. */
export const retiredKeys = <K extends ScheduledKey>(keys: readonly K[], now: Date): K[] =>
  keys.filter((_, index) => isRetired(keys[index + 1], now));

const isRetired = (successor: ScheduledKey | undefined, now: Date): boolean =>
  successor !== undefined && now.getTime() >= successor.signsFrom.getTime() + retentionMs;
