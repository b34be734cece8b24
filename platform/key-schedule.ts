import type { Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";

/** When a key takes over. Keys are listed by generation: the last one whose time has come signs. */
export interface ScheduledKey {
  readonly generation: number;
  readonly signsFrom: Date;
  /** Null or absent for a key that was not revoked. Nothing signed from then on can be trusted; the key stops signing as soon as this is set. */
  readonly revokedAt?: Date | null;
}

const hourMs = 60 * 60 * 1000;

/** A key is stored a day before it signs: longer than any process or verifier goes without reading the keys again. */
export const leadMs = 24 * hourMs;
/** Covers a process that missed the takeover, and differences between clocks. */
export const toleranceMs = hourMs;

/**
 * The key that signs at a given time; undefined when one must be created first. The first key also signs for
 * clocks that are behind. When a key is revoked, the next one takes its place.
 */
export function activeKey<K extends ScheduledKey>(keys: readonly K[], time: Date): K | undefined {
  const scheduled = scheduledKey(keys, time);
  return scheduled && keys.find((key) => !isRevoked(key) && key.generation >= scheduled.generation);
}

/** The key to create now; undefined when none is needed. */
export function plannedKey(
  keys: readonly ScheduledKey[],
  now: Date,
  rotation: number,
): Omit<ScheduledKey, "revokedAt"> | undefined {
  const generation = (keys.at(-1)?.generation ?? 0) + 1;
  const newest = keys.findLast((key) => !isRevoked(key));
  if (newest === undefined || isLeftWithoutKey(keys, now)) return { generation, signsFrom: now };
  const takeover = newest.signsFrom.getTime() + rotation;
  if (now.getTime() < takeover - leadMs) return undefined;
  return { generation, signsFrom: new Date(Math.max(takeover, now.getTime() + leadMs)) };
}

/** Whether the key was the signing one at that time: a stolen old key cannot sign anything new. */
export function signedAt(keys: readonly ScheduledKey[], key: ScheduledKey, time: Date): boolean {
  const { from, until } = validityOf(keys, key);
  return time >= from && (until === null || time < until) && (!isRevoked(key) || time < key.revokedAt);
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

const isRevoked = <K extends ScheduledKey>(key: K): key is K & { readonly revokedAt: Date } =>
  key.revokedAt !== undefined && key.revokedAt !== null;

/** Revoked before its turn: it never signs and replaces no other key. */
const wasRevokedEarly = (key: ScheduledKey): boolean => isRevoked(key) && key.revokedAt <= key.signsFrom;

/** The scheduled key was revoked, and its successor would start too early. */
function isLeftWithoutKey(keys: readonly ScheduledKey[], now: Date): boolean {
  const scheduled = scheduledKey(keys, now);
  if (scheduled !== undefined && !isRevoked(scheduled)) return false;
  const active = activeKey(keys, now);
  return active === undefined || active.signsFrom.getTime() - toleranceMs > now.getTime();
}

interface KeyCacheOptions<Stored extends ScheduledKey, Opened> {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Stands in the log beside what is said of the keys. */
  readonly purpose: string;
  /** All keys, oldest first; the next one among them when it is due. */
  read(now: Date): Promise<readonly Stored[]>;
  /** Decrypts a key. Each is decrypted once. */
  open(key: Stored): Opened | Promise<Opened>;
  /** Older than this, keys are read again in the background. */
  readonly staleMs: number;
  /** Older than this, whoever asks for keys waits until they were read again. */
  readonly outdatedMs: number;
}

/** The keys of one purpose in memory. While they cannot be read, those that are known go on. */
export function createKeyCache<Stored extends ScheduledKey & { readonly kid: string }, Opened extends { kid: string }>(
  options: KeyCacheOptions<Stored, Opened>,
) {
  const { clock, logger, purpose, staleMs, outdatedMs } = options;
  let keys: readonly (Required<ScheduledKey> & Opened)[] = [];
  let triedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    const opened = new Map<string, Opened>(keys.map((key) => [key.kid, key]));
    const stored = await options.read(clock.now());
    keys = await Promise.all(
      stored.map(async (key) => {
        const { generation, signsFrom, revokedAt = null } = key;
        return { ...(opened.get(key.kid) ?? (await options.open(key))), generation, signsFrom, revokedAt };
      }),
    );
  };
  const refresh = (): Promise<void> => {
    loading ??= load().finally(() => {
      loading = undefined;
      triedAt = clock.now().getTime();
    });
    return loading;
  };
  // Absolute, so that a clock that was set back does not keep the keys fresh for hours.
  const ageMs = (): number => Math.abs(clock.now().getTime() - triedAt);
  const refreshWhenOlderThan = (ms: number): Promise<void> | undefined => {
    if (keys.length > 0 && ageMs() < ms) return undefined;
    return refresh().catch((error: unknown) => {
      if (keys.length === 0) throw error;
      logger.warn({ err: error, purpose }, "signing keys could not be read, going on with the known ones");
    });
  };
  return {
    keys: () => keys,
    refresh,
    refreshWhenOlderThan,
    /** Reads stale keys again. Callers have to wait only when the keys are outdated. */
    keepFresh: (): Promise<void> | undefined => {
      const refreshing = refreshWhenOlderThan(staleMs);
      return keys.length === 0 || ageMs() >= outdatedMs ? refreshing : undefined;
    },
    /** Reads the keys again after a change of our own. */
    reload: async (): Promise<void> => {
      await loading?.catch(() => undefined);
      await refresh();
    },
  };
}
