import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { failureOf, OutboundFailure } from "./outbound-failure.ts";

export interface OutboundMessage {
  readonly path: string;
  /** All headers but those of the connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly retryAfter?: string;
  readonly excerpt: string;
}

const maxHeaderBytes = 16 * 1024;
const maxBodyBytes = 64 * 1024;
// A body may be cut in small chunks, each with bytes of its own around it.
const maxReadBytes = 8 * maxBodyBytes;
const maxInterimAnswers = 8;

const excerptCharacters = 1_024;
// UTF-8 has at most four bytes per character.
const excerptBytes = 4 * excerptCharacters;
const maxRetryAfterLength = 64;

/**
 * Sends one POST over a connected socket and reads its answer: whole, or the first 64 KiB of its body. The socket is
 * destroyed in any case. Rejects with an OutboundFailure, or with the signal's reason.
 */
export async function exchange(socket: Socket, message: OutboundMessage, signal: AbortSignal): Promise<OutboundAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<OutboundAnswer>();
  let isOver = false;
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort);
  try {
    signal.throwIfAborted();
    const request = send(socket, message);
    const fail = (error?: unknown): void => {
      if (!isOver) reject(failureOf(error, "exchange"));
    };
    request.on("error", fail).on("close", fail);
    refuseInterimAnswers(request, reject);
    request.on("response", (response) => {
      // The request may be closed before its answer has been read to its end.
      request.off("close", fail);
      response.on("error", fail).on("close", fail);
      readAnswer(response, socket, resolve);
    });
    return await promise;
  } finally {
    isOver = true;
    signal.removeEventListener("abort", onAbort);
    socket.destroy();
  }
}

/** Without an agent: no other connection, no proxy of the environment, and no redirects, which Node never follows. */
function send(socket: Socket, { path, headers, body }: OutboundMessage): ClientRequest {
  const request = httpRequest({
    method: "POST",
    path,
    headers: { ...headers, "content-length": String(Buffer.byteLength(body)), connection: "close" },
    setHost: false,
    maxHeaderSize: maxHeaderBytes,
    insecureHTTPParser: false,
    createConnection: () => socket,
  });
  request.end(body);
  return request;
}

function refuseInterimAnswers(request: ClientRequest, reject: (failure: OutboundFailure) => void): void {
  let count = 0;
  request.on("information", () => {
    count += 1;
    if (count > maxInterimAnswers) reject(new OutboundFailure("protocol", "There are too many interim answers."));
  });
  request.on("upgrade", () => reject(new OutboundFailure("protocol", "The answer is for another protocol.")));
}

function readAnswer(response: IncomingMessage, socket: Socket, resolve: (answer: OutboundAnswer) => void): void {
  const start: Buffer[] = [];
  let length = 0;
  const finish = (): void => resolve(answerOf(response, Buffer.concat(start)));
  response.on("data", (piece: Buffer) => {
    // A copy, so that the rest of the piece is not kept.
    if (length < excerptBytes) start.push(Buffer.from(piece.subarray(0, excerptBytes - length)));
    length += piece.length;
    if (length >= maxBodyBytes || socket.bytesRead >= maxReadBytes) finish();
  });
  response.on("end", finish);
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, start: Buffer): OutboundAnswer {
  const retryAfter = headers["retry-after"];
  const encoding = headers["content-encoding"] ?? "identity";
  return {
    status: statusCode,
    ...(retryAfter === undefined || retryAfter.length > maxRetryAfterLength ? {} : { retryAfter }),
    // What is compressed stays so, and says nothing to a reader.
    excerpt: encoding.toLowerCase() === "identity" ? excerptOf(start) : "",
  };
}

/** As UTF-8. A character at the end that is not whole is dropped, and so is half of a surrogate pair. */
function excerptOf(start: Buffer): string {
  const text = new TextDecoder().decode(start, { stream: true });
  const readable = text.replace(/[\t\r\n]+/g, " ").replace(/\p{Cc}/gu, "");
  const excerpt = readable.slice(0, excerptCharacters);
  return excerpt.isWellFormed() ? excerpt : excerpt.slice(0, -1);
}
