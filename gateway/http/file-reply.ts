import { DomainError, type ErrorCode } from "#platform/errors.ts";
import type { RouteRequest } from "../routes/route.ts";
import { readRange } from "./byte-range.ts";
import { attachment } from "./content-disposition.ts";
import type { Reply } from "./reply.ts";

/** A stored file. */
export interface StoredFile {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly fileName: string;
  /** Hex. */
  readonly sha256: string;
  /** The answer to a range behind its end; GEN_RANGE_NOT_SATISFIABLE when absent. */
  readonly rangeCode?: ErrorCode;
}

/**
 * Answers with a file or a part of it (RFC 9110 §13, §14); nothing that it holds may run in a browser. Throws
 * what the file says of a range that it does not have.
 */
export function fileReply(file: StoredFile, { method, headers }: Pick<RouteRequest, "method" | "headers">): Reply {
  const { bytes, contentType } = file;
  const etag = `"${file.sha256}"`;
  const common = {
    ETag: etag,
    "Accept-Ranges": "bytes",
    "Content-Disposition": attachment(file.fileName),
    "Content-Security-Policy": "sandbox; default-src 'none'",
  };
  if (names(headers["if-none-match"], etag)) return { status: 304, body: undefined, headers: common };
  const range = mayAnswerPart(method, headers["if-range"], etag) ? readRange(headers.range, bytes.length) : "whole";
  if (range === "unsatisfiable") {
    throw new DomainError(file.rangeCode ?? "GEN_RANGE_NOT_SATISFIABLE", { metadata: { bytes: String(bytes.length) } });
  }
  if (range === "whole") return { status: 200, body: bytes, contentType, headers: common };
  const { first, last } = range;
  const part = { "Content-Range": `bytes ${first}-${last}/${bytes.length}` };
  return { status: 206, body: bytes.subarray(first, last + 1), contentType, headers: { ...common, ...part } };
}

/** Ranges are for GET alone, and with If-Range only for the file that the client has a part of already. */
const mayAnswerPart = (method: string, ifRange: unknown, etag: string): boolean =>
  method === "GET" && (ifRange === undefined || ifRange === etag);

/** Whether If-None-Match names this ETag; weak ones count as well here. */
const names = (header: string | undefined, etag: string): boolean =>
  (header ?? "")
    .slice(0, 4_000)
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""))
    .some((tag) => tag === "*" || tag === etag);
