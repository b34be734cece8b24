import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import type { Logger } from "#platform/logger.ts";
import type { Exchange } from "./exchange.ts";
import type { Reply } from "./reply.ts";

/** How long a client may take nothing while there is something for it. */
const stallMs = 60_000;

/**
 * Sends the pieces one after the other: the next one is asked for when the client has taken the one before, and none
 * when it has gone away. An answer that breaks off ends its connection, so that nobody takes it for a whole one.
 */
export function sendStream(res: Response, stream: AsyncIterable<Uint8Array>): void {
  if (res.req.method === "HEAD") {
    res.end();
    return;
  }
  res.setTimeout(stallMs, () => res.destroy());
  // Whoever made the stream has heard of its failure, and a client that is gone is none.
  pipeline(Readable.from(stream, { highWaterMark: 1 }), res).catch(() => res.destroy());
}

/** The same reply, whose stream says why it broke off. */
export const withLoggedStream = (reply: Reply, exchange: Exchange, logger: Logger): Reply =>
  reply.stream === undefined ? reply : { ...reply, stream: logged(reply.stream, exchange, logger) };

async function* logged(
  stream: AsyncIterable<Uint8Array>,
  { requestId, traceparent, route }: Exchange,
  logger: Logger,
): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    logger.error({ err: error, requestId, traceparent, route }, "an answer broke off");
    throw error;
  }
}
