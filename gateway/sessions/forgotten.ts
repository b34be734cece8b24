/** Which remembered answers are older than a change. */
export interface Forgotten {
  /** What is asked from now on is newer than whatever was forgotten so far. */
  now(): number;
  /** Everything that was asked before is out of date for this session or user. */
  add(id: string): void;
  isOlder(askedAt: number, ids: readonly string[]): boolean;
}

/** Longer than any answer is remembered and any question takes. */
const keepMs = 120_000;

export function createForgotten(monotonic: () => number): Forgotten {
  // In the order in which they were added, so the oldest are in front.
  const changed = new Map<string, { readonly order: number; readonly at: number }>();
  let order = 0;

  const dropOld = (at: number): void => {
    for (const [id, change] of changed) {
      if (at - change.at < keepMs) return;
      changed.delete(id);
    }
  };

  return {
    now: () => order,
    add: (id) => {
      const at = monotonic();
      dropOld(at);
      order += 1;
      changed.delete(id);
      changed.set(id, { order, at });
    },
    isOlder: (askedAt, ids) => ids.some((id) => (changed.get(id)?.order ?? 0) > askedAt),
  };
}
