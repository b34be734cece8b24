import type { Client } from "@connectrpc/connect";
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { LRUCache } from "lru-cache";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";

export interface KeySet {
  /** Finds the key of a token for jose; throws JWKSNoMatchingKey when there is none. */
  readonly getKey: JWTVerifyGetKey;
  /** The public keys as a JSON document (RFC 7517). */
  document(): Promise<string>;
}

export interface KeySetDeps {
  readonly tokens: Pick<Client<typeof TokenService>, "getJwks">;
  readonly monotonic: () => number;
  readonly logger: Logger;
}

interface Loaded {
  readonly document: string;
  readonly find: JWTVerifyGetKey;
  readonly at: number;
}

/** An unknown key id triggers a reload, but no more often than this. */
const cooldownMs = 30_000;
/** New keys are published a day before their first use. */
const maxAgeMs = 300_000;

/** The auth service's public keys. Keeps the last good set while the auth service is unreachable. */
export function createKeySet({ tokens, monotonic, logger }: KeySetDeps): KeySet {
  let loaded: Loaded | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<Loaded> | undefined;

  const load = (): Promise<Loaded> => {
    askedAt = monotonic();
    loading ??= fetchKeys(tokens, monotonic)
      .then((fresh) => {
        loaded = fresh;
        return fresh;
      })
      .finally(() => {
        loading = undefined;
      });
    return loading;
  };

  const current = async (): Promise<Loaded> => {
    if (loaded === undefined) return load();
    if (monotonic() - loaded.at > maxAgeMs && monotonic() - askedAt > cooldownMs) {
      load().catch((error: unknown) =>
        logger.warn({ err: error }, "the key set could not be renewed; the last one is kept"),
      );
    }
    return loaded;
  };

  return {
    document: async () => (await current()).document,
    getKey: async (header, token) => {
      const keys = await current();
      try {
        return await keys.find(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || monotonic() - askedAt <= cooldownMs) throw error;
        return (await load()).find(header, token);
      }
    },
  };
}

async function fetchKeys(tokens: KeySetDeps["tokens"], monotonic: () => number): Promise<Loaded> {
  const { jwksJson } = await tokens.getJwks({}, { timeoutMs: 2_000 });
  const find = createLocalJWKSet(JSON.parse(jwksJson) as JSONWebKeySet);
  return { document: jwksJson, find, at: monotonic() };
}

/** A bounded map whose entries expire; when it is full, the least recently used entry is evicted. */
interface ExpiringCache<T> {
  get(key: string): T | undefined;
  /** Times are Unix milliseconds. */
  set(key: string, value: T, expiresAt: number): void;
}

export function createExpiringCache<T>(clock: Clock, maxEntries: number): ExpiringCache<T> {
  const entries = new LRUCache<string, { readonly value: T; readonly expiresAt: number }>({ max: maxEntries });
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry !== undefined && entry.expiresAt > clock.now().getTime()) return entry.value;
      entries.delete(key);
      return undefined;
    },
    set: (key, value, expiresAt) => {
      if (expiresAt > clock.now().getTime()) entries.set(key, { value, expiresAt });
    },
  };
}
