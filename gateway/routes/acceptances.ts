import { readFileSync } from "node:fs";
import { create, type JsonObject } from "@bufbuild/protobuf";
import type { JsonSchema } from "#api/kinds.ts";
import { consentReceipt, receipt } from "#api/receipts.ts";
import { type AcceptBatchRequest_Item, AcceptBatchRequest_ItemSchema } from "#gen/assent/click/v1/click_pb.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { timestampOf } from "../../views/scalars.ts";
import { clickDialect } from "../http/error-dialect.ts";
import type { Reply } from "../http/reply.ts";
import { gatherPages, nextPage, nextPageHeader, type PageQuery, pageLimit } from "./pages.ts";
import { defineRoute, jsonBody, onBehalfOf, queryOf, type Route, type RouteRequest } from "./route.ts";
import { dateTime, described, integer, listOf, replayedHeaderDescription, text, uuid } from "./schema-parts.ts";

const base = { tag: "Acceptances", dialect: clickDialect } as const;

/** Belongs to the contract of the click service, which checks the same bodies when they come from inside. */
const acceptSchema = JSON.parse(
  readFileSync(new URL("../../proto/assent/click/v1/accept_request.schema.json", import.meta.url), "utf8"),
) as JsonSchema;

export const acceptanceRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "accept",
    method: "POST",
    path: "/v1/click/accept",
    summary: "Record an acceptance",
    description:
      "Recorded exactly once per idempotency key, forever: the same key with the same body returns the receipt that was already recorded.",
    access: { scopes: ["click:accept", "click:write", "click:admin"], limitGroup: "accept" },
    idempotencyKey: "required",
    body: jsonBody<JsonObject>({
      schema: acceptSchema,
      example: { templateSlug: "terms-of-service", userRef: "user-42", action: "CHECKBOX_AND_BUTTON" },
    }),
    success: {
      status: 201,
      description: "The receipt of the acceptance that was recorded.",
      schema: receipt.schemas.answer,
      also: { 200: "The receipt that was recorded earlier for the same key and body." },
      headers: replayedHeaderDescription,
    },
    errors: [
      "CLICK_IDEMPOTENCY_KEY_REQUIRED",
      "CLICK_IDEMPOTENCY_KEY_INVALID",
      "CLICK_IDEMPOTENCY_KEY_REUSED",
      "CLICK_TEMPLATE_NOT_FOUND",
      "CLICK_VERSION_NOT_FOUND",
      "CLICK_SESSION_NOT_FOUND",
      "CLICK_VERSION_NOT_PUBLISHED",
      "CLICK_TEMPLATE_ARCHIVED",
      "CLICK_VERSION_SUPERSEDED",
      "CLICK_SESSION_EXPIRED",
      "CLICK_SESSION_CLOSED",
      "CLICK_ALREADY_ACCEPTED",
      "CLICK_USER_REF_MISMATCH",
      "CLICK_POLICY_NOT_SATISFIED",
      "CLICK_VERIFICATION_REQUIRED",
      "CLICK_RENDER_TOKEN_INVALID",
      "CLICK_DATA_INVALID",
    ],
    call: (request, { coalescer }) => coalescer.accept(batchItem(request)),
    respond: ({ receiptJson, replayed }) =>
      replayed ? { status: 200, body: receiptJson, headers: replayedHeader } : receiptReply(201, receiptJson),
  }),
  defineRoute({
    ...base,
    operationId: "listAcceptances",
    method: "GET",
    path: "/v1/click/acceptances",
    summary: "List receipts",
    description: "Newest first. Without limit, up to 1,000.",
    access: { scopes: ["click:read"], limitGroup: "other" },
    query: queryOf<AcceptancesQuery>({
      userRef: described(text(1, 255), "Only those of this user."),
      templateId: described(uuid, "Only those of this template."),
      versionId: described(uuid, "Only those of this version."),
      revision: described(integer(1, 2_147_483_647), "Returns only receipts of this revision; requires versionId."),
      from: described(dateTime, "Accepted then or later."),
      to: described(dateTime, "Accepted before."),
      limit: pageLimit,
      cursor: described(text(1, 200), "X-Next-Cursor of the previous page."),
    }),
    success: {
      status: 200,
      description: "The receipts.",
      schema: listOf(receipt.schemas.answer),
      headers: nextPageHeader,
    },
    errors: [],
    call: (request, { click }) =>
      gatherPages(request.query, async (page) => {
        const { userRef, templateId, versionId, revision, from, to } = request.query;
        const wanted = {
          ...{ ...page, userRef, revision },
          ...{ templateId: templateId?.toLowerCase(), versionId: versionId?.toLowerCase() },
        };
        const answer = await click.listAcceptances(
          { ...wanted, from: timestampOf(from), to: timestampOf(to) },
          onBehalfOf(request),
        );
        return { items: answer.receiptsJson, nextCursor: answer.nextCursor };
      }),
    respond: ({ items, nextCursor }) => ({
      status: 200,
      body: `[${items.join(",")}]`,
      headers: nextPage(nextCursor),
    }),
  }),
  defineRoute({
    ...base,
    operationId: "getReceipt",
    method: "GET",
    path: "/v1/click/receipts/{receiptId}",
    summary: "Read a receipt",
    description: "The same bytes as when it was recorded, until personal data in it is erased or restricted.",
    access: { scopes: ["click:read"], limitGroup: "other" },
    besideLimit: true,
    notFound: { receiptId: "CLICK_RECEIPT_NOT_FOUND" },
    success: {
      status: 200,
      description: "The receipt of an acceptance, or of a change of consent.",
      schema: { anyOf: [receipt.schemas.answer, consentReceipt.schemas.answer] },
    },
    errors: [],
    call: (request, { click }) => click.getReceipt(request.params, onBehalfOf(request)),
    respond: ({ receiptJson }) => receiptReply(200, receiptJson),
  }),
];

interface AcceptancesQuery extends PageQuery {
  readonly userRef?: string;
  readonly templateId?: string;
  readonly versionId?: string;
  readonly revision?: number;
  readonly from?: string;
  readonly to?: string;
}

export const replayedHeader = { "Idempotent-Replayed": "true" };

/** What the click service answers as JSON goes out as it is: a receipt is the same bytes for ever. */
const receiptReply = (status: number, json: string): Reply => ({ status, body: json });

function batchItem({
  body,
  caller,
  observed,
  idempotencyKey,
}: RouteRequest<string, unknown, JsonObject>): AcceptBatchRequest_Item {
  const { orgId: organizationId, clientId, requestId, traceparent } = caller;
  return create(AcceptBatchRequest_ItemSchema, {
    caller: { organizationId, clientId, requestId, traceparent, observed },
    idempotencyKey,
    body: Buffer.from(canonicalJson(body)),
  });
}
