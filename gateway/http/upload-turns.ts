import { createFairQueue } from "#platform/fair-queue.ts";

/**
 * Decides whose large body is read next. An owner alone may send as many as they like. While others are active
 * too, an organization has one body in progress and then rests twice as long as that took; its other bodies
 * wait unread at their senders. So heavy uploads leave two thirds of the time to others who share the process.
 */
export interface UploadTurns {
  turnOf(owner: string): UploadTurn;
}

/** A request: it closes when its sender goes away. */
interface Sender {
  once(event: "close", listener: () => void): unknown;
  off(event: "close", listener: () => void): unknown;
}

/** The turn of one request. */
export interface UploadTurn {
  /**
   * Resolves when the body may be read. False when too many wait, the wait is too long, or the sender has gone.
   */
  begin(bytes: number, sender: Sender): Promise<boolean>;
  /** The body has arrived. A slow sender has to wait again; false as above. */
  arrived(): Promise<boolean>;
  /** Ends the turn, whatever the outcome. */
  end(): void;
}

/** Smaller bodies neither wait nor are refused because of large ones. */
export const freeBytes = 262_144;

export interface UploadTurnLimits {
  /** Bodies of an owner that may wait. */
  readonly maxWaiting: number;
  /** Well below the time in which a request has to have arrived. */
  readonly waitMs: number;
  /** The longest turn while a body arrives, so that the owner's other bodies need not wait for a slow line. */
  readonly arrivalMs: number;
}

export const uploadTurnLimits: UploadTurnLimits = { maxWaiting: 64, waitMs: 15_000, arrivalMs: 1_000 };

interface Waiting {
  begin(): void;
}

export function createUploadTurns(
  limits: UploadTurnLimits = uploadTurnLimits,
  now: () => number = () => performance.now(),
): UploadTurns {
  const queue = createFairQueue<Waiting>({ now, besideOthers: 1, rest: 2 });
  let rested: NodeJS.Timeout | undefined;
  const handOut = (): void => {
    for (let next = queue.take(anybody); next !== undefined; next = queue.take(anybody)) next.task.begin();
    clearTimeout(rested);
    const restMs = queue.restMs();
    if (restMs !== undefined) rested = setTimeout(handOut, Math.ceil(restMs)).unref();
  };
  const wait = (owner: string, sender?: Sender): Promise<boolean> =>
    new Promise((resolve) => {
      if (queue.waitingOf(owner).length >= limits.maxWaiting) return resolve(false);
      const settle = (mayBegin: boolean): void => {
        clearTimeout(timer);
        sender?.off("close", giveUp);
        resolve(mayBegin);
      };
      const task = { begin: () => settle(true) };
      const giveUp = (): void => {
        queue.remove(owner, task);
        settle(false);
      };
      const timer = setTimeout(giveUp, limits.waitMs);
      sender?.once("close", giveUp);
      queue.add(owner, task);
      handOut();
    });
  return {
    turnOf: (owner) => {
      let isLarge = false;
      /** Since when it is its turn. */
      let since: number | undefined;
      let arrival: NodeJS.Timeout | undefined;
      const end = (): void => {
        clearTimeout(arrival);
        if (since === undefined) return;
        queue.finish(owner, now() - since);
        since = undefined;
        handOut();
      };
      const waitForTurn = async (sender?: Sender): Promise<boolean> => {
        const mayBegin = await wait(owner, sender);
        if (mayBegin) since = now();
        return mayBegin;
      };
      return {
        begin: async (bytes, sender) => {
          isLarge = bytes > freeBytes;
          if (!isLarge) {
            queue.note(owner);
            return true;
          }
          const mayBegin = await waitForTurn(sender);
          if (mayBegin) arrival = setTimeout(end, limits.arrivalMs);
          return mayBegin;
        },
        arrived: async () => {
          clearTimeout(arrival);
          return !isLarge || since !== undefined || waitForTurn();
        },
        end,
      };
    },
  };
}

const anybody = { idleOwnersOnly: false };
