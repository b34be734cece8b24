import { createHash } from "node:crypto";
import {
  agreementStates,
  consentChange,
  consentChanged,
  consentState,
  updatedConsentSchema,
  wantedAgreements,
} from "#api/consents.ts";
import type { CreateOf } from "#api/members.ts";
import type { ConsentState } from "#gen/assent/click/v1/click_pb.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { refusedField } from "#platform/problems.ts";
import { timestampOf } from "../../views/scalars.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { replayedHeader } from "./acceptances.ts";
import {
  createBody,
  defineRoute,
  onBehalfOf,
  queryOf,
  type Route,
  type RouteRequest,
  type TextParam,
} from "./route.ts";
import { dateTime, described, flag, replayedHeaderDescription, required, text, uuid } from "./schema-parts.ts";

/** Your name for the user, exactly as it is after percent-decoding. */
export const userRefParam: TextParam = {
  names: "userRef",
  schema: { ...text(1, 255, "Your reference for the user, percent-encoded."), pattern: "^[^\\p{Cc}\\p{Cs}]*$" },
};

interface ConsentQuery {
  readonly purpose?: string;
  readonly templateId?: string;
  readonly includeHistory?: boolean;
  readonly at?: string;
}

const base = {
  tag: "Consent",
  dialect: clickDialect,
  path: "/v1/click/consent/{userRef}",
  texts: { userRef: userRefParam },
} as const;
const revisionHeader = {
  ETag: { description: "The revision of the state, for If-Match.", example: '"7"', required: true },
};

export const consentRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getUserConsentState",
    method: "GET",
    summary: "Read a user's consents and agreements",
    description: "A user without records has an empty state.",
    access: { scopes: ["click:read"], limitGroup: "other" },
    besideLimit: true,
    query: queryOf<ConsentQuery>({
      purpose: described(text(1, 64), "Only this purpose."),
      templateId: described(uuid, "Only this template."),
      includeHistory: described(flag, "Adds every change, newest first."),
      at: described(dateTime, "The state as of then."),
    }),
    success: { status: 200, description: "The state.", schema: consentState.schemas.answer, headers: revisionHeader },
    errors: [],
    call: (request, { click }) => {
      const { purpose, templateId, includeHistory = false, at } = request.query;
      return click.getConsentState(
        {
          userRef: request.params.userRef,
          purpose,
          templateId: templateId?.toLowerCase(),
          includeHistory,
          at: timestampOf(at),
        },
        onBehalfOf(request),
      );
    },
    respond: ({ state }, { query }) => {
      const found = required(state);
      return jsonReply(200, consentState.answer(found, { history: query.includeHistory }), revisionOf(found));
    },
  }),
  defineRoute({
    ...base,
    operationId: "updateUserConsentState",
    method: "POST",
    summary: "Grant, deny, withdraw or renew consent",
    description:
      "Each change is recorded with a receipt and increases the revision. With If-Match, nothing is changed unless the state still has that revision.",
    access: { scopes: ["click:write"], limitGroup: "other" },
    idempotencyKey: "optional",
    headerParams: {
      "If-Match": {
        description: "The revision you read, in quotes. If the state has changed since, nothing is changed.",
        schema: { type: "string", examples: ['"7"'] },
      },
    },
    body: createBody(consentChange, {
      example: { purposes: [{ purpose: "marketing_email", decision: "WITHDRAW" }], source: "PREFERENCE_CENTER" },
    }),
    success: {
      status: 200,
      description: "The state after the change, and a receipt for each change.",
      schema: updatedConsentSchema,
      headers: { ...revisionHeader, ...replayedHeaderDescription },
    },
    errors: [
      "CLICK_IDEMPOTENCY_KEY_INVALID",
      "CLICK_IDEMPOTENCY_KEY_REUSED",
      "CLICK_CONSENT_CONFLICT",
      "CLICK_PURPOSE_UNKNOWN",
    ],
    call: (request, { click }) => click.updateConsentState(updateRequest(request), onBehalfOf(request)),
    respond: (answer) => {
      const state = required(answer.state);
      const body = { ...consentState.answer(state), ...consentChanged.answer(answer) };
      return jsonReply(200, body, { ...revisionOf(state), ...(answer.replayed ? replayedHeader : {}) });
    },
  }),
  defineRoute({
    operationId: "listAgreementStates",
    method: "POST",
    path: "/v1/click/templates/{id}/agreement-states",
    tag: "Consent",
    dialect: clickDialect,
    summary: "List where users stand with a template",
    description:
      "For up to 1,000 of your users: what each last accepted or declined, and who hasn't accepted what is published now. Nothing is recorded.",
    access: { scopes: ["click:read"], limitGroup: "other" },
    notFound: { id: "CLICK_TEMPLATE_NOT_FOUND" },
    body: createBody(wantedAgreements, { example: { userRefs: ["user-42", "user-43"], onlyOutstanding: true } }),
    success: { status: 200, description: "The users.", schema: agreementStates.schemas.answer },
    errors: [],
    call: (request, { click }) =>
      click.listAgreementStates(
        { ...wantedAgreements.create(request.body), templateId: request.params.id },
        onBehalfOf(request),
      ),
    respond: (answer) => jsonReply(200, agreementStates.answer(answer)),
  }),
];

const revisionOf = ({ revision }: ConsentState): Record<string, string> => ({ ETag: `"${revision}"` });

function updateRequest({
  params,
  body,
  idempotencyKey,
  headers,
  observed,
}: RouteRequest<typeof base.path, unknown, CreateOf<typeof consentChange.table>>) {
  const change = consentChange.create(body);
  if (change.purposes.length === 0 && !change.withdrawAll)
    throw refusedField(
      "purposes",
      "INVALID",
      "must name a purpose, unless withdrawAll is true",
      "CLICK_VALIDATION_FAILED",
    );
  return {
    ...change,
    userRef: params.userRef,
    idempotencyKey: idempotencyKey === "" ? undefined : idempotencyKey,
    bodyDigest: createHash("sha256").update(canonicalJson(body)).digest(),
    expectedRevision: readIfMatch(headers["if-match"]),
    observed,
  };
}

/**
 * RFC 9110 §13.1.1; a star matches every state, and every user has one. The ETag of a compressed reply is weak, but its
 * revision is the same.
 */
function readIfMatch(header: string | undefined): bigint | undefined {
  if (header === undefined || header.trim() === "*") return undefined;
  const revision = /^(?:W\/)?"?(\d{1,15})"?$/.exec(header.trim())?.[1];
  if (revision === undefined)
    throw refusedField("If-Match", "INVALID", 'must be a revision in quotes, such as "7"', "CLICK_VALIDATION_FAILED");
  return BigInt(revision);
}
