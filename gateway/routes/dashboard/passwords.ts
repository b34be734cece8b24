import {
  acceptance,
  forgottenPassword,
  passwordChange,
  passwordProof,
  passwordReset,
  recoveryCodes,
  secondFactor,
  signedIn,
  totpCode,
  totpSecret,
} from "#api/users.ts";
import type { ConfirmTotpResponse, ReplaceRecoveryCodesResponse } from "#gen/assent/auth/v1/users_pb.ts";
import { jsonReply, noContent } from "../../http/reply.ts";
import { createBody, defineRoute, onBehalfOf, type Route, type RouteRequest } from "../route.ts";
import { required } from "../schema-parts.ts";
import {
  cookieHeader,
  dashboardBase,
  doneWithCookie,
  everybody,
  guarded,
  newCookieOf,
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
    description: "Emailed to every active user with this address. The response doesn't say whether there is one.",
    access: "public",
    body: createBody(forgottenPassword, { maxBytes, example: { email: "ann@example.com" } }),
    success: { status: 204, description: "If there is such a user, the email is on its way." },
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
    description: "Ends all sessions of the user. It doesn't sign anyone in.",
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
    description: "Sets the password of the invited user and signs them in.",
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
    summary: "Change your password",
    description: "Ends your other sessions; this one gets a new cookie.",
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

const factorBase = { ...dashboardBase, access: everybody } as const;
const passwordBody = createBody(passwordProof, { maxBytes, example: { password: "correct horse battery staple" } });
const newCodes = {
  status: 200,
  description: "The recovery codes.",
  schema: recoveryCodes.schemas.answer,
  headers: cookieHeader(true),
} as const;

export const secondFactorRoutes: readonly Route[] = [
  defineRoute({
    ...factorBase,
    operationId: "getSecondFactor",
    method: "GET",
    path: "/v1/dashboard/factor",
    summary: "Read whether two-factor authentication is on",
    success: { status: 200, description: "Whether it is on.", schema: secondFactor.schemas.answer },
    errors: [],
    call: (request, { users }) => users.getOwnUser({}, onBehalfOf(request)),
    respond: ({ user }) => jsonReply(200, secondFactor.answer(required(user))),
  }),
  defineRoute({
    ...factorBase,
    operationId: "beginTotp",
    method: "POST",
    path: "/v1/dashboard/factor/totp",
    summary: "Start setting up two-factor authentication",
    description: "For an authenticator app (RFC 6238). It takes effect once you confirm a code.",
    body: passwordBody,
    success: { status: 200, description: "The secret.", schema: totpSecret.schemas.answer },
    errors: ["PASSWORD_WRONG", "TOTP_ALREADY_ENABLED"],
    call: (request, { users }) =>
      users.beginTotp({ ...passwordProof.create(request.body), visitor: visitorOf(request) }, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, totpSecret.answer(answer)),
  }),
  defineRoute({
    ...factorBase,
    operationId: "confirmTotp",
    method: "POST",
    path: "/v1/dashboard/factor/totp/confirm",
    summary: "Turn on two-factor authentication",
    body: createBody(totpCode, { maxBytes, example: { code: "123456" } }),
    success: newCodes,
    errors: ["TOTP_CODE_INVALID", "TOTP_NOT_BEGUN", "TOTP_ALREADY_ENABLED"],
    call: (request, { users }) =>
      users.confirmTotp({ ...totpCode.create(request.body), ...sessionOf(request) }, onBehalfOf(request)),
    respond: (answer, request) => codesReply(answer, request),
  }),
  defineRoute({
    ...factorBase,
    operationId: "disableTotp",
    method: "DELETE",
    path: "/v1/dashboard/factor/totp",
    summary: "Turn off two-factor authentication",
    description: "The recovery codes are void.",
    body: passwordBody,
    success: { status: 204, description: "It is off.", headers: cookieHeader(true) },
    errors: ["PASSWORD_WRONG", "TOTP_NOT_ENABLED"],
    call: (request, { users }) =>
      users.disableTotp({ ...passwordProof.create(request.body), ...sessionOf(request) }, onBehalfOf(request)),
    respond: ({ newSessionToken }, request) => doneWithCookie(request, newSessionToken),
  }),
  defineRoute({
    ...factorBase,
    operationId: "replaceRecoveryCodes",
    method: "POST",
    path: "/v1/dashboard/factor/recovery-codes",
    summary: "Replace the recovery codes",
    description: "The previous ones are void.",
    body: passwordBody,
    success: newCodes,
    errors: ["PASSWORD_WRONG", "TOTP_NOT_ENABLED"],
    call: (request, { users }) =>
      users.replaceRecoveryCodes({ ...passwordProof.create(request.body), ...sessionOf(request) }, onBehalfOf(request)),
    respond: (answer, request) => codesReply(answer, request),
  }),
];

const sessionOf = (request: Pick<RouteRequest, "user" | "observed">) => ({
  sessionId: requireUser(request).sessionId,
  visitor: visitorOf(request),
});

const codesReply = (
  codes: ConfirmTotpResponse | ReplaceRecoveryCodesResponse,
  request: Pick<RouteRequest, "user" | "publicUrl">,
) => jsonReply(200, recoveryCodes.answer(codes), newCookieOf(request, codes.newSessionToken));
