import { setTimeout as delay } from "node:timers/promises";
import { isTransient } from "#platform/db/errors.ts";
import { withOrg } from "#platform/db/pool.ts";
import { createNudges } from "#platform/events/nudges.ts";
import type { OrgId } from "#platform/ids.ts";
import { createPauses, type Worker } from "#platform/periodic.ts";
import { detached } from "#platform/telemetry.ts";
import { type Document, hasEnded } from "../domain/document.ts";
import { type Claimed, type Claiming, claimLapsed, claimNext, putOffTurn, renewClaims } from "../store/claim-store.ts";
import { findDocument } from "../store/document-store.ts";
import type { RenderInput } from "../store/finish-store.ts";
import { startTask, type Task } from "./task.ts";
import { createWaiters, type WorkDeps } from "./work-deps.ts";

export interface WorkLoop extends Worker {
  /** There is something new to do, for this process or another one. */
  wake(): void;
  /**
   * Keeps a place in the renderer for a single document that is to be begun at once; undefined when there is no room, or
   * too much is being printed already.
   */
  keepPlace(isWord?: boolean): Place | undefined;
  /** Nobody wants the document any more: what comes of it here would not count. */
  drop(documentId: string): void;
  /**
   * The document as it is when it has ended, or after this time; sooner when this process stops or the signal is aborted.
   * Looks after a moment at the earliest, so it is for those who know that the document has just not ended.
   */
  waitFor(orgId: OrgId, documentId: string, ms: number, signal?: AbortSignal): Promise<Document | undefined>;
  /** From now on nobody waits: whoever does, and whoever comes, is told of the document as it is. */
  endWaits(): void;
}

/** A place in the renderer, for a document that is being added. */
export interface Place {
  /** What the document is to be added with. */
  readonly begun: { readonly claim: string; readonly leaseMs: number };
  /**
   * Renders the document, now that it has been added as begun. Whose process dies before that has a lease that runs out,
   * as of any other claim.
   */
  begin(orgId: OrgId, documentId: string, input: RenderInput): void;
  /** Lets others have the place, unless a document was begun. */
  free(): void;
}

export interface WorkTimes {
  /** So long a claim holds without being renewed. */
  readonly leaseMs: number;
  readonly renewMs: number;
  /** How soon it is looked for what other processes have accepted or left; up to four times as long after a quiet while. */
  readonly pollMs: number;
  /** How often it is looked for leases that have run out. */
  readonly lapsedMs: number;
  /** A rendering that takes so long puts off the turn of its organization by its time. */
  readonly slowMs: number;
  /** How long what is being rendered may go on when this process stops. */
  readonly graceMs: number;
}

const workTimes: WorkTimes = {
  leaseMs: 30_000,
  renewMs: 10_000,
  pollMs: 250,
  lapsedMs: 1_000,
  slowMs: 1_000,
  // With the 15 s that calls have before, less than the 25 s after which a process is ended.
  graceMs: 8_000,
};

/** How often somebody who waits looks for a document that another process renders. */
const lookMs = 100;
/** A document of this process tells of itself; this is for one whose claim is lost. */
const lookAtOwnMs = 1_000;

/**
 * Documents of Word files that another service prints, which takes a second each and none of our places. From the first
 * number on they are begun for organizations alone that have nothing rendered; from the second on, and while the other
 * service is away, they wait, and all other documents do not.
 */
const maxPrinting = { shared: 8, all: 24 };

/** Documents that are rendered and not yet recorded. More of them wait for the database, and rendering waits for them. */
const maxUnrecorded = 16;

/**
 * Renders what waits, as much at once as the renderer has room for. Any number of processes may do it: a document belongs
 * to the one whose claim it carries, for as long as that one renews its lease.
 */
export function createWorkLoop(deps: WorkDeps, changed: Partial<WorkTimes> = {}): WorkLoop {
  const times = { ...workTimes, ...changed };
  const { claimerPool, renderer, logger } = deps;
  const waiters = createWaiters();
  const tasks = new Map<string, Task>();
  const pauses = createPauses(times.pollMs);
  const nudges = deps.bus && createNudges(deps.bus, "document-renderer");
  let looking: NodeJS.Timeout | undefined;
  let renewing: NodeJS.Timeout | undefined;
  let isRunning = false;
  /** Places in the renderer for what is being claimed or read. */
  let reserved = 0;
  let unrecorded = 0;
  let printing = 0;
  let lapsedAt = 0;
  let filling: Promise<void> | undefined;
  let isWoken = false;
  /** What did not wait when it was last looked, and nobody has told of anything since. */
  let none: "singles" | "documents" | undefined;
  let hasWaits = true;

  /**
   * Only a single document may have the last of several places. So items of batches, however slow, never have all of
   * them, and organizations with single documents wait for each other alone.
   */
  const isLastPlace = (): boolean => renderer.places() > 1 && renderer.freeSlots() - reserved <= 1;

  const hasRoom = (): boolean => isRunning && unrecorded < maxUnrecorded && renderer.freeSlots() > reserved;

  const words = (): NonNullable<Claiming["words"]> => {
    if (printing >= maxPrinting.all) return "none";
    return printing >= maxPrinting.shared ? "idle" : "all";
  };

  /** Returns what frees the place again. */
  const reserve = (): (() => void) => {
    reserved += 1;
    let isReserved = true;
    return () => {
      if (isReserved) reserved -= 1;
      isReserved = false;
    };
  };

  /** Starts what is next; false when there is nothing. */
  const startNext = async (singlesOnly: boolean): Promise<boolean> => {
    const free = reserve();
    let claimed: Claimed | undefined;
    try {
      claimed = await next(singlesOnly);
    } finally {
      if (claimed === undefined) free();
    }
    if (claimed === undefined) return false;
    begin(claimed, free);
    return true;
  };

  const begin = (claimed: Claimed, free: () => void, input?: RenderInput): void => {
    let isRendered = false;
    let isPrinting = false;
    let since: number | undefined;
    const noteTime = () => {
      const ms = since === undefined ? 0 : performance.now() - since;
      since = undefined;
      if (ms < times.slowMs || !isRunning) return;
      void putOffTurn(claimerPool, claimed, ms).catch(report("a turn could not be put off"));
    };
    const task = startTask(
      deps,
      { claimed, input },
      {
        onHandedOver: () => {
          since = performance.now();
          free();
        },
        onPrinting: () => {
          isPrinting = true;
          printing += 1;
          refill();
        },
        onRendered: () => {
          noteTime();
          isRendered = true;
          unrecorded += 1;
          refill();
        },
        onDone: (ended) => {
          free();
          // Also for a document that was deleted meanwhile.
          noteTime();
          if (isRendered) unrecorded -= 1;
          if (isPrinting) printing -= 1;
          tasks.delete(claimed.claim);
          waiters.tell(claimed.id, ended);
          // Without an end it may wait again.
          if (ended === undefined) look();
          else refill();
        },
      },
    );
    tasks.set(claimed.claim, task);
    // It was claimed while the process began to stop.
    if (!isRunning) task.giveBack();
  };

  const next = async (singlesOnly: boolean): Promise<Claimed | undefined> => {
    const claiming = { claim: deps.newId(), leaseMs: times.leaseMs, singlesOnly, words: words() };
    if (performance.now() - lapsedAt >= times.lapsedMs) {
      const lapsed = await claimLapsed(claimerPool, claiming);
      if (lapsed !== undefined) return lapsed;
      lapsedAt = performance.now();
    }
    return claimNext(claimerPool, claiming);
  };

  const fill = async (): Promise<void> => {
    do {
      isWoken = false;
      while (hasRoom() && !isInVain()) {
        const singlesOnly = isLastPlace();
        if (await startNext(singlesOnly)) continue;
        // Others may wait for what is being printed.
        if (!isWoken && words() === "all") none = singlesOnly ? "singles" : "documents";
        break;
      }
    } while (isWoken && hasRoom());
  };

  const isInVain = (): boolean => none === "documents" || (none === "singles" && isLastPlace());

  /** There is room again. What other processes accept meanwhile is found in the usual time. */
  const refill = (): void => {
    if (isInVain()) return;
    isWoken = true;
    startFilling();
  };

  const lookAgain = (): void => {
    isWoken = true;
    none = undefined;
    startFilling();
  };

  const look = (): void => {
    const isFar = pauses.shorten();
    lookAgain();
    if (isFar) lookLater();
  };

  const lookLater = (): void => {
    clearTimeout(looking);
    if (!isRunning) return;
    looking = setTimeout(() => {
      lookAgain();
      lookLater();
    }, pauses.next());
  };

  const startFilling = (): void => {
    if (!isRunning || filling !== undefined) return;
    filling = detached(deps.tracer, fill)
      .catch(report("nothing could be claimed"))
      .finally(() => {
        filling = undefined;
      });
  };

  const report = (message: string) => (error: unknown) => {
    if (isTransient(error)) logger.debug({ err: error }, message);
    else logger.error({ err: error }, message);
  };

  const renew = async (): Promise<void> => {
    const ours = [...tasks.values()];
    if (ours.length === 0) return;
    const claims = ours.map(({ claimed }) => claimed);
    const held = await renewClaims(claimerPool, claims, times.leaseMs);
    for (const task of ours) if (!held.has(task.claimed.claim)) task.drop();
  };

  const tasksOf = (id: string): Task[] => [...tasks.values()].filter(({ claimed }) => claimed.id === id);

  const allDone = async (): Promise<void> => {
    await Promise.all([...tasks.values()].map(({ done }) => done));
  };

  return {
    name: "document-renderer",
    start: async () => {
      isRunning = true;
      renewing = setInterval(() => void renew().catch(report("leases could not be renewed")), times.renewMs);
      nudges?.listen(look);
      look();
      lookLater();
    },
    stop: async () => {
      isRunning = false;
      clearTimeout(looking);
      nudges?.stop();
      waiters.tellAll();
      await filling;
      const grace = new AbortController();
      const isOver = delay(times.graceMs, undefined, { signal: grace.signal }).catch(() => {});
      await Promise.race([allDone(), isOver]);
      grace.abort();
      for (const task of tasks.values()) task.giveBack();
      await allDone();
      clearInterval(renewing);
    },
    wake: () => {
      look();
      nudges?.tell();
    },
    keepPlace: (isWord = false) => {
      if (!hasRoom() || (isWord && words() !== "all")) return undefined;
      const free = reserve();
      const claim = deps.newId();
      let isBegun = false;
      return {
        begun: { claim, leaseMs: times.leaseMs },
        begin: (orgId, id, input) => {
          isBegun = true;
          begin({ orgId, id, claim, attempts: 1 }, free, input);
        },
        free: () => {
          if (isBegun) return;
          free();
          refill();
        },
      };
    },
    drop: (id) => {
      for (const task of tasksOf(id)) task.drop();
      waiters.tell(id);
    },
    waitFor: (orgId, id, ms, signal) =>
      waitForEnd({
        wait: async (longestMs) => {
          if (!hasWaits) return undefined;
          return waiters.wait(id, Math.min(longestMs, tasksOf(id).length > 0 ? lookAtOwnMs : lookMs), signal);
        },
        look: () => withOrg(deps.pool, orgId, (tenant) => findDocument(tenant, id)),
        deadline: performance.now() + ms,
        isGivenUp: () => signal?.aborted === true || !isRunning || !hasWaits,
      }),
    endWaits: () => {
      hasWaits = false;
      waiters.tellAll();
    },
  };
}

interface Waiting {
  wait(longestMs: number): Promise<Document | undefined>;
  look(): Promise<Document | undefined>;
  readonly deadline: number;
  isGivenUp(): boolean;
}

async function waitForEnd({ wait, look, deadline, isGivenUp }: Waiting): Promise<Document | undefined> {
  for (;;) {
    const ended = await wait(Math.max(0, deadline - performance.now()));
    if (ended !== undefined) return ended;
    const isOver = performance.now() >= deadline || isGivenUp();
    try {
      const document = await look();
      if (isOver || document === undefined || hasEnded(document)) return document;
    } catch (error) {
      // The database may be back in time.
      if (isOver || !isTransient(error)) throw error;
    }
  }
}
