import type { Duplex } from "node:stream";
import { DomainError } from "#platform/errors.ts";
import type { NewId } from "#platform/ids.ts";
import { standardDialect } from "./error-dialect.ts";
import { identify } from "./exchange.ts";

/**
 * Answers what is not HTTP that Node can parse, and requests that take too long to arrive. There is no request to
 * answer then, so the response is written by hand; the connection cannot be used again.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex, newId: NewId): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
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
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
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
