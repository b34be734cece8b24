import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Express, Response } from "express";
import type { Logger } from "#platform/logger.ts";
import type { Grant } from "../limits/window-store.ts";
import { boundUnreadBody, type UnreadLimits } from "./body-budget.ts";
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

type Coding = "br" | "gzip";

interface Encodable {
  readonly status: number;
  readonly body: string | Uint8Array | undefined;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly isShared?: boolean;
}

/** What fits into few packets gains nothing; an acceptance with its receipt stays below. */
const leastBytes = { shared: 1_000, own: 4_096 };

/** Fonts in this format and WebAssembly are as long as they are for want of it. */
const compressible =
  /^(text\/|application\/(json|javascript|jwk-set\+json|xml)\b|image\/svg|font\/ttf|application\/wasm)/;

/**
 * How the body of an answer is compressed, if at all. What is the same for everyone always is. Answers to a credential are,
 * unless a browser sent cookies along: pages elsewhere can have a browser send those, and could tell from the length of an
 * answer whether something that they had it ask for is like a secret in it (BREACH).
 */
function codingFor(reply: Encodable, headers: IncomingHttpHeaders): Coding | undefined {
  if (!mayBeEncoded(reply)) return undefined;
  if (reply.isShared !== true && headers.cookie !== undefined) return undefined;
  const accepted = acceptedCodings(headers["accept-encoding"]);
  // Of what is sent once gzip costs less than half as much time as brotli of the same length.
  if (reply.isShared === true && accepted.has("br")) return "br";
  return accepted.has("gzip") ? "gzip" : undefined;
}

/** Whether clients may get it in several forms. */
function mayBeEncoded({ status, body, contentType = "application/json", headers = {}, isShared }: Encodable): boolean {
  if (body === undefined || status === 206 || !compressible.test(contentType)) return false;
  if (body.length < (isShared === true ? leastBytes.shared : leastBytes.own)) return false;
  return headers["Content-Encoding"] === undefined && headers["Accept-Ranges"] === undefined;
}

/** The reply with its body compressed. Its ETag becomes a weak one, because the bytes are others. */
async function encodedReply<Reply extends Encodable>(reply: Reply, coding: Coding): Promise<Reply> {
  const { body = "", headers = {}, isShared } = reply;
  const bytes = isShared === true ? await encodedOnce(body, coding) : await quickly(body, { level: 1 });
  const etag = headers.ETag;
  return {
    ...reply,
    body: bytes,
    headers: {
      ...headers,
      ...(typeof etag === "string" && !etag.startsWith("W/") ? { ETag: `W/${etag}` } : {}),
      "Content-Encoding": coding,
    },
  };
}

const quickly = promisify(gzip) as (body: string | Uint8Array, options: { level: number }) => Promise<Uint8Array>;
const brotli = promisify(brotliCompress);

/** Shared bodies are few: files of the build and the description of the interface. */
const known = new Map<string | Uint8Array, Map<Coding, Promise<Uint8Array>>>();

function encodedOnce(body: string | Uint8Array, coding: Coding): Promise<Uint8Array> {
  const codings = known.get(body) ?? new Map<Coding, Promise<Uint8Array>>();
  known.set(body, codings);
  const encoded =
    codings.get(coding) ?? (coding === "gzip" ? quickly(body, { level: 9 }) : brotli(body, brotliOptions(body.length)));
  codings.set(coding, encoded);
  return encoded;
}

/** The best quality takes seconds for megabytes, and whoever asks first waits for it. */
const brotliOptions = (length: number) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: length > 500_000 ? 5 : 9, [constants.BROTLI_PARAM_SIZE_HINT]: length },
});

/** Unlike `gzip;q=0`. */
function acceptedCodings(header: string | string[] | undefined): ReadonlySet<string> {
  const codings = String(header ?? "")
    .slice(0, 1_000)
    .split(",")
    .map((coding) =>
      coding
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/),
    );
  return new Set(codings.filter(([, weight = ""]) => !/^q=0(\.0*)?$/.test(weight)).map(([name = ""]) => name));
}
