import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type CreateSessionRequestSchema,
  type EndUserContextSchema,
  SessionOutcome,
} from "#gen/assent/click/v1/click_pb.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { enumValue } from "../views/scalars.ts";
import { sessionView } from "../views/session.ts";
import { receiptSchema } from "./receipt-schemas.ts";
import { required } from "./required.ts";
import { defineRoute, jsonBody, onBehalfOf, type Route } from "./route.ts";
import {
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
      "CLICK_VERSION_NOT_PUBLISHED",
      "CLICK_TEMPLATE_ARCHIVED",
    ],
    call: (request, { click }) => click.createSession(createRequest(request.body), onBehalfOf(request)),
    respond: ({ session }) => jsonReply(201, sessionView(required(session))),
  }),
  defineRoute({
    ...base,
    operationId: "getSession",
    method: "GET",
    path: "/v1/click/sessions/{id}",
    summary: "Read a session",
    access: { scopes: ["click:read"], limitGroup: "other" },
    notFound: { id: "CLICK_SESSION_NOT_FOUND" },
    success: { status: 200, description: "The session.", schema: sessionSchema },
    errors: [],
    call: (request, { click }) => click.getSession({ sessionId: request.params.id }, onBehalfOf(request)),
    respond: ({ session }) => jsonReply(200, sessionView(required(session))),
  }),
  defineRoute({
    ...base,
    operationId: "completeSession",
    method: "POST",
    path: "/v1/click/sessions/{id}/complete",
    summary: "Complete a session",
    description:
      "With an acceptance, or with the outcome ACCEPTED, the acceptance is recorded first. An empty body closes the session and invents none. Repeating it answers the same.",
    access: { scopes: ["click:write"], limitGroup: "other" },
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
    },
    errors: [
      "CLICK_SESSION_EXPIRED",
      "CLICK_SESSION_CLOSED",
      "CLICK_VERSION_SUPERSEDED",
      "CLICK_USER_REF_MISMATCH",
      "CLICK_POLICY_NOT_SATISFIED",
    ],
    call: (request, { click }) => {
      const { outcome, acceptance, reason } = request.body;
      const completion = {
        sessionId: request.params.id,
        outcome: outcome ? enumValue(SessionOutcome, outcome) : SessionOutcome.UNSPECIFIED,
        acceptanceJson: acceptance ? encoder.encode(canonicalJson(acceptance)) : new Uint8Array(),
        reason: reason ?? undefined,
        observed: request.observed,
      };
      return click.completeSession(completion, onBehalfOf(request));
    },
    respond: ({ session, receiptsJson }) => {
      const receipts = receiptsJson.map((receipt) => JSON.parse(receipt) as unknown);
      return jsonReply(200, { ...sessionView(required(session)), receipts });
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
});

const contextOf = (
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
