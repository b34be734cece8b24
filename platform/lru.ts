/** A map that forgets what was not used for longest once it has more than `max` entries. */
export interface Lru<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

export function createLru<V>(max: number): Lru<V> {
  const entries = new Map<string, V>();
  return {
    get: (key) => {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set: (key, value) => {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size > max) entries.delete(entries.keys().next().value as string);
    },
  };
}
