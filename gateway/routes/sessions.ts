import { hash } from "node:crypto";
import {
  appendedEvents,
  completed,
  completedSessionSchema,
  completion,
  newEvents,
  session,
  sessionAnswer,
} from "#api/sessions.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { replayedHeader } from "./acceptances.ts";
import { createBody, defineRoute, onBehalfOf, type Route } from "./route.ts";
import { replayedHeaderDescription, required } from "./schema-parts.ts";

const base = { tag: "Sessions", dialect: clickDialect } as const;

export const sessionRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "createSession",
    method: "POST",
    path: "/v1/click/sessions",
    summary: "Create an acceptance session",
    description:
      "Pins the published text, so that users accept what they were shown even if a new revision is published.",
    access: { scopes: ["click:write"], limitGroup: "other" },
    body: createBody(session, {
      example: { templateSlug: "terms-of-service", userRef: "user-42", locale: "en" },
    }),
    success: { status: 201, description: "The created session.", schema: session.schemas.answer },
    errors: [
      "CLICK_TEMPLATE_NOT_FOUND",
      "CLICK_VERSION_NOT_FOUND",
      "CLICK_DEPLOYMENT_NOT_FOUND",
      "CLICK_DATA_INVALID",
      "CLICK_PURPOSE_UNKNOWN",
      "CLICK_VERSION_NOT_PUBLISHED",
      "CLICK_TEMPLATE_ARCHIVED",
    ],
    call: (request, { click }) => click.createSession(session.create(request.body), onBehalfOf(request)),
    respond: (answer, { publicUrl }) => jsonReply(201, sessionAnswer(required(answer.session), publicUrl())),
  }),
  defineRoute({
    ...base,
    operationId: "getSession",
    method: "GET",
    path: "/v1/click/sessions/{id}",
    summary: "Read a session",
    description: "Also works after the session has ended.",
    access: { scopes: ["click:read"], limitGroup: "other" },
    besideLimit: true,
    notFound: { id: "CLICK_SESSION_NOT_FOUND" },
    success: { status: 200, description: "The session.", schema: session.schemas.answer },
    errors: [],
    call: (request, { click }) => click.getSession({ sessionId: request.params.id }, onBehalfOf(request)),
    respond: (answer, { publicUrl }) => jsonReply(200, sessionAnswer(required(answer.session), publicUrl())),
  }),
  defineRoute({
    ...base,
    operationId: "completeSession",
    method: "POST",
    path: "/v1/click/sessions/{id}/complete",
    summary: "Complete a session",
    description:
      "With an acceptance, or with the outcome ACCEPTED, the acceptance is recorded first. An empty body closes the session and invents none. Repeating it answers the same.\n\nWith an `X-Idempotency-Key` the acceptance is recorded exactly once per key, forever, as `accept` records it: the same key with the same body answers the receipt that is already recorded, and with another body, or of another operation, it is 422 `CLICK_IDEMPOTENCY_KEY_REUSED`. Keys are those of `accept`. Where nothing is to be recorded a key means nothing.\n\nWithout a key the acceptance is recorded under one of the session's own, `session:{id}`: repeating the same acceptance answers its receipt and another one is refused, but a session that was accepted before under another key is completed with the acceptance that it has, and the one in this body is not recorded.",
    access: { scopes: ["click:write"], limitGroup: "other" },
    idempotencyKey: "optional",
    notFound: { id: "CLICK_SESSION_NOT_FOUND" },
    body: createBody(completion, { required: false, example: { outcome: "ACCEPTED" } }),
    success: {
      status: 200,
      description: "The session and its receipts.",
      schema: completedSessionSchema,
      headers: replayedHeaderDescription,
    },
    errors: [
      "CLICK_IDEMPOTENCY_KEY_INVALID",
      "CLICK_TEMPLATE_NOT_FOUND",
      "CLICK_VERSION_NOT_FOUND",
      "CLICK_VERSION_NOT_PUBLISHED",
      "CLICK_TEMPLATE_ARCHIVED",
      "CLICK_IDEMPOTENCY_KEY_REUSED",
      "CLICK_SESSION_EXPIRED",
      "CLICK_SESSION_CLOSED",
      "CLICK_VERSION_SUPERSEDED",
      "CLICK_ALREADY_ACCEPTED",
      "CLICK_USER_REF_MISMATCH",
      "CLICK_POLICY_NOT_SATISFIED",
      "CLICK_VERIFICATION_REQUIRED",
      "CLICK_RENDER_TOKEN_INVALID",
      "CLICK_DATA_INVALID",
    ],
    call: (request, { click }) => {
      const { body, params, observed, idempotencyKey } = request;
      const asked = { ...completion.create(body), sessionId: params.id, observed, idempotencyKey };
      const requestHash = idempotencyKey === "" ? undefined : hash("sha256", canonicalJson(body), "buffer");
      return click.completeSession({ ...asked, ...(requestHash && { requestHash }) }, onBehalfOf(request));
    },
    respond: (answer, { publicUrl }) => {
      const body = { ...sessionAnswer(required(answer.session), publicUrl()), ...completed.answer(answer) };
      return jsonReply(200, body, answer.replayed ? replayedHeader : {});
    },
  }),
  defineRoute({
    ...base,
    operationId: "cancelSession",
    method: "DELETE",
    path: "/v1/click/sessions/{id}",
    summary: "Cancel a session",
    description:
      "Ends an open session without a decision. You can still read it. Repeating the request changes nothing.",
    access: { scopes: ["click:write"], limitGroup: "other" },
    notFound: { id: "CLICK_SESSION_NOT_FOUND" },
    success: { status: 200, description: "The canceled session.", schema: session.schemas.answer },
    errors: ["CLICK_SESSION_EXPIRED", "CLICK_SESSION_CLOSED"],
    call: (request, { click }) => click.cancelSession({ sessionId: request.params.id }, onBehalfOf(request)),
    respond: (answer, { publicUrl }) => jsonReply(200, sessionAnswer(required(answer.session), publicUrl())),
  }),
  defineRoute({
    ...base,
    operationId: "appendSessionEvents",
    method: "POST",
    path: "/v1/click/sessions/{id}/events",
    summary: "Add what the page observed to a session",
    description: "The events become part of the evidence, with the server's time added to each.",
    access: { scopes: ["click:write"], limitGroup: "other" },
    notFound: { id: "CLICK_SESSION_NOT_FOUND" },
    body: createBody(newEvents, {
      example: { events: [{ type: "SCROLLED_TO_END", at: "2026-11-20T17:00:00.123Z" }] },
    }),
    success: { status: 200, description: "The events as they were recorded.", schema: appendedEvents.schemas.answer },
    errors: ["CLICK_SESSION_EXPIRED", "CLICK_SESSION_CLOSED"],
    call: (request, { click }) =>
      click.appendSessionEvents(
        { ...newEvents.create(request.body), sessionId: request.params.id },
        onBehalfOf(request),
      ),
    respond: (answer) => jsonReply(200, appendedEvents.answer(answer)),
  }),
];
