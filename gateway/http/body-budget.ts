import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { freeBytes, type UploadTurn, type UploadTurns } from "./upload-turns.ts";

/** The memory budget of a process for large bodies. */
export interface BodyBudget {
  /** A request's share of the budget, initially empty. */
  roomFor(owner: string): BodyRoom;
}

export interface BodyRoom {
  /** How long the body may stall while arriving. */
  readonly stallMs: number;
  /** The turn to wait for before reading; none when absent. */
  readonly turn?: UploadTurn | undefined;
  /**
   * Reserves memory; called once, before anything is read. Returns false, reserving nothing, when there is not
   * enough room.
   */
  take(bytes: number): boolean;
  /** Reduces the reservation to the body's actual size. */
  shrinkTo(bytes: number): void;
  /** Releases the reservation. */
  release(): void;
}

export interface BodyBudgetLimits {
  /** For all bodies together. */
  readonly maxBytes: number;
  /** For one owner's bodies, so that nobody takes everything. */
  readonly maxOwnerBytes: number;
  /** How many bodies beyond `countedBytes` there may be at once; any number when absent. */
  readonly maxBodies?: number;
  /** How many of them an owner may have. */
  readonly maxOwnerBodies: number;
  readonly countedBytes: number;
  readonly stallMs: number;
}

/** Bodies of routes with a smaller limit are already bounded by the number of connections. */
export const unbudgetedRouteBytes = 1024 * 1024;

/**
 * A batch of 16 MiB costs ten times as much while it is parsed and handed on, so four of them at once are what a process
 * with a gigabyte can bear, two of an organization. Documents are small enough to be bounded by their bytes alone:
 * they are held for as long as somebody waits for them.
 */
export const bodyBudgetLimits: BodyBudgetLimits = {
  maxBytes: 64 * 1024 * 1024,
  maxOwnerBytes: 32 * 1024 * 1024,
  maxOwnerBodies: 2,
  countedBytes: 2 * 1024 * 1024,
  stallMs: 10_000,
};

/**
 * A body of 33 MiB takes four times as much while it is parsed and handed on. Four large ones at once, three of an
 * organization.
 */
export const documentBudgetLimits: BodyBudgetLimits = {
  maxBytes: 160 * 1024 * 1024,
  maxOwnerBytes: 120 * 1024 * 1024,
  maxBodies: 4,
  maxOwnerBodies: 3,
  countedBytes: 8 * 1024 * 1024,
  stallMs: 10_000,
};

interface Held {
  bytes: number;
  bodies: number;
}

export function createBodyBudget(limits: BodyBudgetLimits = bodyBudgetLimits, turns?: UploadTurns): BodyBudget {
  const owners = new Map<string, Held>();
  const { maxBodies = Number.POSITIVE_INFINITY } = limits;
  let total = 0;
  let totalBodies = 0;
  const weightOf = (bytes: number): Held => ({
    bytes: bytes <= freeBytes ? 0 : bytes,
    bodies: bytes > limits.countedBytes ? 1 : 0,
  });

  const fits = (owner: string, more: Held): boolean => {
    if (more.bytes === 0) return true;
    const held = owners.get(owner) ?? { bytes: 0, bodies: 0 };
    return (
      total + more.bytes <= limits.maxBytes &&
      totalBodies + more.bodies <= maxBodies &&
      held.bytes + more.bytes <= limits.maxOwnerBytes &&
      held.bodies + more.bodies <= limits.maxOwnerBodies
    );
  };

  const change = (owner: string, from: Held, to: Held): void => {
    const held = owners.get(owner) ?? { bytes: 0, bodies: 0 };
    held.bytes += to.bytes - from.bytes;
    held.bodies += to.bodies - from.bodies;
    total += to.bytes - from.bytes;
    totalBodies += to.bodies - from.bodies;
    if (held.bytes === 0) owners.delete(owner);
    else owners.set(owner, held);
  };

  return {
    roomFor: (owner) => {
      let held: Held = { bytes: 0, bodies: 0 };
      const hold = (next: Held): void => {
        change(owner, held, next);
        held = next;
      };
      const turn = turns?.turnOf(owner);
      return {
        stallMs: limits.stallMs,
        turn,
        take: (bytes) => {
          const wanted = weightOf(bytes);
          const isGranted = fits(owner, wanted);
          if (isGranted) hold(wanted);
          return isGranted;
        },
        shrinkTo: (bytes) => hold(weightOf(bytes)),
        release: () => {
          hold({ bytes: 0, bodies: 0 });
          turn?.end();
        },
      };
    },
  };
}

/** How much of an unread body is drained after the response, and for how long. */
export interface UnreadLimits {
  readonly maxBytes: number;
  readonly maxMs: number;
}

const usualLimits: UnreadLimits = { maxBytes: 4 * 1024 * 1024, maxMs: 5_000 };

/**
 * Many programs send the whole body before reading the response. Draining it costs little and lets them see
 * that their document is too large.
 */
export const documentLimits: UnreadLimits = { maxBytes: 160 * 1024 * 1024, maxMs: 30_000 };

const checkMs = 50;

const isAnswered = Symbol("isAnswered");
interface MarkedSocket extends Duplex {
  [isAnswered]?: boolean;
}

/** Whether a request has a body, or declares one. */
export const hasBody = ({ headers }: Pick<IncomingMessage, "headers">): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/**
 * Called when a request is answered. Node drains the rest of the body so that the sender can read the response
 * and reuse the connection, for up to 30 s and any number of gigabytes. Here the connection is closed when the
 * sender continues for much longer than it takes to notice.
 */
export function boundUnreadBody(req: IncomingMessage, { maxBytes, maxMs }: UnreadLimits = usualLimits): void {
  if (req.complete || !hasBody(req)) return;
  const socket = req.socket as typeof req.socket & MarkedSocket;
  const bytesBefore = socket.bytesRead;
  const deadline = performance.now() + maxMs;
  // Counting every piece would mean to read the connection beside Node, which stops reading it then.
  const timer = setInterval(() => {
    if (socket.bytesRead - bytesBefore > maxBytes || performance.now() > deadline) socket.destroy();
  }, checkMs);
  const stop = (): void => {
    clearInterval(timer);
    socket[isAnswered] = false;
    socket.off("close", stop);
    req.off("close", stop);
  };
  socket[isAnswered] = true;
  // A request that has been answered does not hear of the end of its connection.
  socket.once("close", stop);
  req.once("close", stop);
}

/** Whether the request was answered while it was still arriving, so that no further response may be sent. */
export const isAnsweredEarly = (socket: MarkedSocket): boolean => socket[isAnswered] === true;
