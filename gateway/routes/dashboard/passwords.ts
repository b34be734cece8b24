import { noContent } from "../../http/reply.ts";
import { defineRoute, jsonBody, onBehalfOf, type Route } from "../route.ts";
import { described, object } from "../schema-parts.ts";
import {
  cookieHeader,
  dashboardBase,
  doneWithCookie,
  everybody,
  guarded,
  onBehalfOfNobody,
  rationed,
  requireUser,
  visitorOf,
} from "./base.ts";
import { signedInReply } from "./login.ts";
import * as schemas from "./schemas.ts";

const base = { ...dashboardBase, method: "POST" } as const;
const maxBytes = 16_384;
const sampleToken = "A".repeat(43);
const samplePassword = "correct horse battery staple";

interface Accepted {
  readonly token: string;
  readonly password: string;
  readonly name?: string;
  readonly locale?: string;
  readonly timeZone?: string;
}

export const passwordRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "requestPasswordReset",
    path: "/v1/dashboard/password/forgot",
    summary: "Ask for a link to set a new password",
    description: "Mailed to every active user with this address. Whether there is one is not told.",
    access: "public",
    body: jsonBody<{ email: string }>({
      maxBytes,
      schema: object({ email: schemas.email }, ["email"]),
      example: { email: "ann@example.com" },
    }),
    success: { status: 204, description: "If there is such a user, the mail is on its way." },
    errors: ["CSRF_TOKEN_INVALID", "RATE_LIMIT_EXCEEDED"],
    call: (request, services) => {
      const { email } = request.body;
      return rationed(request, `forgot ${email}`, services, () =>
        services.logins.requestPasswordReset({ email, visitor: visitorOf(request) }, onBehalfOfNobody(request)),
      );
    },
    respond: () => noContent,
  }),
  defineRoute({
    ...base,
    operationId: "resetPassword",
    path: "/v1/dashboard/password/reset",
    summary: "Set a new password with the link that was mailed",
    description: "Ends all sessions of the user and logs nobody in.",
    access: "public",
    body: jsonBody<{ token: string; password: string }>({
      maxBytes,
      schema: object({ token: schemas.linkToken, password: schemas.newPassword }, ["token", "password"]),
      example: { token: sampleToken, password: samplePassword },
    }),
    success: { status: 204, description: "The password is set." },
    errors: ["LINK_INVALID", "CSRF_TOKEN_INVALID", "RATE_LIMIT_EXCEEDED"],
    call: (request, services) => {
      const { token, password } = request.body;
      return guarded(request, "link", services, () =>
        services.logins.resetPassword({ token, password, visitor: visitorOf(request) }, onBehalfOfNobody(request)),
      );
    },
    respond: () => noContent,
  }),
  defineRoute({
    ...base,
    operationId: "acceptInvitation",
    path: "/v1/dashboard/invitations/accept",
    summary: "Accept an invitation",
    description: "Sets the password of the invited user, who is logged in by it.",
    access: "public",
    body: jsonBody<Accepted>({
      maxBytes,
      schema: object(
        {
          token: schemas.linkToken,
          password: schemas.newPassword,
          name: described(schemas.personName, "Takes the place of what the inviting person wrote."),
          locale: described(schemas.locale, "Taken when neither the invitation nor the organization has one."),
          timeZone: described(schemas.timeZone, "Taken when the organization has none."),
        },
        ["token", "password"],
      ),
      example: { token: sampleToken, password: samplePassword, locale: "en", timeZone: "Europe/Berlin" },
    }),
    success: {
      status: 200,
      description: "The session.",
      schema: schemas.signedInSchema,
      headers: cookieHeader(true),
    },
    errors: ["LINK_INVALID", "CSRF_TOKEN_INVALID", "RATE_LIMIT_EXCEEDED"],
    call: (request, services) => {
      const { token, password, name, locale, timeZone } = request.body;
      const wanted = { token, password, name, locale, timeZone, visitor: visitorOf(request) };
      return guarded(request, "link", services, () =>
        services.logins.acceptInvitation(wanted, onBehalfOfNobody(request)),
      );
    },
    respond: ({ signedIn }, request) => signedInReply(signedIn, request),
  }),
  defineRoute({
    ...base,
    operationId: "changePassword",
    path: "/v1/dashboard/password/change",
    summary: "Change one's own password",
    description: "Ends every other session of the user; this one gets a new cookie.",
    access: everybody,
    body: jsonBody<{ currentPassword: string; newPassword: string }>({
      maxBytes,
      schema: object({ currentPassword: schemas.password, newPassword: schemas.newPassword }, [
        "currentPassword",
        "newPassword",
      ]),
      example: { currentPassword: samplePassword, newPassword: "a staple of horses and batteries" },
    }),
    success: { status: 204, description: "The password is changed.", headers: cookieHeader(true) },
    errors: ["PASSWORD_WRONG"],
    call: (request, { users }) => {
      const { currentPassword, newPassword } = request.body;
      const { sessionId } = requireUser(request);
      return users.changePassword(
        { currentPassword, newPassword, sessionId, visitor: visitorOf(request) },
        onBehalfOf(request),
      );
    },
    respond: ({ newSessionToken }, request) => doneWithCookie(request, newSessionToken),
  }),
];
