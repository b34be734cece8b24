import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { isTransient } from "#platform/db/errors.ts";
import type { Worker } from "#platform/periodic.ts";
import { detached } from "#platform/telemetry.ts";
import { type Claimed, claimDue, findDueOrders, renewClaims } from "../store/queue-store.ts";
import { type AttemptDeps, makeAttempt } from "./attempt.ts";

export interface DeliveryLoopDeps extends AttemptDeps {
  /** Connects as the role that chooses among the organizations. */
  readonly claimerPool: pg.Pool;
  /** Concurrent requests. */
  readonly maxRequests: number;
  /** How long requests in flight may continue when this process stops. */
  readonly graceMs?: number | undefined;
}

export interface DeliveryLoop extends Worker {
  /** There may be something to send. */
  wake(): void;
  /** Starts no new requests and gives those in flight a little time. */
  beginStop(): void;
}

/** How often it is looked for what other processes have noted. */
const pollMs = 200;

/** Between two looks. */
const gatherMs = 40;

// With the 15 s that calls have before, less than the 25 s after which a process is ended.
const usualGraceMs = 10_000;

/**
 * Claims are renewed for as long as they are worked on, so what a process had that was killed counts against its receivers
 * for no longer than this.
 */
const leaseMs = 8_000;
const renewMs = 2_000;

/**
 * The share of places for the compatible interface, whose requests may be large and slow and must not delay
 * others.
 */
const orderedShare = 0.1;

/**
 * Sends due deliveries. Any number of processes may run it: a delivery belongs to the process that holds its
 * claim and renews the lease. While the database is down nothing new is started, and for one lease after that
 * other processes' claims are respected, since they could not renew them.
 */
export function createDeliveryLoop(deps: DeliveryLoopDeps): DeliveryLoop {
  const { claimerPool, logger, maxRequests, graceMs = usualGraceMs } = deps;
  const orderedPlaces = Math.max(1, Math.floor(maxRequests * orderedShare));
  const running = new Map<boolean, Set<Promise<void>>>([true, false].map((isOrdered) => [isOrdered, new Set()]));
  const stopping = { grace: new AbortController(), cut: new AbortController() };
  let poll: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isWoken = false;
  let isRunning = false;
  let isAway = false;
  let lastOutageAt = Number.NEGATIVE_INFINITY;
  let renewal: NodeJS.Timeout | undefined;
  let renewing: Promise<void> | undefined;
  const held = new Set<Claimed>();

  const runningOf = (isOrdered: boolean): Set<Promise<void>> => running.get(isOrdered) ?? new Set();
  const all = (): Promise<void>[] => [...running.values()].flatMap((some) => [...some]);

  const freePlaces = (isOrdered: boolean): number => {
    const places = isOrdered ? orderedPlaces : Math.max(1, maxRequests - orderedPlaces);
    return Math.min(places - runningOf(isOrdered).size, maxRequests - all().length);
  };

  const renew = (): void => {
    if (held.size === 0 || renewing !== undefined) return;
    const until = new Date(deps.clock.now().getTime() + leaseMs);
    renewing = detached(deps.tracer, () => renewClaims(claimerPool, [...held], until))
      .catch((error: unknown) => report(error, "claims could not be renewed"))
      .finally(() => {
        renewing = undefined;
      });
  };

  const begin = (claimed: Claimed, isOrdered: boolean): void => {
    held.add(claimed);
    const attempt = makeAttempt(deps, claimed, stopping.cut.signal)
      .catch((error: unknown) => report(error, "an attempt could not be made or written down"))
      .finally(() => {
        runningOf(isOrdered).delete(attempt);
        held.delete(claimed);
        wake();
      });
    runningOf(isOrdered).add(attempt);
  };

  const fill = async (isOrdered: boolean): Promise<void> => {
    let isMore = true;
    while (isRunning && isMore) {
      const limit = Math.min(freePlaces(isOrdered), maxClaim);
      if (limit <= 0) return;
      const takesLapsed = performance.now() - lastOutageAt > leaseMs;
      const claiming = { claim: deps.newId(), isOrdered, limit, now: deps.clock.now(), leaseMs, takesLapsed };
      const found = await claimDue(claimerPool, claiming);
      for (const claimed of found.claimed) begin(claimed, isOrdered);
      isMore = found.isMore;
    }
  };

  const look = async (): Promise<void> => {
    do {
      isWoken = false;
      const hasRoom = [true, false].some((isOrdered) => freePlaces(isOrdered) > 0);
      if (!hasRoom) return;
      const due = await findDueOrders(claimerPool, deps.clock.now());
      for (const isOrdered of due) await fill(isOrdered);
      isAway = false;
      // A busy loop finds many at once, instead of looking for each.
      if (isRunning) await delay(gatherMs);
    } while (isWoken && isRunning);
  };

  const report = (error: unknown, message: string): void => {
    // Outages last, and one line says that one began.
    if (!isTransient(error)) logger.error({ err: error }, message);
    else if (!isAway) logger.warn({ err: error }, message);
    isAway ||= isTransient(error);
    if (isTransient(error)) lastOutageAt = performance.now();
  };

  const wake = (): void => {
    isWoken = true;
    if (!isRunning || looking !== undefined) return;
    looking = detached(deps.tracer, look)
      .catch((error: unknown) => report(error, "deliveries could not be claimed"))
      .finally(() => {
        looking = undefined;
      });
  };

  const beginStop = (): void => {
    if (!isRunning) return;
    isRunning = false;
    clearInterval(poll);
    void delay(graceMs, undefined, { signal: stopping.grace.signal }).then(
      () => stopping.cut.abort(),
      () => {},
    );
  };

  return {
    name: "webhook-deliveries",
    wake,
    beginStop,
    start: async () => {
      isRunning = true;
      poll = setInterval(wake, pollMs);
      renewal = setInterval(renew, renewMs);
      wake();
    },
    stop: async () => {
      beginStop();
      await looking;
      while (all().length > 0) await Promise.all(all());
      clearInterval(renewal);
      await renewing;
      stopping.grace.abort();
    },
  };
}

/** At a time, so that several processes share what is due. */
const maxClaim = 100;
