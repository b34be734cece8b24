import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { DomainError } from "#platform/errors.ts";
import type { NewId } from "#platform/ids.ts";
import { isAnsweredEarly } from "./body-budget.ts";
import { standardDialect } from "./error-dialect.ts";
import { identify } from "./exchange.ts";

/**
 * Answers what is not HTTP that Node can parse, and requests that take too long to arrive. There is no request to
 * answer then, so the response is written by hand; the connection cannot be used again.
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
}

const lingering = Symbol("lingering");
type MarkedSocket = Duplex & Partial<Pick<Socket, "bytesRead">> & { [lingering]?: number };

const lingerMs = 1_000;
const maxLingerBytes = 1024 * 1024;

/**
 * A connection that is closed while its client still sends is reset, and a client that is reset may never see the answer.
 * So what it is still sending is read and dropped for a moment.
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
 * An answer that has begun cannot be replaced, and one that is still being made must not be overtaken: its client would
 * take ours for it. Node's own handler looks at the same field, and there is no other way to ask.
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
    const message = "The request did not arrive in time. Send it again.";
    return { status: "408 Request Timeout", problem: new DomainError("VALIDATION_FAILED", { message }) };
  }
  const message = "The request is not valid HTTP.";
  return { status: "400 Bad Request", problem: new DomainError("VALIDATION_FAILED", { message }) };
}

/** Headers that decide whom a request is from and how it is read: two of them let two readers disagree. */
const singleHeaders = ["host", "authorization", "content-type"] as const;

/** What makes the head of a request ambiguous; undefined when nothing does. */
export function findHeaderProblem(rawHeaders: readonly string[], httpVersion: string): string | undefined {
  // Node reads a line without a version, such as one that was cut in two, as HTTP/0.9.
  if (httpVersion === "0.9") return "The version of HTTP is missing.";
  for (const name of singleHeaders) {
    const count = headerCount(rawHeaders, name);
    if (count > 1) return `The header ${name} was sent more than once.`;
    if (count === 0 && name === "host" && httpVersion === "1.1") return "The header host is missing.";
  }
  // Node reads any list that ends with chunked, and leaves the encodings before it to nobody.
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
