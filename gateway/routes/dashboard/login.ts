import type { LoginResponse, SignedIn } from "#gen/assent/auth/v1/users_pb.ts";
import { userView } from "../../../views/dashboard/user.ts";
import { isoTime } from "../../../views/scalars.ts";
import { jsonReply, noContent, type Reply } from "../../http/reply.ts";
import { principalOf } from "../../sessions/authenticate-session.ts";
import { noSessionCookie, sessionCookie, sessionTokenIn } from "../../sessions/cookie.ts";
import { required } from "../required.ts";
import { defineRoute, jsonBody, onBehalfOf, type Route, type RouteRequest } from "../route.ts";
import { described, object, text, uuid } from "../schema-parts.ts";
import { cookieHeader, dashboardBase, everybody, guarded, onBehalfOfNobody, requireUser, visitorOf } from "./base.ts";
import * as schemas from "./schemas.ts";

const base = { ...dashboardBase, method: "POST", access: "public" } as const;
const maxBytes = 16_384;

export const loginRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "login",
    path: "/v1/dashboard/login",
    summary: "Log in with e-mail address and password",
    description:
      "A wrong password and an unknown, invited, disabled or locked user are answered alike. After 10 failures within 15 minutes a user is locked for 15 minutes.",
    body: jsonBody<{ email: string; password: string; organizationId?: string }>({
      maxBytes,
      schema: object(
        {
          email: schemas.email,
          password: schemas.password,
          organizationId: described(uuid, "Which of the organizations that an earlier answer named."),
        },
        ["email", "password"],
      ),
      example: { email: "ann@example.com", password: "correct horse battery staple" },
    }),
    success: {
      status: 200,
      description: "The session, or what is missing.",
      schema: schemas.loginSchema,
      headers: cookieHeader(false),
    },
    errors: ["LOGIN_FAILED", "CSRF_TOKEN_INVALID", "RATE_LIMIT_EXCEEDED"],
    call: (request, services) => {
      const { email, password, organizationId } = request.body;
      const wanted = { email, password, organizationId, visitor: visitorOf(request) };
      return guarded(request, `login ${email}`, services, () =>
        services.logins.login(wanted, onBehalfOfNobody(request)),
      );
    },
    respond: loginReply,
  }),
  defineRoute({
    ...base,
    operationId: "continueLogin",
    path: "/v1/dashboard/login/code",
    summary: "Finish a login with a code of the second factor",
    description: "Within 5 minutes, with six digits of the authenticator or a recovery code. Each code works once.",
    body: jsonBody<{ pendingToken: string; code: string }>({
      maxBytes,
      schema: object(
        { pendingToken: described(text(1, 100), "That of the login."), code: { ...schemas.code, maxLength: 100 } },
        ["pendingToken", "code"],
      ),
      example: { pendingToken: "A".repeat(43), code: "123456" },
    }),
    success: {
      status: 200,
      description: "The session.",
      schema: schemas.signedInSchema,
      headers: cookieHeader(true),
    },
    errors: ["LOGIN_CODE_INVALID", "LOGIN_EXPIRED", "CSRF_TOKEN_INVALID", "RATE_LIMIT_EXCEEDED"],
    call: (request, services) => {
      const { pendingToken, code } = request.body;
      return guarded(request, "code", services, () =>
        services.logins.continueLogin({ pendingToken, code, visitor: visitorOf(request) }, onBehalfOfNobody(request)),
      );
    },
    respond: ({ signedIn }, request) => signedInReply(signedIn, request),
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
      description: "It has ended.",
      headers: { "Set-Cookie": { description: "Takes the cookie away.", required: true } },
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
    summary: "Read who is logged in",
    description: "With the token that requests have to bring along that change something.",
    access: everybody,
    success: { status: 200, description: "The session.", schema: schemas.signedInSchema },
    errors: [],
    call: (request, { users }) => users.getOwnUser({}, onBehalfOf(request)),
    respond: ({ user }, request) => {
      const { csrfToken, expiresAt } = requireUser(request);
      return jsonReply(200, {
        user: userView(required(user)),
        organizationId: request.caller.orgId,
        scopes: [...request.scopes],
        csrfToken,
        expiresAt: expiresAt.toISOString(),
      });
    },
  }),
];

const nothing = { session: null, pendingToken: null, pendingUntil: null, organizations: [] } as const;

function loginReply({ outcome }: LoginResponse, request: Pick<RouteRequest, "publicUrl">): Reply {
  if (outcome.case === "signedIn") {
    const { session, headers } = signedInParts(outcome.value, request);
    return jsonReply(200, { ...nothing, status: "signed_in", session }, headers);
  }
  if (outcome.case === "secondFactor") {
    const { pendingToken, expiresAt } = outcome.value;
    return jsonReply(200, { ...nothing, status: "code_required", pendingToken, pendingUntil: isoTime(expiresAt) });
  }
  const options = outcome.case === "choice" ? outcome.value.options : [];
  const organizations = options.map(({ organizationId, name }) => ({ id: organizationId, name }));
  return jsonReply(200, { ...nothing, status: "organization_required", organizations });
}

/** The answer to whoever has just logged in. */
export function signedInReply(signedIn: SignedIn | undefined, request: Pick<RouteRequest, "publicUrl">): Reply {
  const { session, headers } = signedInParts(required(signedIn), request);
  return jsonReply(200, session, headers);
}

function signedInParts({ sessionToken, principal }: SignedIn, { publicUrl }: Pick<RouteRequest, "publicUrl">) {
  const { orgId, scopes, user } = principalOf(principal);
  const session = {
    user: userView(required(principal?.user)),
    organizationId: orgId,
    scopes: [...scopes],
    csrfToken: user.csrfToken,
    expiresAt: user.expiresAt.toISOString(),
  };
  return { session, headers: { "Set-Cookie": sessionCookie(sessionToken, user.expiresAt, publicUrl()) } };
}
