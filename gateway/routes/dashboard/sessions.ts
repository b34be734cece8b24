import { revokedSessions, userSession } from "#api/users.ts";
import { jsonReply, noContent } from "../../http/reply.ts";
import { defineRoute, onBehalfOf, type Route } from "../route.ts";
import { listOf } from "../schema-parts.ts";
import { dashboardBase, everybody, naming, requireUser, visitorOf } from "./base.ts";

const base = { ...dashboardBase, access: everybody } as const;

export const userSessionRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listUserSessions",
    method: "GET",
    path: "/v1/dashboard/sessions",
    summary: "List one's own sessions",
    success: { status: 200, description: "The last used first.", schema: listOf(userSession.schemas.answer) },
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
    ...base,
    operationId: "revokeOtherSessions",
    method: "DELETE",
    path: "/v1/dashboard/sessions",
    summary: "End every other session of one's own",
    success: { status: 200, description: "How many have ended.", schema: revokedSessions.schemas.answer },
    errors: [],
    call: (request, { users }) =>
      users.revokeOtherSessions(
        { sessionId: requireUser(request).sessionId, visitor: visitorOf(request) },
        onBehalfOf(request),
      ),
    respond: (answer) => jsonReply(200, revokedSessions.answer(answer)),
  }),
  defineRoute({
    ...base,
    operationId: "revokeUserSession",
    method: "DELETE",
    path: "/v1/dashboard/sessions/{id}",
    summary: "End one of one's own sessions",
    notFound: { id: "USER_SESSION_NOT_FOUND" },
    success: { status: 204, description: "It has ended." },
    errors: [],
    call: (request, { users }) =>
      naming(
        "USER_SESSION_NOT_FOUND",
        users.revokeSession({ sessionId: request.params.id, visitor: visitorOf(request) }, onBehalfOf(request)),
      ),
    respond: () => noContent,
  }),
];
