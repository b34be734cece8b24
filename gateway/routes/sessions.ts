import { hash } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type CreateSessionRequestSchema,
  type EndUserContextSchema,
  SessionOutcome,
  SessionStatus,
} from "#gen/assent/click/v1/click_pb.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { enumName, enumValue, isoTime, timestampOf } from "../../views/scalars.ts";
import { sessionView } from "../../views/session.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { replayedHeader } from "./acceptances.ts";
import { receiptSchema } from "./receipt-schemas.ts";
import { required } from "./required.ts";
import { defineRoute, jsonBody, onBehalfOf, type Route } from "./route.ts";
import { replayedHeaderDescription } from "./schema-parts.ts";
import {
  type AppendEventsBody,
  appendEventsSchema,
  appendedEventsSchema,
  type CompleteSessionBody,
  type CreateSessionBody,
  completedSessionSchema,
  completeSessionSchema,
  createSessionSchema,
  type EndUserContextBody,
  sessionSchema,
} from "./session-schemas.ts";

const base = { tag: "Sessions", dialect: clickDialect } as const;
const encoder = new TextEncoder();

export const sessionRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "createSession",
    method: "POST",
    path: "/v1/click/sessions",
    summary: "Create an acceptance session",
    description: "Pins the published text, so that what is shown is what is accepted even if a new revision comes.",
    access: { scopes: ["click:write"], limitGroup: "other" },
    body: jsonBody<CreateSessionBody>({
      schema: createSessionSchema,
      example: { templateSlug: "terms-of-service", userRef: "user-42", locale: "en" },
    }),
    success: { status: 201, description: "The created session.", schema: sessionSchema },
    errors: [
      "CLICK_TEMPLATE_NOT_FOUND",
      "CLICK_VERSION_NOT_FOUND",
      "CLICK_DEPLOYMENT_NOT_FOUND",
      "CLICK_DATA_INVALID",
      "CLICK_PURPOSE_UNKNOWN",
      "CLICK_VERSION_NOT_PUBLISHED",
      "CLICK_TEMPLATE_ARCHIVED",
    ],
    call: (request, { click }) => click.createSession(createRequest(request.body), onBehalfOf(request)),
    respond: ({ session }, { publicUrl }) => jsonReply(201, sessionView(required(session), publicUrl())),
  }),
  defineRoute({
    ...base,
    operationId: "getSession",
    method: "GET",
    path: "/v1/click/sessions/{id}",
    summary: "Read a session",
    description: "Also after it has ended.",
    access: { scopes: ["click:read"], limitGroup: "other" },
    notFound: { id: "CLICK_SESSION_NOT_FOUND" },
    success: { status: 200, description: "The session.", schema: sessionSchema },
    errors: [],
    call: (request, { click }) => click.getSession({ sessionId: request.params.id }, onBehalfOf(request)),
    respond: ({ session }, { publicUrl }) => jsonReply(200, sessionView(required(session), publicUrl())),
  }),
  defineRoute({
    ...base,
    operationId: "completeSession",
    method: "POST",
    path: "/v1/click/sessions/{id}/complete",
    summary: "Complete a session",
    description:
      "With an acceptance, or with the outcome ACCEPTED, the acceptance is recorded first. An empty body closes the session and invents none. Repeating it answers the same.\n\nWith an `X-Idempotency-Key` the acceptance is recorded exactly once per key, for ever, as `accept` records it: the same key with the same body answers the receipt that is already recorded, and with another body, or of another operation, it is 422 `CLICK_IDEMPOTENCY_KEY_REUSED`. Keys are those of `accept`. Where nothing is to be recorded a key means nothing.\n\nWithout a key the acceptance is recorded under one of the session's own, `session:{id}`: repeating the same acceptance answers its receipt and another one is refused, but a session that was accepted before under another key is completed with the acceptance that it has, and the one in this body is not recorded.",
    access: { scopes: ["click:write"], limitGroup: "other" },
    idempotencyKey: "optional",
    notFound: { id: "CLICK_SESSION_NOT_FOUND" },
    body: jsonBody<CompleteSessionBody>({
      schema: completeSessionSchema,
      required: false,
      example: { outcome: "ACCEPTED" },
    }),
    success: {
      status: 200,
      description: "The session and its receipts.",
      schema: completedSessionSchema(receiptSchema),
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
      const { outcome, acceptance, reason } = request.body;
      const completion = {
        sessionId: request.params.id,
        outcome: outcome ? enumValue(SessionOutcome, outcome) : SessionOutcome.UNSPECIFIED,
        acceptanceJson: acceptance ? encoder.encode(canonicalJson(acceptance)) : new Uint8Array(),
        reason: reason ?? undefined,
        observed: request.observed,
        idempotencyKey: request.idempotencyKey,
        ...(request.idempotencyKey === ""
          ? {}
          : { requestHash: hash("sha256", canonicalJson(request.body), "buffer") }),
      };
      return click.completeSession(completion, onBehalfOf(request));
    },
    respond: ({ session, receiptsJson, replayed }, { publicUrl }) => {
      const receipts = receiptsJson.map((receipt) => JSON.parse(receipt) as unknown);
      const body = { ...sessionView(required(session), publicUrl()), receipts };
      return jsonReply(200, body, replayed ? replayedHeader : {});
    },
  }),
  defineRoute({
    ...base,
    operationId: "cancelSession",
    method: "DELETE",
    path: "/v1/click/sessions/{id}",
    summary: "Cancel a session",
    description: "Ends an open session without a decision; it can still be read. Repeating it changes nothing.",
    access: { scopes: ["click:write"], limitGroup: "other" },
    notFound: { id: "CLICK_SESSION_NOT_FOUND" },
    success: { status: 200, description: "The cancelled session.", schema: sessionSchema },
    errors: ["CLICK_SESSION_EXPIRED", "CLICK_SESSION_CLOSED"],
    call: (request, { click }) => click.cancelSession({ sessionId: request.params.id }, onBehalfOf(request)),
    respond: ({ session }, { publicUrl }) => jsonReply(200, sessionView(required(session), publicUrl())),
  }),
  defineRoute({
    ...base,
    operationId: "appendSessionEvents",
    method: "POST",
    path: "/v1/click/sessions/{id}/events",
    summary: "Add what the page observed to a session",
    description: "Becomes part of the evidence; the server's time is added to each event.",
    access: { scopes: ["click:write"], limitGroup: "other" },
    notFound: { id: "CLICK_SESSION_NOT_FOUND" },
    body: jsonBody<AppendEventsBody>({
      schema: appendEventsSchema,
      example: { events: [{ type: "SCROLLED_TO_END", at: "2026-11-20T17:00:00.123Z" }] },
    }),
    success: { status: 200, description: "The events as they were recorded.", schema: appendedEventsSchema },
    errors: ["CLICK_SESSION_EXPIRED", "CLICK_SESSION_CLOSED"],
    call: (request, { click }) => {
      const events = request.body.events.map(({ type, at, target }) => ({
        type,
        at: timestampOf(at),
        target: target ?? undefined,
      }));
      return click.appendSessionEvents({ sessionId: request.params.id, events }, onBehalfOf(request));
    },
    respond: ({ session, events }) => {
      const { id, status } = required(session);
      const recorded = events.map(({ type, at, target, serverAt }) => ({
        type,
        at: isoTime(at),
        target: target ?? null,
        serverAt: isoTime(serverAt),
      }));
      return jsonReply(200, { sessionId: id, status: enumName(SessionStatus, status), events: recorded });
    },
  }),
];

const createRequest = (body: CreateSessionBody): MessageInitShape<typeof CreateSessionRequestSchema> => ({
  template: body.templateId
    ? { case: "templateId", value: body.templateId.toLowerCase() }
    : { case: "templateSlug", value: body.templateSlug ?? "" },
  userRef: body.userRef ?? undefined,
  locale: body.locale ?? undefined,
  versionId: body.versionId?.toLowerCase(),
  returnUrl: body.returnUrl ?? undefined,
  ttlSeconds: body.ttlSeconds ?? undefined,
  metadata: body.metadata ?? {},
  context: contextOf(body.context),
  deploymentId: body.deploymentId?.toLowerCase(),
  data: body.data ?? undefined,
  purposes: [...(body.purposes ?? [])],
  counterpartyName: body.counterpartyName ?? undefined,
});

export const contextOf = (
  context: EndUserContextBody | null | undefined,
): MessageInitShape<typeof EndUserContextSchema> | undefined =>
  context === null || context === undefined
    ? undefined
    : {
        ip: context.ip ?? undefined,
        userAgent: context.userAgent ?? undefined,
        pageUrl: context.pageUrl ?? undefined,
        pageTitle: context.pageTitle ?? undefined,
        referrer: context.referrer ?? undefined,
        acceptLanguage: context.acceptLanguage ?? undefined,
        timezone: context.timezone ?? undefined,
        gpc: context.gpc ?? undefined,
      };
