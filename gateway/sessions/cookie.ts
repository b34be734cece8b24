import { timingSafeEqual } from "node:crypto";
import { DomainError } from "#platform/errors.ts";
import type { SessionUser } from "../auth/principal.ts";

/** Over https the prefix keeps other hosts of the same site from setting the cookie (RFC 6265bis §4.1.3.2). */
const nameOf = (isHttps: boolean): string => (isHttps ? "__Host-assent_session" : "assent_session");

/** What is known of a request that carries the cookie: where clients reach this API. */
export const isHttps = (publicUrl: string): boolean => publicUrl.startsWith("https:");

const attributes = (isSecure: boolean): string => `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;

/** The header Set-Cookie that gives a browser a session. */
export const sessionCookie = (token: string, expiresAt: Date, publicUrl: string): string => {
  const isSecure = isHttps(publicUrl);
  return `${nameOf(isSecure)}=${token}; Expires=${expiresAt.toUTCString()}; ${attributes(isSecure)}`;
};

/** The header Set-Cookie that takes it away. */
export const noSessionCookie = (publicUrl: string): string => {
  const isSecure = isHttps(publicUrl);
  return `${nameOf(isSecure)}=; Max-Age=0; ${attributes(isSecure)}`;
};

/** Browsers never send more. */
const maxHeaderLength = 16_384;

/** The value of the session's cookie in a header Cookie; undefined when there is none. */
export function sessionTokenIn(header: string | undefined, publicUrl: string): string | undefined {
  if (header === undefined || header.length > maxHeaderLength) return undefined;
  const start = `${nameOf(isHttps(publicUrl))}=`;
  const pair = header
    .split(";")
    .map((text) => text.trim())
    .find((text) => text.startsWith(start));
  return pair?.slice(start.length);
}

/** What of a request tells whether a page of ours sent it. */
interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Where clients reach this API. */
  readonly publicUrl: string;
}

/**
 * Refuses what a page of another site makes a browser send along with the cookie. Throws CSRF_TOKEN_INVALID for a
 * request that may change something and has not the token of its session, or says that it comes from elsewhere.
 */
export function requireCsrfToken(sent: Sent, { csrfToken }: Pick<SessionUser, "csrfToken">): void {
  if (sent.method === "GET" || sent.method === "HEAD") return;
  const { "x-csrf-token": token } = sent.headers;
  if (typeof token !== "string" || !isSame(token, csrfToken)) throw new DomainError("CSRF_TOKEN_INVALID");
  requireOwnOrigin(sent);
}

/** Browsers say where a request that changes something comes from; programs that do not have no cookies of others. */
export function requireOwnOrigin({ headers, publicUrl }: Pick<Sent, "headers" | "publicUrl">): void {
  const { origin } = headers;
  if (origin === undefined || origin === URL.parse(publicUrl)?.origin) return;
  throw new DomainError("CSRF_TOKEN_INVALID");
}

function isSame(sent: string, expected: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)];
  return b.length > 0 && a.length === b.length && timingSafeEqual(a, b);
}
