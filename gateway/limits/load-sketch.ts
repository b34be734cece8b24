/** A counter of a sketch. */
interface Counter {
  /** At most. */
  readonly busyMs: number;
  /** How much of it may be of those who had the counter before. */
  readonly errorMs: number;
}

/** What was noted in some time. */
export interface NotedLoad {
  readonly spanMs: number;
  /** At most this, of whoever has no counter. */
  readonly othersMs: number;
  readonly organizations: (Counter & { readonly organizationId: string })[];
}

/** Which organizations keep this process busy: as many counters as it was made with, however many organizations call. */
export interface LoadSketch {
  /** A request was served for so long. */
  note(organizationId: string, ms: number): void;
  /** What was noted since the last time. */
  take(): NotedLoad;
}

/**
 * Space-saving: whoever has no counter takes over the smallest, with what is in it as the error. So the counters together
 * are all that was noted, none has less than its organization had, and nobody without one had more than the smallest.
 */
export function createLoadSketch(monotonic: () => number, most = 200): LoadSketch {
  let counters = new Map<string, Counter>();
  let begunAt = monotonic();
  let isFull = false;

  const smallest = (): [string, Counter] => {
    let found: [string, Counter] = ["", { busyMs: Number.POSITIVE_INFINITY, errorMs: 0 }];
    for (const entry of counters) {
      if (entry[1].busyMs < found[1].busyMs) found = entry;
    }
    return found;
  };

  return {
    note: (organizationId, ms) => {
      const known = counters.get(organizationId);
      if (known !== undefined) {
        counters.set(organizationId, { busyMs: known.busyMs + ms, errorMs: known.errorMs });
        return;
      }
      if (counters.size < most) {
        counters.set(organizationId, { busyMs: ms, errorMs: 0 });
        return;
      }
      isFull = true;
      const [former, { busyMs }] = smallest();
      counters.delete(former);
      counters.set(organizationId, { busyMs: busyMs + ms, errorMs: busyMs });
    },
    take: () => {
      const now = monotonic();
      const taken = {
        spanMs: Math.max(1, Math.round(now - begunAt)),
        othersMs: isFull ? smallest()[1].busyMs : 0,
        organizations: [...counters].map(([organizationId, counter]) => ({ organizationId, ...counter })),
      };
      counters = new Map();
      begunAt = now;
      isFull = false;
      return taken;
    },
  };
}
