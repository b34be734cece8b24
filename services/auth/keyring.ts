import type { JSONWebKeySet } from "jose";
import type { Pool } from "pg";
import type { Clock } from "#platform/clock.ts";
import { activeKey, createKeyCache, plannedKey } from "#platform/key-schedule.ts";
import type { Logger } from "#platform/logger.ts";
import type { KeyRing } from "#platform/secrets.ts";
import { deriveKeys } from "./domain/secrets.ts";
import { makeSealedKey, type OpenKey, openSealedKey, publishedKeys, rotationMs } from "./domain/signing-key.ts";
import type { AuthOrm } from "./store/orm.ts";
import { insertSigningKey, listSigningKeys } from "./store/token-store.ts";

/** The signing keys in memory. Which of them signs is decided by the clock on every call, so a takeover needs no reload. */
export interface Keyring {
  signingKey(): Promise<OpenKey>;
  jwks(): Promise<JSONWebKeySet>;
  /** Reads the keys again and makes the next one when it is due. */
  refresh(): Promise<void>;
}

export interface KeyringDeps {
  readonly orm: AuthOrm;
  readonly lookup: Pool;
  readonly kek: KeyRing;
  readonly clock: Clock;
  readonly logger: Logger;
}

// The worker tries every few seconds, so calls find a recent attempt and never wait, also while the database is down.
// Only in a process whose worker does not run, or that was suspended, does a call read the keys itself.
const staleMs = 60_000;

export function createKeyring(deps: KeyringDeps): Keyring {
  const cache = createKeyCache({
    ...{ ...deps, purpose: "token", staleMs, outdatedMs: staleMs },
    read: (now) => readOrMakeKeys(deps, now),
    open: (key) => openSealedKey(deps.kek, key),
  });
  return {
    refresh: cache.refresh,
    signingKey: async () => {
      await cache.keepFresh();
      const key = activeKey(cache.keys(), deps.clock.now());
      if (key === undefined) throw new Error("there is no signing key");
      return key;
    },
    jwks: async () => {
      await cache.keepFresh();
      return { keys: publishedKeys(cache.keys(), deps.clock.now()).map((key) => key.publicJwk) };
    },
  };
}

async function readOrMakeKeys(deps: KeyringDeps, now: Date) {
  const stored = await listSigningKeys(deps.lookup);
  const planned = plannedKey(stored, now, rotationMs);
  if (planned === undefined) return stored;
  const sealed = await makeSealedKey(deps.kek);
  const isOurs = await insertSigningKey(deps.orm, { ...planned, ...sealed }, now);
  if (isOurs) deps.logger.info({ kid: sealed.kid, ...planned }, "signing key made");
  return listSigningKeys(deps.lookup);
}

/**
 * Which master key the hashes of before were made with: the one that opens the oldest signing key. Undefined when there is
 * none, so that there are no hashes either.
 */
export async function findFormerHashKey(lookup: Pool, masterKeys: KeyRing): Promise<Buffer | undefined> {
  const [oldest] = await listSigningKeys(lookup);
  if (oldest === undefined) return undefined;
  for (const key of masterKeys) {
    const { signingKeyKek } = deriveKeys([key], () => key);
    if (await openSealedKey(signingKeyKek, oldest).then(Boolean, () => false)) return key;
  }
  throw new Error("no master key is the one that the database was made with");
}
