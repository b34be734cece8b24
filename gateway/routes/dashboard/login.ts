import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { credentials, login, loginCode, revokedSessions, signedIn, userSession } from "#api/users.ts";
import { type LoginResponse, SessionPrincipalSchema, type SignedIn } from "#gen/assent/auth/v1/users_pb.ts";
import { jsonReply, noContent, type Reply } from "../../http/reply.ts";
import { principalOf } from "../../sessions/authenticate-session.ts";
import { noSessionCookie, sessionCookie, sessionTokenIn } from "../../sessions/cookie.ts";
import { createBody, defineRoute, onBehalfOf, type Route, type RouteRequest } from "../route.ts";
import { listOf, required } from "../schema-parts.ts";
import {
  cookieHeader,
  dashboardBase,
  everybody,
  guarded,
  naming,
  onBehalfOfNobody,
  requireUser,
  visitorOf,
} from "./base.ts";

const base = { ...dashboardBase, method: "POST", access: "public" } as const;
const maxBytes = 16_384;

export const loginRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "login",
    path: "/v1/dashboard/login",
    summary: "Sign in with email address and password",
    description:
      "A wrong password and an unknown, invited, disabled or locked user get the same response. After 10 failures within 15 minutes a user is locked for 15 minutes.",
    body: createBody(credentials, {
      maxBytes,
      example: { email: "ann@example.com", password: "correct horse battery staple" },
    }),
    success: {
      status: 200,
      description: "The session, or the next step.",
      schema: login.schemas.answer,
      headers: cookieHeader(false),
    },
    errors: ["LOGIN_FAILED", "CSRF_TOKEN_INVALID", "RATE_LIMIT_EXCEEDED"],
    call: (request, services) => {
      const wanted = { ...credentials.create(request.body), origin: request.publicUrl(), visitor: visitorOf(request) };
      return guarded(request, `login ${request.body.email}`, services, () =>
        services.logins.login(wanted, onBehalfOfNobody(request)),
      );
    },
    respond: loginReply,
  }),
  defineRoute({
    ...base,
    operationId: "continueLogin",
    path: "/v1/dashboard/login/code",
    summary: "Finish signing in with a two-factor code",
    description:
      "Within 5 minutes, with the six digits from an authenticator app or with a recovery code. Each code works once. A passkey is another way.",
    body: createBody(loginCode, { maxBytes, example: { pendingToken: "A".repeat(43), code: "123456" } }),
    success: {
      status: 200,
      description: "The session.",
      schema: signedIn.schemas.answer,
      headers: cookieHeader(true),
    },
    errors: ["LOGIN_CODE_INVALID", "LOGIN_EXPIRED", "CSRF_TOKEN_INVALID", "RATE_LIMIT_EXCEEDED"],
    call: (request, services) => {
      const wanted = { ...loginCode.create(request.body), visitor: visitorOf(request) };
      return guarded(request, "code", services, () => services.logins.continueLogin(wanted, onBehalfOfNobody(request)));
    },
    respond: (answer, request) => signedInReply(answer.signedIn, request),
  }),
  defineRoute({
    ...dashboardBase,
    operationId: "logout",
    method: "POST",
    path: "/v1/dashboard/logout",
    summary: "End the session",
    access: everybody,
    success: {
      status: 204,
      description: "The session was ended.",
      headers: { "Set-Cookie": { description: "Deletes the cookie.", required: true } },
    },
    errors: [],
    call: (request, { logins }) => {
      const sessionToken = sessionTokenIn(request.headers.cookie, request.publicUrl()) ?? "";
      return logins.logout({ sessionToken, visitor: visitorOf(request) }, onBehalfOfNobody(request));
    },
    respond: (_answer, { publicUrl }) => ({
      ...noContent,
      headers: { "Set-Cookie": noSessionCookie(publicUrl()) },
    }),
  }),
  defineRoute({
    ...dashboardBase,
    operationId: "getDashboardSession",
    method: "GET",
    path: "/v1/dashboard/session",
    summary: "Read who is signed in",
    description: "Includes the CSRF token that requests need to change something.",
    access: everybody,
    success: { status: 200, description: "The session.", schema: signedIn.schemas.answer },
    errors: [],
    call: (request, { users }) => users.getOwnUser({}, onBehalfOf(request)),
    respond: ({ user }, request) => {
      const { csrfToken, expiresAt } = requireUser(request);
      const { orgId: organizationId } = request.caller;
      const known = { user: required(user), organizationId, csrfToken, expiresAt: timestampFromDate(expiresAt) };
      return jsonReply(200, signedIn.answer(create(SessionPrincipalSchema, known), { scopes: [...request.scopes] }));
    },
  }),
];

function loginReply(answer: LoginResponse, request: Pick<RouteRequest, "publicUrl">): Reply {
  const { outcome } = answer;
  if (outcome.case !== "signedIn") return jsonReply(200, login.answer(answer, { session: null }));
  const { session, headers } = signedInParts(outcome.value, request);
  return jsonReply(200, login.answer(answer, { session }), headers);
}

/** The answer to whoever has just logged in. */
export function signedInReply(answer: SignedIn | undefined, request: Pick<RouteRequest, "publicUrl">): Reply {
  const { session, headers } = signedInParts(required(answer), request);
  return jsonReply(200, session, headers);
}

function signedInParts({ sessionToken, principal }: SignedIn, { publicUrl }: Pick<RouteRequest, "publicUrl">) {
  const { scopes, user } = principalOf(principal);
  const session = signedIn.answer(required(principal), { scopes: [...scopes] });
  return { session, headers: { "Set-Cookie": sessionCookie(sessionToken, user.expiresAt, publicUrl()) } };
}

const sessionBase = { ...dashboardBase, access: everybody } as const;

export const userSessionRoutes: readonly Route[] = [
  defineRoute({
    ...sessionBase,
    operationId: "listUserSessions",
    method: "GET",
    path: "/v1/dashboard/sessions",
    summary: "List your sessions",
    success: { status: 200, description: "Most recently used first.", schema: listOf(userSession.schemas.answer) },
    errors: [],
    call: (request, { users }) => users.listSessions({}, onBehalfOf(request)),
    respond: ({ sessions }, request) => {
      const { sessionId } = requireUser(request);
      return jsonReply(
        200,
        sessions.map((session) => userSession.answer(session, { current: session.id === sessionId })),
      );
    },
  }),
  defineRoute({
    ...sessionBase,
    operationId: "revokeOtherSessions",
    method: "DELETE",
    path: "/v1/dashboard/sessions",
    summary: "End your other sessions",
    success: {
      status: 200,
      description: "The number of sessions that were ended.",
      schema: revokedSessions.schemas.answer,
    },
    errors: [],
    call: (request, { users }) =>
      users.revokeOtherSessions(
        { sessionId: requireUser(request).sessionId, visitor: visitorOf(request) },
        onBehalfOf(request),
      ),
    respond: (answer) => jsonReply(200, revokedSessions.answer(answer)),
  }),
  defineRoute({
    ...sessionBase,
    operationId: "revokeUserSession",
    method: "DELETE",
    path: "/v1/dashboard/sessions/{id}",
    summary: "End one of your sessions",
    notFound: { id: "USER_SESSION_NOT_FOUND" },
    success: { status: 204, description: "The session was ended." },
    errors: [],
    call: (request, { users }) =>
      naming(
        "USER_SESSION_NOT_FOUND",
        users.revokeSession({ sessionId: request.params.id, visitor: visitorOf(request) }, onBehalfOf(request)),
      ),
    respond: () => noContent,
  }),
];
