import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { DomainError } from "#platform/errors.ts";
import type { NewId } from "#platform/ids.ts";
import { isAnsweredEarly } from "./body-budget.ts";
import { standardDialect } from "./error-dialect.ts";
import { identify } from "./exchange.ts";

/**
 * Answers malformed HTTP and requests that arrive too slowly. There is no request object then, so the response
 * is written by hand and the connection closed.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex, newId: NewId): void {
  // The rest of what was refused, which Node goes on to parse.
  if (isLingering(socket)) return;
  if (error.code === "ECONNRESET" || !socket.writable || isAlreadyAnswering(socket)) {
    socket.destroy();
    return;
  }
  const { status, problem } = readProblem(error.code);
  const { requestId, traceparent } = identify({}, newId);
  const body = JSON.stringify(standardDialect.body(problem, requestId));
  const head = [
    `HTTP/1.1 ${status}`,
    `X-Request-Id: ${requestId}`,
    `traceparent: ${traceparent}`,
    "X-Content-Type-Options: nosniff",
    "Cache-Control: private, no-store",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  linger(socket);
  // Node keeps reading what comes too late, and would pass on a request that has just been refused.
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") socket.once("finish", () => socket.destroy());
}

const lingering = Symbol("lingering");
type MarkedSocket = Duplex & Partial<Pick<Socket, "bytesRead">> & { [lingering]?: number };

const lingerMs = 1_000;
const maxLingerBytes = 1024 * 1024;

/**
 * Closing a connection while its client still sends resets it, and the client may never see the response. So
 * the remaining data is drained for a moment.
 */
function linger(socket: MarkedSocket): void {
  socket[lingering] = socket.bytesRead ?? 0;
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
}

function isLingering(socket: MarkedSocket): boolean {
  const before = socket[lingering];
  return before !== undefined && (socket.bytesRead ?? 0) - before <= maxLingerBytes;
}

/**
 * A response that has begun cannot be replaced, and one in preparation must not be overtaken, because the
 * client would mistake ours for it. Node's own handler checks the same private field; there is no public way.
 */
function isAlreadyAnswering(socket: Duplex & { _httpMessage?: ServerResponse | null }): boolean {
  const pending = socket._httpMessage ?? undefined;
  if (pending === undefined) return isAnsweredEarly(socket);
  return pending.headersSent || pending.req.complete;
}

function readProblem(code: string | undefined): { status: string; problem: DomainError } {
  if (code === "HPE_HEADER_OVERFLOW") {
    const message = "The head of the request is larger than 16 KiB.";
    return {
      status: "431 Request Header Fields Too Large",
      problem: new DomainError("PAYLOAD_TOO_LARGE", { message }),
    };
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    const message = "The request took too long to arrive. Try again.";
    return { status: "408 Request Timeout", problem: new DomainError("VALIDATION_FAILED", { message }) };
  }
  const message = "The request is not valid HTTP.";
  return { status: "400 Bad Request", problem: new DomainError("VALIDATION_FAILED", { message }) };
}

/** Headers that determine the sender and the framing of a request: duplicates let two readers disagree. */
const singleHeaders = ["host", "authorization", "content-type"] as const;

/** What makes a request's head ambiguous; undefined if nothing does. */
export function findHeaderProblem(rawHeaders: readonly string[], httpVersion: string): string | undefined {
  // Node reads a line without a version, such as one that was cut in two, as HTTP/0.9.
  if (httpVersion === "0.9") return "The version of HTTP is missing.";
  for (const name of singleHeaders) {
    const count = headerCount(rawHeaders, name);
    if (count > 1) return `The header ${name} was sent more than once.`;
    if (count === 0 && name === "host" && httpVersion === "1.1") return "The header host is missing.";
  }
  // Node accepts any list that ends with chunked, and decodes none of the encodings before it.
  const encodings = headerValues(rawHeaders, "transfer-encoding");
  if (encodings.length > 1 || encodings.some((sent) => sent.trim().toLowerCase() !== "chunked")) {
    return "The only transfer encoding is chunked.";
  }
  return undefined;
}

/** How often a header was sent; `name` is in lower case. */
export const headerCount = (rawHeaders: readonly string[], name: string): number =>
  headerValues(rawHeaders, name).length;

function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i];
    if (sent?.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? "");
  }
  return values;
}
