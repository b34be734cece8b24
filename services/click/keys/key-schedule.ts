/** What a key signs: render tokens, receipts with all other leaves of the log, or checkpoints. */
export type KeyPurpose = (typeof keyPurposes)[number];

export const keyPurposes = ["render", "receipt", "log"] as const;

/** When a key takes over. Keys are listed by generation: of those whose time has come, the last one signs. */
export interface ScheduledKey {
  readonly generation: number;
  readonly signsFrom: Date;
  /** From then on nothing that it signed is to be trusted; it stops signing as soon as this is set. */
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
/** A key is stored a day before it signs, longer than any process goes without reading the keys again. */
export const leadMs = dayMs;
/** What a process that has missed the takeover may still sign, and how far clocks may differ. */
export const toleranceMs = hourMs;
/** How long a process may go on signing with a key that was revoked through another process. */
export const revocationSpreadMs = 60_000;

/**
 * The key that signs at that time; undefined when a new one has to be made first. The first one also signs for a clock
 * that is behind the clock that made it, and what a revoked key would sign, the next one does.
 */
export function activeKey<K extends ScheduledKey>(keys: readonly K[], time: Date): K | undefined {
  const scheduled = scheduledKey(keys, time);
  return scheduled && keys.find((key) => key.revokedAt === null && key.generation >= scheduled.generation);
}

/** The key that has to be made now; undefined when there is nothing to do. */
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

/** True when this key signed at that time: whoever steals an old key can sign nothing new with it. */
export function signedAt(keys: readonly ScheduledKey[], key: ScheduledKey, time: Date): boolean {
  const { from, until } = validityOf(keys, key);
  return time >= from && (until === null || time < until) && (key.revokedAt === null || time < key.revokedAt);
}

/** When signatures of a key are good, revoked or not. */
export function validityOf(keys: readonly ScheduledKey[], key: ScheduledKey): { from: Date; until: Date | null } {
  const takeover = takeoverOf(keys, key);
  return {
    from: new Date(key.signsFrom.getTime() - toleranceMs),
    until: takeover && new Date(takeover.getTime() + toleranceMs),
  };
}

/** True for a key that others were made to take over from before its own turn came. */
export function neverSigns(keys: readonly ScheduledKey[], key: ScheduledKey): boolean {
  const { from, until } = validityOf(keys, key);
  return wasRevokedEarly(key) || (until !== null && until <= from);
}

/** When the next key took over, or will; null while none is made. */
export function takeoverOf(keys: readonly ScheduledKey[], key: ScheduledKey): Date | null {
  const successors = keys.filter((other) => other.generation > key.generation && !wasRevokedEarly(other));
  return successors.length === 0 ? null : new Date(Math.min(...successors.map(({ signsFrom }) => signsFrom.getTime())));
}

/** The key whose turn it is, revoked or not. */
function scheduledKey<K extends ScheduledKey>(keys: readonly K[], time: Date): K | undefined {
  const candidates = keys.filter((key) => !wasRevokedEarly(key));
  return candidates.findLast((key) => key.signsFrom <= time) ?? candidates[0];
}

/** Revoked before its turn came: it never signs, and takes over from nobody. */
const wasRevokedEarly = ({ signsFrom, revokedAt }: ScheduledKey): boolean =>
  revokedAt !== null && revokedAt <= signsFrom;

/** The key whose turn it is was revoked, and the one after it would sign too early. */
function isLeftWithoutKey(keys: readonly ScheduledKey[], now: Date): boolean {
  if (scheduledKey(keys, now)?.revokedAt === null) return false;
  const active = activeKey(keys, now);
  return active === undefined || active.signsFrom.getTime() - toleranceMs > now.getTime();
}
