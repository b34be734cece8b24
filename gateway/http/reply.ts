import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Express, Response } from "express";
import type { Logger } from "#platform/logger.ts";
import type { Grant } from "../limits/window-store.ts";
import { boundUnreadBody, type UnreadLimits } from "./body-budget.ts";
import { codingFor, encodedReply, mayBeEncoded } from "./encoding.ts";
import type { Exchange } from "./exchange.ts";

/** A response ready to be sent. */
export interface Reply {
  readonly status: number;
  /** Bytes are sent as they are. Undefined for an empty body. */
  readonly body: string | Uint8Array | undefined;
  /** Used instead of a body: chunks produced as fast as the client takes them. */
  readonly stream?: AsyncIterable<Uint8Array>;
  /** Default application/json. */
  readonly contentType?: string;
  /** A list is sent as one header line per value. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The same for everyone, as files of a build are: compressed once, and kept so. */
  readonly isShared?: boolean;
  /** How a body that was not read is treated; by default as usual. */
  readonly unread?: UnreadLimits;
}

export const jsonReply = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  body: JSON.stringify(value),
  headers,
});

/** The response to a deletion. */
export const noContent: Reply = { status: 204, body: undefined };

/** The same reply, readable by pages of every origin. */
export const readableAnywhere = (reply: Reply): Reply => ({
  ...reply,
  headers: {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Retry-After, X-Click-Content-Hash, X-Request-Id",
    "Cross-Origin-Resource-Policy": "cross-origin",
    ...reply.headers,
  },
});

const isDraining = "isDraining";

/** From now on every response asks the client to reconnect. */
export function startDraining(app: Express): void {
  app.locals[isDraining] = true;
}

const jsonType = "application/json; charset=utf-8";

/**
 * Sends a reply with the common headers. Writes directly: Express would compute ETags for uncacheable bodies
 * and parse the content type again.
 */
export function sendReply(res: Response, exchange: Exchange, reply: Reply): void {
  if (res.headersSent || res.destroyed) return;
  boundUnreadBody(res.req, reply.unread);
  const coding = codingFor(reply, res.req.headers);
  if (coding === undefined) {
    write(res, exchange, reply);
    return;
  }
  // Compressed by a thread; meanwhile the client may have gone.
  void encodedReply(reply, coding)
    .catch(() => reply)
    .then((encoded) => {
      if (!res.headersSent && !res.destroyed) write(res, exchange, encoded);
    });
}

function write(res: Response, exchange: Exchange, reply: Reply): void {
  const { body } = reply;
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  // All at once, because setHeader validates and stores each one separately.
  res.writeHead(reply.status, {
    "X-Request-Id": exchange.requestId,
    traceparent: exchange.traceparent,
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-store",
    ...(exchange.grant === undefined ? {} : rateLimitHeaders(exchange.grant)),
    ...(body === undefined ? {} : { "Content-Type": reply.contentType ?? jsonType, "Content-Length": length }),
    ...(res.app.locals[isDraining] === true ? { Connection: "close" } : {}),
    ...reply.headers,
    ...variesByCoding(reply),
  });
  if (reply.stream !== undefined) {
    sendStream(res, reply.stream);
    return;
  }
  // As many bytes as characters means ASCII, for which latin1 gives the same bytes faster.
  res.end(body, length === body?.length ? "latin1" : "utf8");
}

/** Caches must not give a compressed form to those who do not read it. */
function variesByCoding(reply: Reply): Readonly<Record<string, string>> {
  const { Vary: others, "Content-Encoding": coding } = reply.headers ?? {};
  if (coding === undefined && !mayBeEncoded(reply)) return {};
  return { Vary: others === undefined ? "Accept-Encoding" : `${others}, Accept-Encoding` };
}

const rateLimitHeaders = ({ limit, remaining, resetAt, retryAfterSeconds }: Grant): Record<string, number> => ({
  "X-RateLimit-Limit": limit,
  "X-RateLimit-Remaining": remaining,
  "X-RateLimit-Reset": resetAt,
  "Retry-After": retryAfterSeconds,
});

/** How long a client may read nothing while data is waiting for it. */
const stallMs = 60_000;

/**
 * Sends the chunks one by one: each is requested when the client has taken the one before, and none after it
 * has gone. A stream that fails closes the connection, so that nobody mistakes the response for a complete one.
 */
function sendStream(res: Response, stream: AsyncIterable<Uint8Array>): void {
  if (res.req.method === "HEAD") {
    res.end();
    return;
  }
  res.setTimeout(stallMs, () => res.destroy());
  // The producer of the stream already knows of its failure, and a client that has left is no failure.
  pipeline(Readable.from(stream, { highWaterMark: 1 }), res).catch(() => res.destroy());
}

/** The same reply, whose stream reports why it broke off. */
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
