/** A map that forgets what was not used for longest once its values weigh more than `maxWeight` together. */
export interface WeightedLru<V> {
  get(key: string): V | undefined;
  /** A value that weighs more than the whole map may is not kept. */
  set(key: string, value: V, weight: number): void;
}

export function createWeightedLru<V>(maxWeight: number): WeightedLru<V> {
  const entries = new Map<string, { readonly value: V; readonly weight: number }>();
  let total = 0;
  const remove = (key: string): void => {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set: (key, value, weight) => {
      remove(key);
      if (weight > maxWeight) return;
      entries.set(key, { value, weight });
      total += weight;
      while (total > maxWeight) remove(entries.keys().next().value as string);
    },
  };
}
