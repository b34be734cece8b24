import { type InviteUserResponse, UserRole, UserStatus } from "#gen/assent/auth/v1/users_pb.ts";
import { orNull, userView } from "../../../views/dashboard/user.ts";
import { enumValue } from "../../../views/scalars.ts";
import { jsonReply, noContent } from "../../http/reply.ts";
import { requireScope } from "../require-scope.ts";
import { required } from "../required.ts";
import { defineRoute, jsonBody, onBehalfOf, type Route, type RouteRequest } from "../route.ts";
import { listOf, orNull as nullable, object, oneOf } from "../schema-parts.ts";
import { cookieHeader, dashboardBase, everybody, naming, newCookieOf, owners, requireUser, visitorOf } from "./base.ts";
import * as schemas from "./schemas.ts";

const base = { ...dashboardBase, access: owners } as const;
const ofUser = { id: "USER_NOT_FOUND" } as const;

interface UserChanges {
  readonly name?: string;
  readonly role?: string;
  readonly status?: string;
  readonly locale?: string | null;
  readonly timeZone?: string | null;
}

export const userRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listUsers",
    method: "GET",
    path: "/v1/dashboard/users",
    summary: "List the users of the organization",
    success: { status: 200, description: "The oldest first.", schema: listOf(schemas.userSchema) },
    errors: [],
    call: (request, { users }) => users.listUsers({}, onBehalfOf(request)),
    respond: ({ users }) => jsonReply(200, users.map(userView)),
  }),
  defineRoute({
    ...base,
    operationId: "inviteUser",
    method: "POST",
    path: "/v1/dashboard/users",
    summary: "Invite a user",
    description: "The link works for 7 days, and once.",
    body: jsonBody<{ email: string; name: string; role: string; locale?: string }>({
      schema: object({ email: schemas.email, name: schemas.personName, role: schemas.role, locale: schemas.locale }, [
        "email",
        "name",
        "role",
      ]),
      example: { email: "ben@example.com", name: "Ben Example", role: "developer", locale: "en" },
    }),
    success: { status: 201, description: "The invited user.", schema: schemas.invitedSchema },
    errors: ["USER_EXISTS"],
    call: (request, { users }) => {
      const { email, name, role, locale } = request.body;
      return users.inviteUser(
        { email, name, role: roleOf(role), locale: locale ?? "", visitor: visitorOf(request) },
        onBehalfOf(request),
      );
    },
    respond: (invited, request) => jsonReply(201, invitedView(invited, request)),
  }),
  defineRoute({
    ...base,
    operationId: "inviteUserAgain",
    method: "POST",
    path: "/v1/dashboard/users/{id}/invite",
    summary: "Invite a user again",
    description: "For those who have not accepted yet. Links from before are void.",
    notFound: ofUser,
    success: { status: 200, description: "The invited user.", schema: schemas.invitedSchema },
    errors: ["USER_NOT_INVITED"],
    call: (request, { users }) =>
      naming(
        "USER_NOT_FOUND",
        users.inviteUserAgain({ userId: request.params.id, visitor: visitorOf(request) }, onBehalfOf(request)),
      ),
    respond: (invited, request) => jsonReply(200, invitedView(invited, request)),
  }),
  defineRoute({
    ...base,
    access: everybody,
    operationId: "updateUser",
    method: "PATCH",
    path: "/v1/dashboard/users/{id}",
    summary: "Change a user",
    description:
      "Everybody may change their own name, locale and time zone; everything else needs `dashboard:admin`. A change of role and disabling end the sessions of the user within a second.",
    notFound: ofUser,
    body: jsonBody<UserChanges>({
      schema: schemas.changes({
        name: schemas.personName,
        role: schemas.role,
        status: oneOf("active", "disabled"),
        locale: nullable(schemas.locale),
        timeZone: nullable(schemas.timeZone),
      }),
      example: { name: "Ben Example", timeZone: "Europe/Berlin" },
    }),
    success: {
      status: 200,
      description: "The changed user.",
      schema: schemas.userSchema,
      headers: cookieHeader(false),
    },
    errors: ["LAST_OWNER", "USER_NOT_ACTIVE"],
    call: (request, { users }) => {
      if (!isOfOneself(request)) requireScope(request, ["dashboard:admin"]);
      return naming("USER_NOT_FOUND", users.updateUser(changeOf(request), onBehalfOf(request)));
    },
    respond: ({ user, newSessionToken }, request) =>
      jsonReply(200, userView(required(user)), newCookieOf(request, newSessionToken)),
  }),
  defineRoute({
    ...base,
    operationId: "removeUser",
    method: "DELETE",
    path: "/v1/dashboard/users/{id}",
    summary: "Remove a user",
    description: "For ever, with all sessions. What the user did stays in the audit events.",
    notFound: ofUser,
    success: { status: 204, description: "There is no such user any more." },
    errors: ["LAST_OWNER"],
    call: (request, { users }) =>
      naming(
        "USER_NOT_FOUND",
        users.removeUser({ userId: request.params.id, visitor: visitorOf(request) }, onBehalfOf(request)),
      ),
    respond: () => noContent,
  }),
];

type UpdateRequest = RouteRequest<"{id}", unknown, UserChanges>;

const isOfOneself = (request: UpdateRequest): boolean =>
  request.params.id === requireUser(request).id && request.body.role === undefined && request.body.status === undefined;

function changeOf(request: UpdateRequest) {
  const { name, role, status, locale, timeZone } = request.body;
  return {
    userId: request.params.id,
    name,
    role: role === undefined ? undefined : roleOf(role),
    status: status === undefined ? undefined : enumValue(UserStatus, status.toUpperCase()),
    // Null takes back what was chosen.
    locale: locale === null ? "" : locale,
    timeZone: timeZone === null ? "" : timeZone,
    sessionId: requireUser(request).sessionId,
    visitor: visitorOf(request),
  };
}

const roleOf = (name: string): UserRole => enumValue(UserRole, name.toUpperCase());

/** A copy that was not told where it is reached answers links that begin with their path. */
const invitedView = (
  { user, inviteUrl }: Pick<InviteUserResponse, "user" | "inviteUrl">,
  { publicUrl }: Pick<RouteRequest, "publicUrl">,
): object => ({
  user: userView(required(user)),
  inviteUrl: orNull(inviteUrl.startsWith("/") ? `${publicUrl()}${inviteUrl}` : inviteUrl),
});
