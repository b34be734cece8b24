/** A queue that shares places fairly among owners. */
export interface FairQueue<Task> {
  add(owner: string, task: Task): void;
  /**
   * Takes the next task: from the owner with the fewest running tasks, then from the one whose last turn is
   * longest ago, then the oldest task. With `idleOwnersOnly` it skips owners with a running task. While other
   * owners are active, an owner that has used more than its share of time gets only one place.
   */
  take(choice: {
    readonly idleOwnersOnly: boolean;
    /** Whether an owner may have a place now; all may when absent. */
    readonly mayTake?: ((owner: string) => boolean) | undefined;
  }): { readonly owner: string; readonly task: Task } | undefined;
  /**
   * Ends a task taken with `take`. Its duration delays the owner's next turn: fairness counts time, not tasks.
   */
  finish(owner: string, tookMs: number): void;
  /** Removes a waiting task. */
  remove(owner: string, task: Task): void;
  /** Records activity of an owner that needs no place here but should not suffer from others. */
  note(owner: string): void;
  /** Milliseconds until a waiting owner's rest ends; undefined when none rests. */
  restMs(): number | undefined;
  waiting(): number;
  waitingOf(owner: string): readonly Task[];
  /** Removes and returns all waiting tasks. */
  clear(): Task[];
}

/** Other owners count as active for this long, in milliseconds. */
const recentlyMs = 10_000;
/** An owner this far ahead of the clock has used more than one place. */
const aheadMs = 1_000;

/** The longest delay of a turn, so that an owner that was slow while nobody else had work soon catches up. */
const longestPutOffMs = 60_000;

/** Only this much of a task causes rest, since a longer one may have been waiting itself. */
const longestTaskMs = 1_000;

interface Share<Task> {
  readonly tasks: Task[];
  running: number;
  turnAt: number;
  restsUntil: number;
}

export interface FairQueueOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** How much an owner may have running while others are active, however little it has used. */
  readonly besideOthers?: number;
  /** While others are active, an owner with more work rests this many times the duration of its last task. */
  readonly rest?: number;
}

/** For tasks waiting in one process, the same order in which documents are claimed from the database. */
export function createFairQueue<Task>({
  now = () => performance.now(),
  besideOthers = Number.POSITIVE_INFINITY,
  rest = 0,
}: FairQueueOptions = {}): FairQueue<Task> {
  const shares = new Map<string, Share<Task>>();
  let waiting = 0;
  /** The two most recently active owners, with times. */
  let latest: readonly { readonly owner: string; readonly at: number }[] = [];

  const isAlone = (owner: string): boolean =>
    !latest.some((other) => other.owner !== owner && other.at > now() - recentlyMs);
  const isAhead = ({ turnAt }: Share<Task>): boolean => turnAt > now() + aheadMs;
  const isHeldBack = (owner: string, share: Share<Task>): boolean =>
    ((share.running > 0 && (isAhead(share) || share.running >= besideOthers)) || share.restsUntil > now()) &&
    !isAlone(owner);
  const next = (
    idleOwnersOnly: boolean,
    mayTake: (owner: string) => boolean = () => true,
  ): [string, Share<Task>] | undefined => {
    let best: [string, Share<Task>] | undefined;
    for (const entry of shares) {
      const [, share] = entry;
      if (share.tasks.length === 0 || (idleOwnersOnly && share.running > 0)) continue;
      if (isHeldBack(entry[0], share) || !mayTake(entry[0])) continue;
      if (best === undefined || isBefore(share, best[1])) best = entry;
    }
    return best;
  };
  /** Forgets owners that have no work and no delayed turn. */
  const forget = (): void => {
    const time = now();
    for (const [owner, { tasks, running, turnAt }] of shares) {
      if (tasks.length === 0 && running === 0 && turnAt <= time) shares.delete(owner);
    }
  };
  const note = (owner: string): void => {
    latest = [{ owner, at: now() }, ...latest.filter((other) => other.owner !== owner)].slice(0, 2);
  };
  return {
    add: (owner, task) => {
      forget();
      note(owner);
      const share = shares.get(owner) ?? { tasks: [], running: 0, turnAt: 0, restsUntil: 0 };
      shares.set(owner, share);
      share.tasks.push(task);
      waiting += 1;
    },
    take: ({ idleOwnersOnly, mayTake }) => {
      const found = next(idleOwnersOnly, mayTake);
      if (found === undefined) return undefined;
      const [owner, share] = found;
      const task = share.tasks.shift() as Task;
      waiting -= 1;
      share.running += 1;
      share.turnAt = Math.max(share.turnAt, now());
      return { owner, task };
    },
    finish: (owner, tookMs) => {
      const share = shares.get(owner);
      if (share === undefined) return;
      share.running -= 1;
      share.turnAt = Math.min(Math.max(share.turnAt, now()) + tookMs, now() + longestPutOffMs);
      if (share.tasks.length > 0) share.restsUntil = now() + Math.min(tookMs, longestTaskMs) * rest;
    },
    remove: (owner, task) => {
      const tasks = shares.get(owner)?.tasks ?? [];
      const at = tasks.indexOf(task);
      if (at < 0) return;
      tasks.splice(at, 1);
      waiting -= 1;
    },
    note,
    restMs: () => {
      const rests = Array.from(shares.values(), ({ tasks, restsUntil }) => (tasks.length > 0 ? restsUntil - now() : 0));
      const left = rests.filter((ms) => ms > 0);
      return left.length === 0 ? undefined : Math.min(...left);
    },
    waiting: () => waiting,
    waitingOf: (owner) => shares.get(owner)?.tasks ?? [],
    clear: () => {
      waiting = 0;
      return Array.from(shares.values(), ({ tasks }) => tasks.splice(0)).flat();
    },
  };
}

const isBefore = (one: Share<unknown>, other: Share<unknown>): boolean =>
  one.running === other.running ? one.turnAt < other.turnAt : one.running < other.running;
