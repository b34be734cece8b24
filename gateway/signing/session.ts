import { createHash } from "node:crypto";
import { DomainError } from "#platform/errors.ts";
import type { Observed, RouteRequest } from "../routes/route.ts";

/** A session's name in URLs. It reveals nothing of the token, which only the cookie holds. */
export const sessionIdOf = (sessionToken: string): string =>
  createHash("sha256").update(sessionToken).digest("base64url").slice(0, 22);

const cookieName = "assent_signing";

/** The cookie is limited to this session's path; a page in a frame of another site needs a partitioned one. */
export function sessionCookie(
  sessionToken: string,
  { isHttps, isFramed }: { readonly isHttps: boolean; readonly isFramed: boolean },
): string {
  const site = isFramed && isHttps ? "SameSite=None; Partitioned" : "SameSite=Lax";
  const path = `/signing/s/${sessionIdOf(sessionToken)}`;
  return `${cookieName}=${sessionToken}; Path=${path}; HttpOnly; ${site}${isHttps ? "; Secure" : ""}`;
}

/** The token of the session in the URL. Throws VIEW_URL_EXPIRED when the browser sends none. */
export function requireSessionToken({
  params,
  headers,
  pageHost,
}: Pick<RouteRequest<"{sid}">, "params" | "headers" | "pageHost">): string {
  const found = cookiesIn(headers.cookie).find((token) => sessionIdOf(token) === params.sid);
  if (found === undefined) throw new DomainError("VIEW_URL_EXPIRED");
  requireHostOf(found, pageHost);
  return found;
}

/**
 * At the host name of an organization, links and sessions of others are none. Both kinds of tokens begin with the id of
 * their organization. Throws VIEW_URL_EXPIRED.
 */
export function requireHostOf(token: string, pageHost: RouteRequest["pageHost"]): void {
  if (pageHost === undefined) return;
  const begins = Buffer.from(token, "base64url").toString("hex");
  if (!begins.startsWith(pageHost.organizationId.replaceAll("-", ""))) throw new DomainError("VIEW_URL_EXPIRED");
}

/** Browsers never send more. */
const maxCookieLength = 16_384;

/** Another program's cookie of the same name may have a path that includes the session's. */
const cookiesIn = (header = ""): string[] =>
  header
    .slice(0, maxCookieLength)
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${cookieName}=`))
    .slice(0, 5)
    .map((pair) => pair.slice(cookieName.length + 1));

/**
 * Refuses requests that a page of another site makes a browser send. Browsers send the origin of a POST; programs that
 * do not have no one else's cookies. Throws VALIDATION_FAILED.
 */
export function requireOwnOrigin(request: Pick<RouteRequest, "headers" | "publicUrl">): void {
  const { origin } = request.headers;
  if (origin === undefined || origin === URL.parse(request.publicUrl())?.origin) return;
  throw new DomainError("VALIDATION_FAILED", { message: "Only the signing page itself may send this." });
}

/** The signer's address and browser, for the audit trail. */
export const visitorOf = ({
  observed,
  caller: { requestId, traceparent },
}: Pick<RouteRequest, "observed" | "caller">): Observed & { requestId: string; traceparent: string } => ({
  ...observed,
  requestId,
  traceparent,
});
