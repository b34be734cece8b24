import { timingSafeEqual } from "node:crypto";
import { DomainError } from "#platform/errors.ts";
import type { SessionUser } from "../auth/principal.ts";

/** What of a request tells whether a page of ours sent it. */
export interface Sent {
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
