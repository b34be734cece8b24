/** A bounded number of things at once; the others wait in order. */
export interface Slots {
  /** Resolves to what gives the slot back, or to undefined when the signal is aborted before there is one. */
  take(signal: AbortSignal): Promise<(() => void) | undefined>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();

  const release = (): void => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else next();
  };
  return {
    take: async (signal) => {
      if (signal.aborted) return undefined;
      if (free > 0) {
        free -= 1;
        return release;
      }
      const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>();
      const start = (): void => {
        waiting.delete(start);
        signal.removeEventListener("abort", giveUp);
        resolve(release);
      };
      const giveUp = (): void => {
        waiting.delete(start);
        resolve(undefined);
      };
      waiting.add(start);
      signal.addEventListener("abort", giveUp, { once: true });
      return promise;
    },
  };
}
