import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { activeKey, createKeyCache, plannedKey, type ScheduledKey, signedAt } from "#platform/key-schedule.ts";
import type { Logger } from "#platform/logger.ts";
import type { KeyRing } from "#platform/secrets.ts";
import { makeSealedKey, type OpenKey, openSealedKey } from "./sealed-columns.ts";
import { insertSigningKey, type KeyPurpose, listSigningKeys, revokeSigningKey } from "./signing-key-store.ts";

export type SigningKey = Required<ScheduledKey> & OpenKey;

const dayMs = 24 * 60 * 60 * 1000;
/** How long a key signs. */
const rotationMs: Readonly<Record<KeyPurpose, number>> = { render: 30 * dayMs, receipt: 365 * dayMs, log: 365 * dayMs };
/** How long a process may still use a key that was revoked through another process. */
const revocationSpreadMs = 60_000;

/** The keys of one purpose, cached in memory. Each call picks the signing key by the current time. */
export interface SigningKeys {
  /**
   * The key that signs at that time, never a revoked one. The same content gets the same signature whenever it
   * is signed, unless a key is revoked. Rejects only when the keys were never loaded.
   */
  signingAt(time: Date): Promise<SigningKey>;
  /** The key with this id, synchronously when cached; another process may have created it recently. */
  find(kid: string): SigningKey | undefined | Promise<SigningKey | undefined>;
  /** Finds the key of a generation that is stored beside a signature, so it must exist. */
  byGeneration(generation: number): SigningKey | undefined | Promise<SigningKey | undefined>;
  /** Whether the key signed at that time. */
  signedAt(key: SigningKey, time: Date): boolean;
  /** By generation. */
  all(): Promise<readonly SigningKey[]>;
}

/** For operators. */
export interface ManagedSigningKeys extends SigningKeys {
  /** Creates a key that takes over immediately. */
  rotate(): Promise<SigningKey>;
  /**
   * Revokes a key. If it is the signing one, a new key takes over immediately. Undefined when there is no such
   * key.
   */
  revoke(kid: string): Promise<SigningKey | undefined>;
}

export interface SigningKeysDeps {
  readonly pool: pg.Pool;
  readonly kek: KeyRing;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly purpose: KeyPurpose;
}

/** Older than this, keys are reloaded in the background. */
const staleMs = 5_000;
/**
 * Older than this, as after a quiet period, calls wait for the reload: a revoked key must not be used any
 * longer.
 */
const outdatedMs = revocationSpreadMs / 2;
/** Keeps unknown ids from causing a query each time. */
const unknownMs = 1_000;
/** How often another process may win the race for a generation. */
const maxTries = 10;

export function createSigningKeys(deps: SigningKeysDeps): ManagedSigningKeys {
  const { kek, purpose } = deps;
  const cache = createKeyCache({
    ...{ ...deps, staleMs, outdatedMs },
    read: (now) => readOrMakeKeys(deps, now),
    open: (key): OpenKey => openSealedKey(kek, key),
  });
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
      if (key === undefined) throw new Error(`there is no ${purpose} key that was not revoked`);
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
      await revokeSigningKey(deps.pool, purpose, kid, at);
      await cache.reload();
      const revoked = cache.keys().find((key) => key.kid === kid);
      if (revoked) deps.logger.warn({ purpose, kid, revokedAt: revoked.revokedAt }, "signing key revoked");
      return revoked;
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

/** Creates a key that signs from now on and returns its kid. */
async function makeNextKey(deps: SigningKeysDeps): Promise<string> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const newest = (await listSigningKeys(deps.pool, deps.purpose)).at(-1);
    const now = deps.clock.now();
    const kid = await makeKey(deps, { generation: (newest?.generation ?? 0) + 1, signsFrom: now }, now);
    if (kid !== undefined) return kid;
  }
  throw new Error(`other processes made each new ${deps.purpose} key first`);
}

/** Undefined when another process has already created this generation. */
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
