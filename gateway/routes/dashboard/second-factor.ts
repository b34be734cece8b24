import { jsonReply } from "../../http/reply.ts";
import { required } from "../required.ts";
import { defineRoute, jsonBody, onBehalfOf, type Route, type RouteRequest } from "../route.ts";
import { object } from "../schema-parts.ts";
import { cookieHeader, dashboardBase, doneWithCookie, everybody, newCookieOf, requireUser, visitorOf } from "./base.ts";
import * as schemas from "./schemas.ts";

const base = { ...dashboardBase, access: everybody } as const;
const passwordBody = jsonBody<{ password: string }>({
  maxBytes: 16_384,
  schema: object({ password: schemas.password }, ["password"]),
  example: { password: "correct horse battery staple" },
});
const newCodes = {
  status: 200,
  description: "The recovery codes.",
  schema: schemas.recoveryCodesSchema,
  headers: cookieHeader(true),
} as const;

export const secondFactorRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getSecondFactor",
    method: "GET",
    path: "/v1/dashboard/factor",
    summary: "Read whether there is a second factor",
    success: { status: 200, description: "The second factor.", schema: schemas.secondFactorSchema },
    errors: [],
    call: (request, { users }) => users.getOwnUser({}, onBehalfOf(request)),
    respond: ({ user }) => {
      const { totpEnabled, recoveryCodesLeft } = required(user);
      return jsonReply(200, { totpEnabled, recoveryCodesLeft });
    },
  }),
  defineRoute({
    ...base,
    operationId: "beginTotp",
    method: "POST",
    path: "/v1/dashboard/factor/totp",
    summary: "Make the secret of a second factor",
    description: "For an authenticator (RFC 6238). It takes effect once a code of it was confirmed.",
    body: passwordBody,
    success: { status: 200, description: "The secret.", schema: schemas.totpSecretSchema },
    errors: ["PASSWORD_WRONG", "TOTP_ALREADY_ENABLED"],
    call: (request, { users }) =>
      users.beginTotp({ password: request.body.password, visitor: visitorOf(request) }, onBehalfOf(request)),
    respond: ({ secret, uri }) => jsonReply(200, { secret, uri }),
  }),
  defineRoute({
    ...base,
    operationId: "confirmTotp",
    method: "POST",
    path: "/v1/dashboard/factor/totp/confirm",
    summary: "Switch the second factor on",
    body: jsonBody<{ code: string }>({
      maxBytes: 16_384,
      schema: object({ code: schemas.code }, ["code"]),
      example: { code: "123456" },
    }),
    success: newCodes,
    errors: ["TOTP_CODE_INVALID", "TOTP_NOT_BEGUN", "TOTP_ALREADY_ENABLED"],
    call: (request, { users }) =>
      users.confirmTotp({ code: request.body.code, ...sessionOf(request) }, onBehalfOf(request)),
    respond: codesReply,
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
      users.disableTotp({ password: request.body.password, ...sessionOf(request) }, onBehalfOf(request)),
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
      users.replaceRecoveryCodes({ password: request.body.password, ...sessionOf(request) }, onBehalfOf(request)),
    respond: codesReply,
  }),
];

const sessionOf = (request: Pick<RouteRequest, "user" | "observed">) => ({
  sessionId: requireUser(request).sessionId,
  visitor: visitorOf(request),
});

interface NewCodes {
  readonly recoveryCodes: readonly string[];
  readonly newSessionToken: string;
}

function codesReply({ recoveryCodes, newSessionToken }: NewCodes, request: Pick<RouteRequest, "user" | "publicUrl">) {
  return jsonReply(200, { recoveryCodes }, newCookieOf(request, newSessionToken));
}
