import { DomainError, type ErrorCode } from "#platform/errors.ts";
import type { RouteDescription, RouteRequest } from "../routes/route.ts";
import type { ServedPage } from "../verifier.ts";
import type { Exchange } from "./exchange.ts";
import type { Reply } from "./reply.ts";

/** A stored file. */
export interface StoredFile {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly fileName: string;
  /** Hex. */
  readonly sha256: string;
  /** The error for a range outside the file; GEN_RANGE_NOT_SATISFIABLE when absent. */
  readonly rangeCode?: ErrorCode;
}

/**
 * Responds with a file or a range of it (RFC 9110 §13, §14); nothing in it may run in a browser. Throws the
 * file's error for a range outside it.
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
  if (isKnown(headers["if-none-match"], etag)) return { status: 304, body: undefined, headers: common };
  const range = mayAnswerPart(method, headers["if-range"], etag) ? readRange(headers.range, bytes.length) : "whole";
  if (range === "unsatisfiable") {
    throw new DomainError(file.rangeCode ?? "GEN_RANGE_NOT_SATISFIABLE", { metadata: { bytes: String(bytes.length) } });
  }
  if (range === "whole") return { status: 200, body: bytes, contentType, headers: common };
  const { first, last } = range;
  const part = { "Content-Range": `bytes ${first}-${last}/${bytes.length}` };
  return { status: 206, body: bytes.subarray(first, last + 1), contentType, headers: { ...common, ...part } };
}

/** Ranges apply to GET alone, and with If-Range only if the client's part is of this same file. */
const mayAnswerPart = (method: string, ifRange: unknown, etag: string): boolean =>
  method === "GET" && (ifRange === undefined || ifRange === etag);

/** Whether If-None-Match (RFC 9110 §13.1.2) contains this ETag; weak comparison, because compressed replies have weak ones. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? "")
    .slice(0, 4_000)
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""))
    .some((tag) => tag === "*" || tag === etag);

/**
 * The Content-Disposition with which a browser saves an answer under a name (RFC 6266). A name outside ASCII
 * is sent in its extended form (RFC 8187); the plain one is a fallback for programs that do not support it.
 */
export function attachment(fileName: string): string {
  const safe = fileName
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029/\\]/gu, "_")
    .trim();
  const name = safe === "" ? "file" : safe;
  const plain = name.replaceAll(/[^\x20-\x7e]/gu, "_").replaceAll(/["%]/g, "_");
  return `attachment; filename="${plain}"; filename*=UTF-8''${extended(name)}`;
}

/** Percent-encodes all but the attr-char of RFC 8187 §3.2.1. */
const extended = (text: string): string =>
  encodeURIComponent(text).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** A range of bytes, both ends included. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const single = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i;

/**
 * The requested range (RFC 9110 §14.1.2): "whole" for several ranges or unknown units, which are ignored as the
 * RFC permits; "unsatisfiable" when the range is outside the file.
 */
export function readRange(header: string | undefined, size: number): ByteRange | "whole" | "unsatisfiable" {
  const [, from = "", to = ""] = single.exec((header ?? "").slice(0, 100)) ?? [];
  if (from === "") return to === "" ? "whole" : suffix(Number(to), size);
  const first = Number(from);
  const last = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== "" && Number(to) < first) return "whole";
  return first >= size ? "unsatisfiable" : { first, last };
}

const suffix = (length: number, size: number): ByteRange | "unsatisfiable" =>
  length === 0 || size === 0 ? "unsatisfiable" : { first: Math.max(0, size - length), last: size - 1 };

/** A page whose scripts and styles are in it. */
export const pageInOneFileReply = ({ page, pageHashes }: ServedPage): Reply => ({
  status: 200,
  body: page.source,
  isShared: true,
  contentType: "text/html; charset=utf-8",
  headers: {
    ETag: page.etag,
    "Cache-Control": "no-cache",
    "Content-Security-Policy": contentPolicy(pageHashes),
    "Referrer-Policy": "no-referrer",
  },
});

/** Only the page's own script runs, which asks nobody but us. */
const contentPolicy = ({ script, style }: ServedPage["pageHashes"]): string =>
  [
    "default-src 'none'",
    `script-src '${script}'`,
    `style-src '${style}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");

/**
 * Responses to a credential are private to its owner, whatever the operation says about caching, since a shared
 * cache would pass them on to strangers. Only what the route declares may be cached, and only by the client
 * itself; nothing sent to a cookie may be, because the browser may be somebody else's next. A cookie set by the
 * operation is newer than the one set by authentication.
 */
export function protectedReply(
  reply: Reply,
  { access, caching }: Pick<RouteDescription, "access" | "caching">,
  { principal, newCookie }: Exchange,
): Reply {
  if (access === "public") return reply;
  const mayKeep = caching !== undefined && reply.status < 400 && principal?.user === undefined;
  return {
    ...reply,
    headers: {
      ...(newCookie === undefined ? {} : { "Set-Cookie": newCookie }),
      ...reply.headers,
      ...(mayKeep ? cachingHeaders[caching] : { "Cache-Control": "private, no-store" }),
    },
  };
}

const cachingHeaders = {
  // Asked for again each time, because it may be deleted.
  revalidated: { "Cache-Control": "private, no-cache" },
  // Another organization's has the same address, so the credential is part of the key.
  immutable: { "Cache-Control": "private, max-age=31536000, immutable", Vary: "Authorization" },
} as const;
