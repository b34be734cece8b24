import { createHash } from "node:crypto";
import { DomainError } from "#platform/errors.ts";
import type { Observed, RouteRequest } from "../routes/route.ts";

/** The name of a session in addresses: tells nothing of its token, which only the cookie has. */
export const sessionIdOf = (sessionToken: string): string =>
  createHash("sha256").update(sessionToken).digest("base64url").slice(0, 22);

const cookieName = "assent_signing";

/** Lets the browser come back to this session alone; a page in a frame of another site needs its own kind of cookie. */
export function sessionCookie(
  sessionToken: string,
  { isHttps, isFramed }: { readonly isHttps: boolean; readonly isFramed: boolean },
): string {
  const site = isFramed && isHttps ? "SameSite=None; Partitioned" : "SameSite=Lax";
  const path = `/signing/s/${sessionIdOf(sessionToken)}`;
  return `${cookieName}=${sessionToken}; Path=${path}; HttpOnly; ${site}${isHttps ? "; Secure" : ""}`;
}

/** The token of the session that the address names. Throws VIEW_URL_EXPIRED when the browser does not have it. */
export function requireSessionToken({ params, headers }: Pick<RouteRequest<"{sid}">, "params" | "headers">): string {
  const found = cookiesIn(headers.cookie).find((token) => sessionIdOf(token) === params.sid);
  if (found === undefined) throw new DomainError("VIEW_URL_EXPIRED");
  return found;
}

/** No browser sends more. */
const maxCookieLength = 16_384;

/** A session's path may lie within that of another program's cookie of the same name. */
const cookiesIn = (header = ""): string[] =>
  header
    .slice(0, maxCookieLength)
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${cookieName}=`))
    .slice(0, 5)
    .map((pair) => pair.slice(cookieName.length + 1));

/**
 * Refuses what a page of another site makes a browser send. Browsers say where a POST comes from; programs that do not
 * have no cookies of others. Throws VALIDATION_FAILED.
 */
export function requireOwnOrigin(request: Pick<RouteRequest, "headers" | "publicUrl">): void {
  const { origin } = request.headers;
  if (origin === undefined || origin === URL.parse(request.publicUrl())?.origin) return;
  throw new DomainError("VALIDATION_FAILED", { message: "Only the signing page itself may send this." });
}

/** Who sits there, for the audit trail. */
export const visitorOf = ({
  observed,
  caller: { requestId, traceparent },
}: Pick<RouteRequest, "observed" | "caller">): Observed & { requestId: string; traceparent: string } => ({
  ...observed,
  requestId,
  traceparent,
});
