import { hash } from "node:crypto";
import type { CallOptions } from "@connectrpc/connect";
import { callerHeaders } from "#platform/caller.ts";
import { DomainError, type ErrorCode, fromConnectError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import type { SessionUser } from "../../auth/principal.ts";
import { standardDialect } from "../../http/error-dialect.ts";
import { noContent, type Reply } from "../../http/reply.ts";
import { requireOwnOrigin, sessionCookie } from "../../sessions/cookie.ts";
import type { HeaderDescription, ProtectedAccess, RouteRequest } from "../route.ts";
import type { Services } from "../services.ts";

export const dashboardBase = { tag: "Dashboard", dialect: standardDialect } as const;

/** Of everybody who is signed in. */
export const everybody: ProtectedAccess = { scopes: ["dashboard:read"], limitGroup: "other" };
/** Operations that protect an account or an organization work while the organization is suspended, too. */
export const protecting = (access: ProtectedAccess): ProtectedAccess => ({ ...access, whileSuspended: true });
export const developers: ProtectedAccess = { scopes: ["dashboard:write"], limitGroup: "other" };
export const owners: ProtectedAccess = { scopes: ["dashboard:admin"], limitGroup: "other" };

/** The person whose session has let the request in. */
export function requireUser({ user }: Pick<RouteRequest, "user">): SessionUser {
  if (user === undefined) throw new DomainError("SESSION_ENDED");
  return user;
}

const userPrefix = "user:";
/** How many are named at once. */
const maxNames = 200;

/**
 * What the people among these callers are called, for somebody who is signed in; programs are told nothing of people.
 * Empty while the auth service is away: names are no reason to withhold what they stand beside.
 */
export async function namesFor(
  request: Pick<RouteRequest, "caller" | "user">,
  { users }: Pick<Services, "users">,
  clientIds: readonly string[],
): Promise<{ readonly id: string; readonly name: string }[]> {
  const wanted = [...new Set(clientIds)].filter((id) => id.startsWith(userPrefix));
  const userIds = wanted.map((id) => id.slice(userPrefix.length)).filter(isUuid);
  if (request.user === undefined || userIds.length === 0) return [];
  const options = { headers: callerHeaders(request.caller), timeoutMs: namesMs };
  const asked = users.nameUsers({ userIds: userIds.slice(0, maxNames) }, options).catch(() => ({ users: [] }));
  return (await asked).users.map(({ id, name }) => ({ id: `${userPrefix}${id}`, name }));
}

/** For so long, in milliseconds, names are waited for. */
const namesMs = 2_000;

/** The request's origin, for audit events and the list of sessions. */
export const visitorOf = ({ observed }: Pick<RouteRequest, "observed">): { ip: string; userAgent: string } => ({
  ip: observed.ip,
  userAgent: observed.userAgent.slice(0, 500),
});

/** Makes an RPC before the person is known. */
export const onBehalfOfNobody = ({ caller }: Pick<RouteRequest, "caller">): CallOptions => ({
  headers: { "x-request-id": caller.requestId, traceparent: caller.traceparent },
});

/** The same promise, with NOT_FOUND replaced by a specific code. */
export async function naming<Answer>(code: ErrorCode, asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    if (fromConnectError(error)?.code === "NOT_FOUND") throw new DomainError(code, { cause: error });
    throw error;
  }
}

/** The header that goes on with the session under a new token; none without one. */
export const newCookieOf = (
  request: Pick<RouteRequest, "user" | "publicUrl">,
  newSessionToken: string,
): Record<string, string> =>
  newSessionToken === ""
    ? {}
    : { "Set-Cookie": sessionCookie(newSessionToken, requireUser(request).expiresAt, request.publicUrl()) };

export const doneWithCookie = (request: Pick<RouteRequest, "user" | "publicUrl">, newSessionToken: string): Reply => ({
  ...noContent,
  headers: newCookieOf(request, newSessionToken),
});

/** As the description of an answer says it. */
export const cookieHeader = (required: boolean): Readonly<Record<string, HeaderDescription>> => ({
  "Set-Cookie": {
    description: required
      ? "The cookie of the session: __Host-assent_session over https, assent_session otherwise."
      : "The cookie with the new token of the session.",
    example: `__Host-assent_session=${"0123456789abcdefABCD-_0123456789abcdefABCDEFxyz"}; Expires=Sat, 05 Dec 2026 17:00:00 GMT; Path=/; HttpOnly; SameSite=Lax; Secure`,
    required,
  },
});

type Guarded = Pick<RouteRequest, "observed" | "headers" | "publicUrl">;

/**
 * Performs an operation that reveals whether a guess was right, unless too many were wrong: counted like
 * failures at the token endpoint, by address and by what is guessed. Throws RATE_LIMIT_EXCEEDED, or
 * CSRF_TOKEN_INVALID for a request from another site, which could sign the browser in as somebody else.
 */
export async function guarded<Answer>(
  request: Guarded,
  guessedAt: string,
  { tokenGuard }: Pick<Services, "tokenGuard">,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  requireOwnOrigin({ headers: request.headers, publicUrl: request.publicUrl() });
  const { ip } = request.observed;
  const target = targetOf(guessedAt);
  tokenGuard.requireCalm(ip, target);
  try {
    return await ask();
  } catch (error) {
    if (wrongGuesses.has(fromConnectError(error)?.code ?? "")) await tokenGuard.recordFailure(ip, target);
    throw error;
  }
}

/** The same for operations that always succeed and affect somebody else: every call counts. */
export async function rationed<Answer>(
  request: Guarded,
  target: string,
  { tokenGuard }: Pick<Services, "tokenGuard">,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  requireOwnOrigin({ headers: request.headers, publicUrl: request.publicUrl() });
  await tokenGuard.recordFailure(request.observed.ip, targetOf(target));
  return ask();
}

const wrongGuesses: ReadonlySet<string> = new Set([
  "LOGIN_FAILED",
  "LOGIN_CODE_INVALID",
  "LOGIN_EXPIRED",
  "LINK_INVALID",
]);

/** A hash, so that the address or token itself is not stored with the counts. */
const targetOf = (guessedAt: string): string =>
  `person:${hash("sha256", guessedAt.trim().normalize("NFC").toLowerCase(), "base64url")}`;
