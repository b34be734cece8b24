/** What a key signs: render tokens; receipts and all other leaves; or checkpoints. */
export type KeyPurpose = (typeof keyPurposes)[number];

export const keyPurposes = ["render", "receipt", "log"] as const;

/** When a key takes over. Keys are listed by generation: the last one whose time has come signs. */
export interface ScheduledKey {
  readonly generation: number;
  readonly signsFrom: Date;
  /** Nothing signed from then on can be trusted; the key stops signing as soon as this is set. */
  readonly revokedAt: Date | null;
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** How long a key signs. */
export const rotationMs: Readonly<Record<KeyPurpose, number>> = {
  render: 30 * dayMs,
  receipt: 365 * dayMs,
  log: 365 * dayMs,
};
/** A key is stored a day before it signs, longer than any process goes without reloading its keys. */
export const leadMs = dayMs;
/** Covers a process that missed the takeover, and differences between clocks. */
export const toleranceMs = hourMs;
/** How long a process may still use a key that was revoked through another process. */
export const revocationSpreadMs = 60_000;

/**
 * The key that signs at a given time; undefined when one must be created first. The first key also signs for
 * clocks that are behind. When a key is revoked, the next one takes its place.
 */
export function activeKey<K extends ScheduledKey>(keys: readonly K[], time: Date): K | undefined {
  const scheduled = scheduledKey(keys, time);
  return scheduled && keys.find((key) => key.revokedAt === null && key.generation >= scheduled.generation);
}

/** The key to create now; undefined when none is needed. */
export function plannedKey(
  keys: readonly ScheduledKey[],
  now: Date,
  rotation: number,
): Omit<ScheduledKey, "revokedAt"> | undefined {
  const generation = (keys.at(-1)?.generation ?? 0) + 1;
  const newest = keys.findLast((key) => key.revokedAt === null);
  if (newest === undefined || isLeftWithoutKey(keys, now)) return { generation, signsFrom: now };
  const takeover = newest.signsFrom.getTime() + rotation;
  if (now.getTime() < takeover - leadMs) return undefined;
  return { generation, signsFrom: new Date(Math.max(takeover, now.getTime() + leadMs)) };
}

/** Whether the key was the signing one at that time: a stolen old key cannot sign anything new. */
export function signedAt(keys: readonly ScheduledKey[], key: ScheduledKey, time: Date): boolean {
  const { from, until } = validityOf(keys, key);
  return time >= from && (until === null || time < until) && (key.revokedAt === null || time < key.revokedAt);
}

/** When a key's signatures are valid, revoked or not. */
export function validityOf(keys: readonly ScheduledKey[], key: ScheduledKey): { from: Date; until: Date | null } {
  const takeover = takeoverOf(keys, key);
  return {
    from: new Date(key.signsFrom.getTime() - toleranceMs),
    until: takeover && new Date(takeover.getTime() + toleranceMs),
  };
}

/** Whether others replaced the key before its turn came. */
export function neverSigns(keys: readonly ScheduledKey[], key: ScheduledKey): boolean {
  const { from, until } = validityOf(keys, key);
  return wasRevokedEarly(key) || (until !== null && until <= from);
}

/** When the next key took or takes over; null while there is none. */
export function takeoverOf(keys: readonly ScheduledKey[], key: ScheduledKey): Date | null {
  const successors = keys.filter((other) => other.generation > key.generation && !wasRevokedEarly(other));
  return successors.length === 0 ? null : new Date(Math.min(...successors.map(({ signsFrom }) => signsFrom.getTime())));
}

/** The key scheduled for that time, revoked or not. */
function scheduledKey<K extends ScheduledKey>(keys: readonly K[], time: Date): K | undefined {
  const candidates = keys.filter((key) => !wasRevokedEarly(key));
  return candidates.findLast((key) => key.signsFrom <= time) ?? candidates[0];
}

/** Revoked before its turn: it never signs and replaces no other key. */
const wasRevokedEarly = ({ signsFrom, revokedAt }: ScheduledKey): boolean =>
  revokedAt !== null && revokedAt <= signsFrom;

/** The scheduled key was revoked, and its successor would start too early. */
function isLeftWithoutKey(keys: readonly ScheduledKey[], now: Date): boolean {
  if (scheduledKey(keys, now)?.revokedAt === null) return false;
  const active = activeKey(keys, now);
  return active === undefined || active.signsFrom.getTime() - toleranceMs > now.getTime();
}
