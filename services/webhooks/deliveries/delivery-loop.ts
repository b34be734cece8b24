import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { isTransient } from "#platform/db/errors.ts";
import type { NudgeBus } from "#platform/events/nudges.ts";
import { createQueueWorker, type QueueWorker } from "#platform/periodic.ts";
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
  readonly bus?: NudgeBus | undefined;
}

export interface DeliveryLoop extends QueueWorker {
  /** Starts no new requests and gives those in flight a little time. */
  beginStop(): void;
}

/** How soon it is looked for what is due, or what other processes have left. */
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
  let stopped: Promise<void> | undefined;
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
        queue.look();
      });
    runningOf(isOrdered).add(attempt);
  };

  const fill = async (isOrdered: boolean, mayGoOn: () => boolean): Promise<void> => {
    let isMore = true;
    while (mayGoOn() && isMore) {
      const limit = Math.min(freePlaces(isOrdered), maxClaim);
      if (limit <= 0) return;
      const takesLapsed = performance.now() - lastOutageAt > leaseMs;
      const claiming = { claim: deps.newId(), isOrdered, limit, now: deps.clock.now(), leaseMs, takesLapsed };
      const found = await claimDue(claimerPool, claiming);
      for (const claimed of found.claimed) begin(claimed, isOrdered);
      isMore = found.isMore;
    }
  };

  const report = (error: unknown, message: string): void => {
    // Outages last, and one line says that one began.
    if (!isTransient(error)) logger.error({ err: error }, message);
    else if (!isAway) logger.warn({ err: error }, message);
    isAway ||= isTransient(error);
    if (isTransient(error)) lastOutageAt = performance.now();
  };

  const queue = createQueueWorker({
    ...{ name: "webhook-deliveries", pollMs, logger, tracer: deps.tracer, bus: deps.bus },
    onError: (error) => report(error, "deliveries could not be claimed"),
    work: async (mayGoOn) => {
      const hasRoom = [true, false].some((isOrdered) => freePlaces(isOrdered) > 0);
      if (!hasRoom) return;
      const due = await findDueOrders(claimerPool, deps.clock.now());
      for (const isOrdered of due) await fill(isOrdered, mayGoOn);
      isAway = false;
      // A busy loop finds many at once, instead of looking for each.
      if (mayGoOn()) await delay(gatherMs);
    },
  });

  const beginStop = (): void => {
    if (stopped !== undefined) return;
    stopped = queue.stop();
    void delay(graceMs, undefined, { signal: stopping.grace.signal }).then(
      () => stopping.cut.abort(),
      () => {},
    );
  };

  return {
    ...queue,
    beginStop,
    start: async () => {
      renewal = setInterval(renew, renewMs);
      await queue.start();
    },
    stop: async () => {
      beginStop();
      await stopped;
      while (all().length > 0) await Promise.all(all());
      clearInterval(renewal);
      await renewing;
      stopping.grace.abort();
    },
  };
}

/** At a time, so that several processes share what is due. */
const maxClaim = 100;
