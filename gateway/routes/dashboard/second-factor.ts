import { passwordProof, recoveryCodes, secondFactor, totpCode, totpSecret } from "#api/users.ts";
import type { ConfirmTotpResponse, ReplaceRecoveryCodesResponse } from "#gen/assent/auth/v1/users_pb.ts";
import { jsonReply } from "../../http/reply.ts";
import { required } from "../required.ts";
import { createBody, defineRoute, onBehalfOf, type Route, type RouteRequest } from "../route.ts";
import { cookieHeader, dashboardBase, doneWithCookie, everybody, newCookieOf, requireUser, visitorOf } from "./base.ts";

const base = { ...dashboardBase, access: everybody } as const;
const maxBytes = 16_384;
const passwordBody = createBody(passwordProof, { maxBytes, example: { password: "correct horse battery staple" } });
const newCodes = {
  status: 200,
  description: "The recovery codes.",
  schema: recoveryCodes.schemas.answer,
  headers: cookieHeader(true),
} as const;

export const secondFactorRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getSecondFactor",
    method: "GET",
    path: "/v1/dashboard/factor",
    summary: "Read whether there is a second factor",
    success: { status: 200, description: "The second factor.", schema: secondFactor.schemas.answer },
    errors: [],
    call: (request, { users }) => users.getOwnUser({}, onBehalfOf(request)),
    respond: ({ user }) => jsonReply(200, secondFactor.answer(required(user))),
  }),
  defineRoute({
    ...base,
    operationId: "beginTotp",
    method: "POST",
    path: "/v1/dashboard/factor/totp",
    summary: "Make the secret of a second factor",
    description: "For an authenticator (RFC 6238). It takes effect once a code of it was confirmed.",
    body: passwordBody,
    success: { status: 200, description: "The secret.", schema: totpSecret.schemas.answer },
    errors: ["PASSWORD_WRONG", "TOTP_ALREADY_ENABLED"],
    call: (request, { users }) =>
      users.beginTotp({ ...passwordProof.create(request.body), visitor: visitorOf(request) }, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, totpSecret.answer(answer)),
  }),
  defineRoute({
    ...base,
    operationId: "confirmTotp",
    method: "POST",
    path: "/v1/dashboard/factor/totp/confirm",
    summary: "Switch the second factor on",
    body: createBody(totpCode, { maxBytes, example: { code: "123456" } }),
    success: newCodes,
    errors: ["TOTP_CODE_INVALID", "TOTP_NOT_BEGUN", "TOTP_ALREADY_ENABLED"],
    call: (request, { users }) =>
      users.confirmTotp({ ...totpCode.create(request.body), ...sessionOf(request) }, onBehalfOf(request)),
    respond: (answer, request) => codesReply(answer, request),
  }),
  defineRoute({
    ...base,
    operationId: "disableTotp",
    method: "DELETE",
    path: "/v1/dashboard/factor/totp",
    summary: "Switch the second factor off",
    description: "Its recovery codes are void.",
    body: passwordBody,
    success: { status: 204, description: "It is off.", headers: cookieHeader(true) },
    errors: ["PASSWORD_WRONG", "TOTP_NOT_ENABLED"],
    call: (request, { users }) =>
      users.disableTotp({ ...passwordProof.create(request.body), ...sessionOf(request) }, onBehalfOf(request)),
    respond: ({ newSessionToken }, request) => doneWithCookie(request, newSessionToken),
  }),
  defineRoute({
    ...base,
    operationId: "replaceRecoveryCodes",
    method: "POST",
    path: "/v1/dashboard/factor/recovery-codes",
    summary: "Replace the recovery codes",
    description: "Those from before are void.",
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
