import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import { activeKey, plannedKey, type ScheduledKey, signedAt } from "../domain/render-key-schedule.ts";
import { makeSealedKey, type OpenKey, openSealedKey } from "../domain/sealed-key.ts";
import { insertRenderKey, listRenderKeys } from "../store/render-key-store.ts";

export type RenderKey = ScheduledKey & OpenKey;

/** The keys of render tokens in memory. Which of them signs is decided by the time on every call. */
export interface RenderKeys {
  /**
   * The key that signs at that time: a token that says the same is the same, whenever it is made. Rejects only when the
   * keys were never read.
   */
  signingAt(time: Date): Promise<RenderKey>;
  /** The key with this id, at once when it is known; a new one may have been made by another process. */
  find(kid: string): RenderKey | undefined | Promise<RenderKey | undefined>;
  /** Whether the key signed at that time. */
  signedAt(key: RenderKey, time: Date): boolean;
}

export interface RenderKeysDeps {
  readonly pool: pg.Pool;
  readonly kek: Buffer;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** After this time the keys are read again beside the calls. */
const staleMs = 60_000;
/** After this time, as when the process was suspended, calls wait for it; far less than the lead of a new key. */
const outdatedMs = 3_600_000;
/** Ids that nobody has ever made must not turn into queries. */
const unknownKidMs = 5_000;

export function createRenderKeys(deps: RenderKeysDeps): RenderKeys {
  let keys: readonly RenderKey[] = [];
  let triedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    const known = new Map(keys.map((key) => [key.kid, key]));
    const stored = await readOrMakeKeys(deps, deps.clock.now());
    keys = stored.map((key) => known.get(key.kid) ?? { ...key, ...openSealedKey(deps.kek, key) });
  };
  const refresh = (): Promise<void> => {
    loading ??= load().finally(() => {
      loading = undefined;
      triedAt = deps.clock.now().getTime();
    });
    return loading;
  };
  const ageMs = (): number => deps.clock.now().getTime() - triedAt;
  const refreshWhenOlderThan = async (ms: number): Promise<void> => {
    if (keys.length > 0 && ageMs() < ms) return;
    try {
      await refresh();
    } catch (error) {
      if (keys.length === 0) throw error;
      deps.logger.warn({ err: error }, "render keys could not be read, going on with the known ones");
    }
  };
  const known = (kid: string) => keys.find((key) => key.kid === kid);
  return {
    signingAt: async (time) => {
      const refreshing = refreshWhenOlderThan(staleMs);
      if (keys.length === 0 || ageMs() > outdatedMs) await refreshing;
      const key = activeKey(keys, time);
      if (key === undefined) throw new Error("there is no render key");
      return key;
    },
    find: (kid) => known(kid) ?? refreshWhenOlderThan(unknownKidMs).then(() => known(kid)),
    signedAt: (key, time) => signedAt(keys, key, time),
  };
}

async function readOrMakeKeys(deps: RenderKeysDeps, now: Date) {
  const stored = await listRenderKeys(deps.pool);
  const planned = plannedKey(stored, now);
  if (planned === undefined) return stored;
  const sealed = makeSealedKey(deps.kek);
  const isOurs = await insertRenderKey(deps.pool, { ...planned, ...sealed }, now);
  if (isOurs) deps.logger.info({ kid: sealed.kid, ...planned }, "render key made");
  return listRenderKeys(deps.pool);
}
