/** When a key takes over. Keys are listed by generation, which is also the order in which they take over. */
export interface ScheduledKey {
  readonly generation: number;
  readonly signsFrom: Date;
}

const hourMs = 60 * 60 * 1000;

/** A key signs for 30 days. */
export const rotationMs = 30 * 24 * hourMs;
/** A key is stored a day before it signs, longer than any process goes without reading the keys again. */
export const leadMs = 24 * hourMs;
/** What a process that has missed the takeover may still sign, and how far clocks may differ. */
export const toleranceMs = hourMs;

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

/** True when this key signed at that time: whoever steals an old key can make no new token with it. */
export function signedAt(keys: readonly ScheduledKey[], key: ScheduledKey, time: Date): boolean {
  const successor = keys.find(({ generation }) => generation === key.generation + 1);
  const ms = time.getTime();
  return (
    ms >= key.signsFrom.getTime() - toleranceMs &&
    (successor === undefined || ms < successor.signsFrom.getTime() + toleranceMs)
  );
}
