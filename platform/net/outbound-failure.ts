export type FailureReason = "refused-address" | "timeout" | "connection" | "tls" | "dns" | "protocol" | "proxy";

/** Why a request was not answered. The message is for the customer: it never repeats what a receiver sent. */
export class OutboundFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string) {
    super(message);
    this.name = "OutboundFailure";
    this.reason = reason;
  }
}

/** Where an attempt was when an error came. */
export type Phase = "connect" | "handshake" | "exchange";

/** What an error of Node's sockets, TLS and HTTP means. Only its code is looked at. */
export function failureOf(error: unknown, phase: Phase): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const code = codeOf(error);
  const connection = connectionMessages.get(code);
  if (connection !== undefined) return new OutboundFailure("connection", connection);
  const tls = tlsMessages.get(code);
  if (tls !== undefined) return new OutboundFailure("tls", tls);
  if (phase === "handshake" || code.startsWith("ERR_SSL_")) {
    return new OutboundFailure("tls", `No TLS connection could be made${inBrackets(code)}.`);
  }
  if (code === "HPE_HEADER_OVERFLOW") return new OutboundFailure("protocol", "The headers of the answer are too big.");
  if (code.startsWith("HPE_")) return new OutboundFailure("protocol", `The answer is not HTTP${inBrackets(code)}.`);
  // Node's refusal to send it at all, such as a header with a line break.
  if (code.startsWith("ERR_")) return new OutboundFailure("protocol", `The request cannot be sent${inBrackets(code)}.`);
  return new OutboundFailure("connection", code === "" ? closedEarly : `The connection failed${inBrackets(code)}.`);
}

const closedEarly = "The connection was closed before an answer had come.";

const connectionMessages: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "The connection was refused."],
  ["ECONNRESET", closedEarly],
  ["EPIPE", closedEarly],
  ["EHOSTUNREACH", "The host cannot be reached."],
  ["ENETUNREACH", "The host cannot be reached."],
  ["EADDRNOTAVAIL", "The host cannot be reached."],
  ["ETIMEDOUT", "The host did not answer."],
]);

const unknownIssuer = "The certificate was not issued by an authority that is trusted.";

const tlsMessages: ReadonlyMap<string, string> = new Map([
  ["ERR_TLS_CERT_ALTNAME_INVALID", "The certificate is for another host name."],
  ["CERT_HAS_EXPIRED", "The certificate has expired."],
  ["CERT_NOT_YET_VALID", "The certificate is not valid yet."],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "The certificate is self-signed."],
  ["SELF_SIGNED_CERT_IN_CHAIN", unknownIssuer],
  ["UNABLE_TO_GET_ISSUER_CERT", unknownIssuer],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", unknownIssuer],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "The certificate's chain is incomplete, or its authority is not trusted."],
]);

const codeOf = (error: unknown): string => {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
};

const inBrackets = (code: string): string => (code === "" ? "" : ` (${code})`);
