import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import type { KeyRing } from "#platform/secrets.ts";
import {
  activeKey,
  type KeyPurpose,
  plannedKey,
  revocationSpreadMs,
  rotationMs,
  type ScheduledKey,
  signedAt,
} from "./key-schedule.ts";
import { makeSealedKey, type OpenKey, openSealedKey } from "./sealed-columns.ts";
import { insertSigningKey, listSigningKeys, revokeSigningKey } from "./signing-key-store.ts";

export type SigningKey = ScheduledKey & OpenKey;

/** The keys of one purpose in memory. Which of them signs is decided by the time on every call. */
export interface SigningKeys {
  /**
   * The key that signs at that time, never a revoked one: what says the same is signed the same, whenever it is made,
   * unless a key was revoked. Rejects only when the keys were never read.
   */
  signingAt(time: Date): Promise<SigningKey>;
  /** The key with this id, at once when it is known; a new one may have been made by another process. */
  find(kid: string): SigningKey | undefined | Promise<SigningKey | undefined>;
  /** Like find, but of a generation that is stored with a signature: whichever process made it, it is there. */
  byGeneration(generation: number): SigningKey | undefined | Promise<SigningKey | undefined>;
  /** Whether the key signed at that time. */
  signedAt(key: SigningKey, time: Date): boolean;
  /** By generation. */
  all(): Promise<readonly SigningKey[]>;
}

/** For operators. */
export interface ManagedSigningKeys extends SigningKeys {
  /** Makes a key that takes over at once. */
  rotate(): Promise<SigningKey>;
  /** When the key is the one that signs, a new one takes over at once. Undefined when there is no such key. */
  revoke(kid: string): Promise<SigningKey | undefined>;
}

export interface SigningKeysDeps {
  readonly pool: pg.Pool;
  readonly kek: KeyRing;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly purpose: KeyPurpose;
}

/** After this time the keys are read again beside the calls. */
const staleMs = 5_000;
/** After this time, as when nobody called for a while, calls wait for it: a revoked key must not go on being used. */
const outdatedMs = revocationSpreadMs / 2;
/** Ids that nobody has ever made must not turn into queries. */
const unknownMs = 1_000;
/** How often another process may make the generation that was meant to be ours. */
const maxTries = 10;

export function createSigningKeys(deps: SigningKeysDeps): ManagedSigningKeys {
  const cache = createKeyCache(deps);
  const lookUp = (matches: (key: SigningKey) => boolean) => {
    const refreshing = cache.keepFresh();
    const known = cache.keys().find(matches);
    if (known !== undefined && refreshing === undefined) return known;
    return (refreshing ?? cache.refreshWhenOlderThan(unknownMs))?.then(() => cache.keys().find(matches));
  };
  return {
    signingAt: async (time) => {
      await cache.keepFresh();
      const key = activeKey(cache.keys(), time);
      if (key === undefined) throw new Error(`there is no ${deps.purpose} key that was not revoked`);
      return key;
    },
    find: (kid) => lookUp((key) => key.kid === kid),
    byGeneration: (generation) => {
      const matches = (key: SigningKey) => key.generation === generation;
      const known = lookUp(matches);
      if (known !== undefined && !(known instanceof Promise)) return known;
      return Promise.resolve(known).then((found) => found ?? cache.reload().then(() => cache.keys().find(matches)));
    },
    signedAt: (key, time) => signedAt(cache.keys(), key, time),
    all: async () => {
      await cache.keepFresh();
      return cache.keys();
    },
    rotate: async () => {
      const kid = await makeNextKey(deps);
      await cache.reload();
      return cache.keys().find((key) => key.kid === kid) as SigningKey;
    },
    revoke: async (kid) => {
      const at = new Date(deps.clock.now().getTime() + revocationSpreadMs);
      await revokeSigningKey(deps.pool, deps.purpose, kid, at);
      await cache.reload();
      const revoked = cache.keys().find((key) => key.kid === kid);
      if (revoked)
        deps.logger.warn({ purpose: deps.purpose, kid, revokedAt: revoked.revokedAt }, "signing key revoked");
      return revoked;
    },
  };
}

function createKeyCache(deps: SigningKeysDeps) {
  const { clock, logger, purpose } = deps;
  let keys: readonly SigningKey[] = [];
  let triedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    const known = new Map(keys.map((key) => [key.kid, key]));
    const stored = await readOrMakeKeys(deps, clock.now());
    keys = stored.map((key) => {
      const { generation, signsFrom, revokedAt } = key;
      const { kid, publicKey, privateKey } = known.get(key.kid) ?? openSealedKey(deps.kek, key);
      return { generation, signsFrom, revokedAt, kid, publicKey, privateKey };
    });
  };
  const refresh = (): Promise<void> => {
    loading ??= load().finally(() => {
      loading = undefined;
      triedAt = clock.now().getTime();
    });
    return loading;
  };
  // A clock that was set back must not make them young for hours.
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
    refreshWhenOlderThan,
    /** Reads the keys when they are a little old; callers have to wait for it only when they are outdated. */
    keepFresh: (): Promise<void> | undefined => {
      const refreshing = refreshWhenOlderThan(staleMs);
      return keys.length === 0 || ageMs() >= outdatedMs ? refreshing : undefined;
    },
    /** Reads what has just been changed. */
    reload: async (): Promise<void> => {
      await loading?.catch(() => undefined);
      await refresh();
    },
  };
}

async function readOrMakeKeys(deps: SigningKeysDeps, now: Date) {
  const stored = await listSigningKeys(deps.pool, deps.purpose);
  const planned = plannedKey(stored, now, rotationMs[deps.purpose]);
  if (planned === undefined) return stored;
  await makeKey(deps, planned, now);
  return listSigningKeys(deps.pool, deps.purpose);
}

/** The kid of a key that signs from now on. */
async function makeNextKey(deps: SigningKeysDeps): Promise<string> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const newest = (await listSigningKeys(deps.pool, deps.purpose)).at(-1);
    const now = deps.clock.now();
    const kid = await makeKey(deps, { generation: (newest?.generation ?? 0) + 1, signsFrom: now }, now);
    if (kid !== undefined) return kid;
  }
  throw new Error(`other processes made each new ${deps.purpose} key first`);
}

/** Undefined when another process has made this generation. */
async function makeKey(
  { pool, kek, logger, purpose }: SigningKeysDeps,
  planned: Omit<ScheduledKey, "revokedAt">,
  now: Date,
): Promise<string | undefined> {
  const sealed = makeSealedKey(kek);
  if (!(await insertSigningKey(pool, purpose, { ...planned, ...sealed }, now))) return undefined;
  logger.info({ purpose, kid: sealed.kid, ...planned }, "signing key made");
  return sealed.kid;
}
