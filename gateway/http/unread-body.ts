import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** How much of a body is read and dropped after the answer, and for how long. */
export interface UnreadLimits {
  readonly maxBytes: number;
  readonly maxMs: number;
}

const usualLimits: UnreadLimits = { maxBytes: 4 * 1024 * 1024, maxMs: 5_000 };

/**
 * Many programs send a body whole before they look for the answer. Somebody whose document is too large is to hear it,
 * which costs nothing but the reading.
 */
export const documentLimits: UnreadLimits = { maxBytes: 160 * 1024 * 1024, maxMs: 30_000 };

const checkMs = 50;

const isAnswered = Symbol("isAnswered");
interface MarkedSocket extends Duplex {
  [isAnswered]?: boolean;
}

/** Whether a request has a body, or says so. */
export const hasBody = ({ headers }: Pick<IncomingMessage, "headers">): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/**
 * Called when a request is answered. Node reads and drops what is left of its body, so that the sender gets to see the
 * answer and the connection can be used again. It would do so for 30 s and any number of gigabytes; here the
 * connection ends when the sender goes on for much longer than it takes to notice.
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

/** Whether the request that is still arriving has been answered, so that nothing more may be said about it. */
export const isAnsweredEarly = (socket: MarkedSocket): boolean => socket[isAnswered] === true;
