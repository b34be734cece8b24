import type { Clock } from "#platform/clock.ts";

/** A bounded map whose entries end by themselves; the least recently used one makes room for a new one. */
export interface ExpiringCache<T> {
  get(key: string): T | undefined;
  /** Times are Unix milliseconds. */
  set(key: string, value: T, expiresAt: number): void;
}

export function createExpiringCache<T>(clock: Clock, maxEntries: number): ExpiringCache<T> {
  // A Map keeps the order of insertion, so its first entry is the one that was not used for longest.
  const entries = new Map<string, { readonly value: T; readonly expiresAt: number }>();
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (entry.expiresAt <= clock.now().getTime()) return undefined;
      entries.set(key, entry);
      return entry.value;
    },
    set: (key, value, expiresAt) => {
      if (expiresAt <= clock.now().getTime()) return;
      entries.delete(key);
      const oldest = entries.size >= maxEntries ? entries.keys().next().value : undefined;
      if (oldest !== undefined) entries.delete(oldest);
      entries.set(key, { value, expiresAt });
    },
  };
}
