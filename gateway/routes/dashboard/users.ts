import type { ChangeOf } from "#api/members.ts";
import { invitation, invited, user } from "#api/users.ts";
import type { InviteUserAgainResponse, InviteUserResponse } from "#gen/assent/auth/v1/users_pb.ts";
import { jsonReply, noContent } from "../../http/reply.ts";
import { requireScope } from "../require-scope.ts";
import { changeBody, createBody, defineRoute, onBehalfOf, type Route, type RouteRequest } from "../route.ts";
import { listOf, required } from "../schema-parts.ts";
import {
  cookieHeader,
  dashboardBase,
  everybody,
  naming,
  newCookieOf,
  owners,
  protecting,
  requireUser,
  visitorOf,
} from "./base.ts";

const base = { ...dashboardBase, access: owners } as const;
const ofUser = { id: "USER_NOT_FOUND" } as const;

export const userRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listUsers",
    method: "GET",
    path: "/v1/dashboard/users",
    summary: "List the users of the organization",
    success: { status: 200, description: "Oldest first.", schema: listOf(user.schemas.answer) },
    errors: [],
    call: (request, { users }) => users.listUsers({}, onBehalfOf(request)),
    respond: ({ users }) =>
      jsonReply(
        200,
        users.map((one) => user.answer(one)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "inviteUser",
    method: "POST",
    path: "/v1/dashboard/users",
    summary: "Invite a user",
    description: "The link works once, within 7 days.",
    body: createBody(invitation, {
      example: { email: "ben@example.com", name: "Ben Example", role: "developer", locale: "en" },
    }),
    success: { status: 201, description: "The invited user.", schema: invited.schemas.answer },
    errors: ["USER_EXISTS"],
    call: (request, { users }) =>
      users.inviteUser({ ...invitation.create(request.body), visitor: visitorOf(request) }, onBehalfOf(request)),
    respond: (answer, request) => jsonReply(201, invitedView(answer, request)),
  }),
  defineRoute({
    ...base,
    operationId: "inviteUserAgain",
    method: "POST",
    path: "/v1/dashboard/users/{id}/invite",
    summary: "Invite a user again",
    description: "For users who haven't accepted yet. Earlier links are void.",
    notFound: ofUser,
    success: { status: 200, description: "The invited user.", schema: invited.schemas.answer },
    errors: ["USER_NOT_INVITED"],
    call: (request, { users }) =>
      naming(
        "USER_NOT_FOUND",
        users.inviteUserAgain({ userId: request.params.id, visitor: visitorOf(request) }, onBehalfOf(request)),
      ),
    respond: (answer, request) => jsonReply(200, invitedView(answer, request)),
  }),
  defineRoute({
    ...base,
    access: everybody,
    operationId: "updateUser",
    method: "PATCH",
    path: "/v1/dashboard/users/{id}",
    summary: "Change a user",
    description:
      "Everyone can change their own name, locale, time zone and notices; everything else needs `dashboard:admin`. Changing the role and disabling end the user's sessions within a second.",
    notFound: ofUser,
    body: changeBody(user, { example: { name: "Ben Example", timeZone: "Europe/Berlin" } }),
    success: {
      status: 200,
      description: "The changed user.",
      schema: user.schemas.answer,
      headers: cookieHeader(false),
    },
    errors: ["LAST_OWNER", "USER_NOT_ACTIVE"],
    call: (request, { users }) => {
      if (!isOfOneself(request)) requireScope(request, ["dashboard:admin"]);
      const { sessionId } = requireUser(request);
      const change = {
        ...user.change(request.body),
        userId: request.params.id,
        sessionId,
        visitor: visitorOf(request),
      };
      return naming("USER_NOT_FOUND", users.updateUser(change, onBehalfOf(request)));
    },
    respond: (answer, request) =>
      jsonReply(200, user.answer(required(answer.user)), newCookieOf(request, answer.newSessionToken)),
  }),
  defineRoute({
    ...base,
    access: protecting(owners),
    operationId: "removeUser",
    method: "DELETE",
    path: "/v1/dashboard/users/{id}",
    summary: "Remove a user",
    description: "Permanently, together with all sessions. The user's actions stay in the audit trail.",
    notFound: ofUser,
    success: { status: 204, description: "The user was removed." },
    errors: ["LAST_OWNER", "LEGAL_HOLD", "HOLDS_CHANGED"],
    call: (request, { users }) =>
      naming(
        "USER_NOT_FOUND",
        users.removeUser({ userId: request.params.id, visitor: visitorOf(request) }, onBehalfOf(request)),
      ),
    respond: () => noContent,
  }),
];

type UpdateRequest = RouteRequest<"{id}", unknown, ChangeOf<typeof user.table>>;

const isOfOneself = (request: UpdateRequest): boolean =>
  request.params.id === requireUser(request).id && request.body.role === undefined && request.body.status === undefined;

/** An installation that does not know its public address answers links without a host. */
function invitedView(
  answer: InviteUserResponse | InviteUserAgainResponse,
  { publicUrl }: Pick<RouteRequest, "publicUrl">,
) {
  const { inviteUrl } = answer;
  const link = inviteUrl.startsWith("/") ? `${publicUrl()}${inviteUrl}` : inviteUrl;
  return invited.answer(answer, { inviteUrl: link === "" ? null : link });
}
