import { Code, ConnectError } from "@connectrpc/connect";
import { findTrailerError, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { Metadata, type StatusObject } from "@grpc/grpc-js";
import { addHeaders, headersFromMetadata } from "./metadata.ts";

const detailsName = "grpc-status-details-bin";

// A header block over 64 KiB makes the receiving Node drop the whole connection, so details that would come near it
// are left out, the last one first; the first is the ErrorInfo with our errorCode.
const maxDetailsBytes = 32 * 1024;
const maxMessageLength = 4096;

export const internalErrorMessage = "internal error";

/** What a caller learns about an unexpected failure: nothing. The failure itself is kept as the cause. */
export const internalError = (cause: unknown): ConnectError =>
  new ConnectError(internalErrorMessage, Code.Internal, undefined, undefined, cause);

/** What a call ends with when its deadline passes. */
export const timedOut = (): ConnectError => new ConnectError("the operation timed out", Code.DeadlineExceeded);

/** The header by which a server asks not to send a call again (gRPC, retry design). */
const pushback = "grpc-retry-pushback-ms";

/** There was no server to send a call to. Calls wait for one themselves. */
export const noConnection = (target: string, cause?: unknown): ConnectError =>
  new ConnectError(`no connection to ${target}`, Code.Unavailable, { [pushback]: "-1" }, undefined, cause);

/**
 * The same error for a caller who should not send the call again: what it needed is away, and whoever looked for it has
 * waited for it long enough.
 */
export function finalFor(error: ConnectError, cause: unknown): ConnectError {
  if (error.code !== Code.Unavailable || !isFinal(cause)) return error;
  const final = new ConnectError(error.rawMessage, error.code, { [pushback]: "-1" }, undefined, error.cause);
  final.details = [...error.details];
  return final;
}

/** True when it is of no use to send the call again now. */
export function isFinal(error: unknown): boolean {
  if (error instanceof ConnectError && error.metadata.has(pushback)) return true;
  return error instanceof Error && error.cause !== undefined && isFinal(error.cause);
}

/** The gRPC status of an error, with its details and metadata. */
export function statusFromError(error: ConnectError): StatusObject {
  const sendable = sendableCopy(error);
  let headers = setTrailerStatus(new Headers(), sendable);
  let details = detailsOf(headers);
  while (details !== undefined && details.length > maxDetailsBytes) {
    sendable.details.pop();
    headers = setTrailerStatus(new Headers(), sendable);
    details = detailsOf(headers);
  }
  const metadata = addHeaders(new Metadata(), headers);
  if (details !== undefined) metadata.set(detailsName, details);
  const final = error.metadata.get(pushback);
  if (final !== null) metadata.set(pushback, final);
  return { code: error.code as number, details: sendable.rawMessage, metadata };
}

function detailsOf(headers: Headers): Buffer | undefined {
  const text = headers.get(detailsName);
  return text === null ? undefined : Buffer.from(text, "base64");
}

/** The error with a message that can be sent: encodeURI, which gRPC text goes through, throws on half a surrogate pair. */
function sendableCopy(error: ConnectError): ConnectError {
  const message = error.rawMessage.slice(0, maxMessageLength).toWellFormed();
  const copy = new ConnectError(message, error.code, error.isWireError ? undefined : error.metadata);
  copy.details = [...error.details];
  return copy;
}

/** The error that a gRPC status other than OK stands for. Headers of the response become part of its metadata. */
export function errorFromStatus(status: StatusObject, header: Headers): ConnectError {
  const trailer = headersFromMetadata(status.metadata);
  const error = findTrailerError(trailer) ?? plainError(status, trailer);
  header.forEach((value, name) => {
    error.metadata.append(name, value);
  });
  return error;
}

function plainError(status: StatusObject, trailer: Headers): ConnectError {
  const code = status.code in Code ? (status.code as number as Code) : Code.Unknown;
  const error = new ConnectError(decodeReserved(status.details), code, trailer);
  error.isWireError = true;
  return error;
}

// Peers made with Connect escape more characters of grpc-message than grpc-js, which uses decodeURI, takes back.
const decodeReserved = (text: string): string =>
  text.replace(/%(?:2[346BCF]|3[ABDF]|40)/gi, (escaped) => decodeURIComponent(escaped));
