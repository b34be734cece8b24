import type { Express, Response } from "express";
import type { Exchange } from "./exchange.ts";

/** An answer that is ready to be sent. */
export interface Reply {
  readonly status: number;
  /** Undefined for an answer without a body. */
  readonly body: string | undefined;
  /** Default application/json. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const jsonReply = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  body: JSON.stringify(value),
  headers,
});

const isDraining = "isDraining";

/** From now on every answer asks the client to come back over another connection. */
export function startDraining(app: Express): void {
  app.locals[isDraining] = true;
}

const jsonType = "application/json; charset=utf-8";

/**
 * Sends a reply with what every answer carries. Writes the response directly: Express would compute an ETag of bodies
 * that must not be cached, and parse the content type again.
 */
export function sendReply(res: Response, exchange: Exchange, reply: Reply): void {
  if (res.headersSent || res.destroyed) return;
  const { grant } = exchange;
  if (grant !== undefined) {
    res.setHeader("X-RateLimit-Limit", grant.limit);
    res.setHeader("X-RateLimit-Remaining", grant.remaining);
    res.setHeader("X-RateLimit-Reset", grant.resetAt);
    res.setHeader("Retry-After", grant.retryAfterSeconds);
  }
  if (res.app.locals[isDraining] === true) res.setHeader("Connection", "close");
  res.setHeader("X-Content-Type-Options", "nosniff");
  res.setHeader("Cache-Control", "no-store");
  res.statusCode = reply.status;
  for (const name in reply.headers) res.setHeader(name, reply.headers[name] ?? "");
  if (reply.body === undefined) {
    res.end();
    return;
  }
  const length = Buffer.byteLength(reply.body);
  res.setHeader("Content-Type", reply.contentType ?? jsonType);
  res.setHeader("Content-Length", length);
  // As many bytes as characters means ASCII, for which both encodings are the same and this one is faster.
  res.end(reply.body, length === reply.body.length ? "latin1" : "utf8");
}
