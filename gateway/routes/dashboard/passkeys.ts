import {
  addedPasskey,
  newPasskey,
  newPasskeyChallenge,
  passkey,
  passkeyBeginning,
  passkeyLogin,
  passkeyProof,
  passkeyRemoval,
  passkeyStep,
} from "#api/passkeys.ts";
import { signedIn } from "#api/users.ts";
import { jsonReply } from "../../http/reply.ts";
import { noPasskeyCookie, passkeyCookie, readPasskeyToken } from "../../oidc/login-cookies.ts";
import { requireOwnOrigin } from "../../sessions/cookie.ts";
import { createBody, defineRoute, onBehalfOf, type Route, type RouteRequest } from "../route.ts";
import { listOf, required } from "../schema-parts.ts";
import {
  cookieHeader,
  dashboardBase,
  doneWithCookie,
  everybody,
  guarded,
  naming,
  newCookieOf,
  onBehalfOfNobody,
  requireUser,
  visitorOf,
} from "./base.ts";
import { signedInReply } from "./login.ts";

const maxBytes = 65_536;
const publicBase = { ...dashboardBase, method: "POST", access: "public" } as const;
const sample = {
  id: "0DNH8e4uB1bWkJxFk2Cg1w",
  clientDataJson: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
  authenticatorData: "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAA",
  signature: "MEUCIQDKg6UtYB3lM8w0pJ2mB2V9i1nqJrGYqNS9",
} as const;
const session = {
  status: 200,
  description: "The session.",
  schema: signedIn.schemas.answer,
  headers: cookieHeader(true),
} as const;

export const passkeyLoginRoutes: readonly Route[] = [
  defineRoute({
    ...publicBase,
    operationId: "beginPasskeyLogin",
    path: "/v1/dashboard/login/passkey/challenge",
    summary: "Start signing in with a passkey",
    description: "For browsers: the challenge is accepted once, within 5 minutes, from the same browser.",
    success: {
      status: 200,
      description: "What the browser asks its authenticators for.",
      schema: passkeyLogin.schemas.answer,
      headers: { "Set-Cookie": { description: "What binds the sign-in to this browser.", required: true } },
    },
    errors: ["PASSKEY_REFUSED", "CSRF_TOKEN_INVALID"],
    call: async (request, { passkeys }) => {
      requireOwnOrigin({ headers: request.headers, publicUrl: request.publicUrl() });
      return passkeys.beginPasskeyLogin({ origin: request.publicUrl() }, onBehalfOfNobody(request));
    },
    respond: (answer, { publicUrl }) =>
      jsonReply(200, passkeyLogin.answer(answer), { "Set-Cookie": passkeyCookie(answer.browserToken, publicUrl()) }),
  }),
  defineRoute({
    ...publicBase,
    operationId: "loginWithPasskey",
    path: "/v1/dashboard/login/passkey",
    summary: "Sign in with a passkey",
    description:
      "The passkey replaces password and two-factor code, so its authenticator must have verified the user. An unknown passkey and a wrong signature get the same response.",
    body: createBody(passkeyProof, {
      maxBytes,
      example: { ...sample, userHandle: "AZYSNFZ4erye3wEjRWeJqwGWEjRWeHq8ne8BI0VniasA" },
    }),
    success: session,
    errors: ["PASSKEY_REFUSED", "LOGIN_EXPIRED", "CSRF_TOKEN_INVALID", "RATE_LIMIT_EXCEEDED"],
    call: (request, services) => {
      const browserToken = readPasskeyToken(request.headers.cookie, request.publicUrl());
      const proof = { ...passkeyProof.create(request.body), browserToken, ...whereOf(request) };
      return guarded(request, "passkey", services, () =>
        services.passkeys.loginWithPasskey(proof, onBehalfOfNobody(request)),
      );
    },
    respond: ({ signedIn: answer }, request) => {
      const reply = signedInReply(answer, request);
      const cookies = [reply.headers?.["Set-Cookie"], noPasskeyCookie(request.publicUrl())].flat();
      return { ...reply, headers: { "Set-Cookie": cookies.filter((cookie) => cookie !== undefined) } };
    },
  }),
  defineRoute({
    ...publicBase,
    operationId: "continueLoginWithPasskey",
    path: "/v1/dashboard/login/code/passkey",
    summary: "Finish signing in with a passkey after the password",
    description: "Within 5 minutes, with what the login has answered as passkey. Failures count like wrong codes.",
    body: createBody(passkeyStep, { maxBytes, example: { pendingToken: "A".repeat(43), ...sample } }),
    success: session,
    errors: ["PASSKEY_REFUSED", "LOGIN_EXPIRED", "CSRF_TOKEN_INVALID", "RATE_LIMIT_EXCEEDED"],
    call: (request, services) => {
      const step = { ...passkeyStep.create(request.body), ...whereOf(request) };
      return guarded(request, "code", services, () =>
        services.passkeys.continueLoginWithPasskey(step, onBehalfOfNobody(request)),
      );
    },
    respond: (answer, request) => signedInReply(answer.signedIn, request),
  }),
];

const base = { ...dashboardBase, access: everybody } as const;

export const passkeyRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listPasskeys",
    method: "GET",
    path: "/v1/dashboard/passkeys",
    summary: "List your passkeys",
    success: { status: 200, description: "Oldest first.", schema: listOf(passkey.schemas.answer) },
    errors: [],
    call: (request, { passkeys }) => passkeys.listPasskeys({}, onBehalfOf(request)),
    respond: ({ passkeys }) =>
      jsonReply(
        200,
        passkeys.map((each) => passkey.answer(each)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "beginPasskey",
    method: "POST",
    path: "/v1/dashboard/passkeys/challenge",
    summary: "Start adding a passkey",
    description: "The challenge is accepted once, within 5 minutes, from the same session.",
    body: createBody(passkeyBeginning, { maxBytes, example: { password: "correct horse battery staple" } }),
    success: {
      status: 200,
      description: "What the browser makes the passkey with.",
      schema: newPasskeyChallenge.schemas.answer,
    },
    errors: ["PASSWORD_WRONG", "PASSKEY_NOT_ADDED"],
    call: (request, { passkeys }) => {
      const { sessionId } = requireUser(request);
      const wanted = { ...passkeyBeginning.create(request.body), sessionId, ...whereOf(request) };
      return passkeys.beginPasskey(wanted, onBehalfOf(request));
    },
    respond: (answer) => jsonReply(200, newPasskeyChallenge.answer(answer)),
  }),
  defineRoute({
    ...base,
    operationId: "addPasskey",
    method: "POST",
    path: "/v1/dashboard/passkeys",
    summary: "Add a passkey",
    description:
      "It signs in by itself, or completes a sign-in after the password: from now on the password alone isn't enough. You can have 20.",
    body: createBody(newPasskey, {
      maxBytes,
      example: {
        ...{ name: "Work laptop", id: sample.id, clientDataJson: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0" },
        ...{ attestationObject: "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YViU", transports: ["hybrid"] },
      },
    }),
    success: {
      status: 201,
      description: "The passkey.",
      schema: addedPasskey.schemas.answer,
      headers: cookieHeader(true),
    },
    errors: ["PASSKEY_NOT_ADDED", "PASSKEY_EXISTS"],
    call: (request, { passkeys }) => {
      const { sessionId } = requireUser(request);
      const made = { ...newPasskey.create(request.body), sessionId, ...whereOf(request) };
      return passkeys.addPasskey(made, onBehalfOf(request));
    },
    respond: (answer, request) =>
      jsonReply(201, addedPasskey.answer(answer), newCookieOf(request, answer.newSessionToken)),
  }),
  defineRoute({
    ...base,
    operationId: "renamePasskey",
    method: "PUT",
    path: "/v1/dashboard/passkeys/{id}",
    summary: "Rename a passkey",
    notFound: { id: "PASSKEY_NOT_FOUND" },
    body: createBody(passkey, { maxBytes, example: { name: "Work laptop" } }),
    success: { status: 200, description: "The passkey.", schema: passkey.schemas.answer },
    errors: [],
    call: (request, { passkeys }) => {
      const wanted = { ...passkey.create(request.body), passkeyId: request.params.id };
      return naming("PASSKEY_NOT_FOUND", passkeys.renamePasskey(wanted, onBehalfOf(request)));
    },
    respond: (answer) => jsonReply(200, passkey.answer(required(answer.passkey))),
  }),
  defineRoute({
    ...base,
    operationId: "removePasskey",
    method: "DELETE",
    path: "/v1/dashboard/passkeys/{id}",
    summary: "Remove a passkey",
    description: "If it was the last one and there is no authenticator app, the recovery codes are void.",
    notFound: { id: "PASSKEY_NOT_FOUND" },
    body: createBody(passkeyRemoval, { maxBytes, example: { password: "correct horse battery staple" } }),
    success: { status: 204, description: "The passkey was removed.", headers: cookieHeader(true) },
    errors: ["PASSWORD_WRONG"],
    call: (request, { passkeys }) => {
      const { sessionId } = requireUser(request);
      const named = { passkeyId: request.params.id, sessionId, visitor: visitorOf(request) };
      const wanted = { ...passkeyRemoval.create(request.body), ...named };
      return naming("PASSKEY_NOT_FOUND", passkeys.removePasskey(wanted, onBehalfOf(request)));
    },
    respond: ({ newSessionToken }, request) => doneWithCookie(request, newSessionToken),
  }),
];

const whereOf = (request: Pick<RouteRequest, "observed" | "publicUrl">) => ({
  origin: request.publicUrl(),
  visitor: visitorOf(request),
});
