import { acceptance, forgottenPassword, passwordChange, passwordReset, signedIn } from "#api/users.ts";
import { noContent } from "../../http/reply.ts";
import { createBody, defineRoute, onBehalfOf, type Route } from "../route.ts";
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

const base = { ...dashboardBase, method: "POST" } as const;
const maxBytes = 16_384;
const sampleToken = "A".repeat(43);
const samplePassword = "correct horse battery staple";

export const passwordRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "requestPasswordReset",
    path: "/v1/dashboard/password/forgot",
    summary: "Ask for a link to set a new password",
    description: "Mailed to every active user with this address. Whether there is one is not told.",
    access: "public",
    body: createBody(forgottenPassword, { maxBytes, example: { email: "ann@example.com" } }),
    success: { status: 204, description: "If there is such a user, the mail is on its way." },
    errors: ["CSRF_TOKEN_INVALID", "RATE_LIMIT_EXCEEDED"],
    call: (request, services) => {
      const wanted = { ...forgottenPassword.create(request.body), visitor: visitorOf(request) };
      return rationed(request, `forgot ${request.body.email}`, services, () =>
        services.logins.requestPasswordReset(wanted, onBehalfOfNobody(request)),
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
    body: createBody(passwordReset, { maxBytes, example: { token: sampleToken, password: samplePassword } }),
    success: { status: 204, description: "The password is set." },
    errors: ["LINK_INVALID", "CSRF_TOKEN_INVALID", "RATE_LIMIT_EXCEEDED"],
    call: (request, services) => {
      const wanted = { ...passwordReset.create(request.body), visitor: visitorOf(request) };
      return guarded(request, "link", services, () => services.logins.resetPassword(wanted, onBehalfOfNobody(request)));
    },
    respond: () => noContent,
  }),
  defineRoute({
    ...base,
    operationId: "acceptInvitation",
    path: "/v1/dashboard/invitations/accept",
    summary: "Accept an invitation",
    description: "Sets the password of the invited user, who is signed in by it.",
    access: "public",
    body: createBody(acceptance, {
      maxBytes,
      example: { token: sampleToken, password: samplePassword, locale: "en", timeZone: "Europe/Berlin" },
    }),
    success: {
      status: 200,
      description: "The session.",
      schema: signedIn.schemas.answer,
      headers: cookieHeader(true),
    },
    errors: ["LINK_INVALID", "CSRF_TOKEN_INVALID", "RATE_LIMIT_EXCEEDED"],
    call: (request, services) => {
      const wanted = { ...acceptance.create(request.body), visitor: visitorOf(request) };
      return guarded(request, "link", services, () =>
        services.logins.acceptInvitation(wanted, onBehalfOfNobody(request)),
      );
    },
    respond: (answer, request) => signedInReply(answer.signedIn, request),
  }),
  defineRoute({
    ...base,
    operationId: "changePassword",
    path: "/v1/dashboard/password/change",
    summary: "Change one's own password",
    description: "Ends every other session of the user; this one gets a new cookie.",
    access: everybody,
    body: createBody(passwordChange, {
      maxBytes,
      example: { currentPassword: samplePassword, newPassword: "a staple of horses and batteries" },
    }),
    success: { status: 204, description: "The password is changed.", headers: cookieHeader(true) },
    errors: ["PASSWORD_WRONG"],
    call: (request, { users }) => {
      const { sessionId } = requireUser(request);
      const wanted = { ...passwordChange.create(request.body), sessionId, visitor: visitorOf(request) };
      return users.changePassword(wanted, onBehalfOf(request));
    },
    respond: ({ newSessionToken }, request) => doneWithCookie(request, newSessionToken),
  }),
];
