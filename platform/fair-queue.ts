/** Tasks of several owners who share the same places. */
export interface FairQueue<Task> {
  add(owner: string, task: Task): void;
  /**
   * Takes the task that is next: of the owner of whom the fewest are being done, and among these of the one whose turn is
   * longest ago; of the tasks of an owner the oldest. With `idleOwnersOnly` it leaves those alone who have a place. While
   * others come too, whoever has used more time than there was has one place only: the others need the machine as well.
   */
  take(choice: { readonly idleOwnersOnly: boolean }): { readonly owner: string; readonly task: Task } | undefined;
  /** Ends what `take` began. The time that it took puts off the owner's next turn: time counts, and not tasks. */
  finish(owner: string, tookMs: number): void;
  /** Takes a task that still waits out again. */
  remove(owner: string, task: Task): void;
  /** Somebody comes whose work needs no place here, but is not to suffer from that of others. */
  note(owner: string): void;
  /** Milliseconds until somebody who waits has rested; undefined when nobody rests. */
  restMs(): number | undefined;
  waiting(): number;
  waitingOf(owner: string): readonly Task[];
  /** Takes all that wait out. */
  clear(): Task[];
}

/** Others come too when one of them has so recently. */
const recentlyMs = 10_000;
/** More than so far ahead of the time, an owner has used more than one place. */
const aheadMs = 1_000;

/** So far at most a turn is put off: whoever was slow while nobody else had work is not behind for long. */
const longestPutOffMs = 60_000;

/** Nobody rests for what took longer, which was perhaps waiting itself. */
const longestTaskMs = 1_000;

interface Share<Task> {
  readonly tasks: Task[];
  running: number;
  turnAt: number;
  restsUntil: number;
}

export interface FairQueueOptions {
  /** Milliseconds on a clock that never jumps. */
  readonly now?: () => number;
  /** What an owner may have in work while others come too, however little it has used. */
  readonly besideOthers?: number;
  /** Whoever has more to do rests, while others come too, so many times as long as its last task took. */
  readonly rest?: number;
}

/** The same order as that in which documents are claimed from the database, for what waits in one process. */
export function createFairQueue<Task>({
  now = () => performance.now(),
  besideOthers = Number.POSITIVE_INFINITY,
  rest = 0,
}: FairQueueOptions = {}): FairQueue<Task> {
  const shares = new Map<string, Share<Task>>();
  let waiting = 0;
  /** The last two owners who came, and when. */
  let latest: readonly { readonly owner: string; readonly at: number }[] = [];

  const isAlone = (owner: string): boolean =>
    !latest.some((other) => other.owner !== owner && other.at > now() - recentlyMs);
  const isAhead = ({ turnAt }: Share<Task>): boolean => turnAt > now() + aheadMs;
  const isHeldBack = (owner: string, share: Share<Task>): boolean =>
    ((share.running > 0 && (isAhead(share) || share.running >= besideOthers)) || share.restsUntil > now()) &&
    !isAlone(owner);
  const next = (idleOwnersOnly: boolean): [string, Share<Task>] | undefined => {
    let best: [string, Share<Task>] | undefined;
    for (const entry of shares) {
      const [, share] = entry;
      if (share.tasks.length === 0 || (idleOwnersOnly && share.running > 0)) continue;
      if (isHeldBack(entry[0], share)) continue;
      if (best === undefined || isBefore(share, best[1])) best = entry;
    }
    return best;
  };
  /** Owners who have nothing to do and no turn to wait for. */
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
    take: ({ idleOwnersOnly }) => {
      const found = next(idleOwnersOnly);
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
