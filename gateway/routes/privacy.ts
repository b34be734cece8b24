import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { deletion, legalHold, privacyAct, retention, retentionPreview } from "#api/privacy.ts";
import { signDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { gatherPages, nextPage, nextPageHeader, pageLimit, pageReply } from "./pages.ts";
import { required } from "./required.ts";
import { createBody, defineRoute, onBehalfOf, queryOf, type Route } from "./route.ts";
import { dateTime, described, flag, integer, listOf, text, uuid } from "./schema-parts.ts";

const base = {
  tag: "Privacy",
  dialect: signDialect,
  access: { scopes: ["privacy:admin"], limitGroup: "sign" },
} as const;

/** What services give at once. */
const maxPage = 200;
const cursor = text(1, 200, "X-Next-Cursor of the previous page.");

interface PreviewQuery {
  readonly until?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

interface HoldsQuery {
  readonly lifted?: boolean;
  readonly limit?: number;
  readonly cursor?: string;
}

export const privacyRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getRetention",
    method: "GET",
    path: "/v1/privacy/retention",
    summary: "Read how long agreements are kept",
    success: { status: 200, description: "A period for each status.", schema: retention.schemas.answer },
    errors: [],
    call: (request, { sign }) => sign.getRetention({}, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, retention.answer(answer)),
  }),
  defineRoute({
    ...base,
    operationId: "putRetention",
    method: "PUT",
    path: "/v1/privacy/retention",
    summary: "Say how long agreements are kept",
    description:
      "A longer period holds at once. A shorter one holds in seven days, and until then it can be taken back. Statuses that are not named are kept for ever, as all are at first. Agreements that are still to be signed are never deleted.",
    body: createBody(retention, {
      example: {
        periods: [
          { status: "created", days: 90 },
          { status: "declined", days: 365 },
        ],
      },
    }),
    success: { status: 200, description: "The periods, as they are now.", schema: retention.schemas.answer },
    errors: [],
    call: (request, { sign }) => sign.putRetention(retention.create(request.body), onBehalfOf(request)),
    respond: (answer) => jsonReply(200, retention.answer(answer)),
  }),
  defineRoute({
    ...base,
    operationId: "previewRetention",
    method: "GET",
    path: "/v1/privacy/retention/preview",
    summary: "See what will be deleted",
    description: "As the periods are now; a shorter one that is to come counts from when it holds.",
    query: queryOf<PreviewQuery>({
      until: described(dateTime, "What is deleted by then is told; now when absent."),
      limit: described(integer(1, maxPage), "The most agreements that one answer may have; 100 when absent."),
      cursor,
    }),
    success: {
      status: 200,
      description: "How many go, and which go first.",
      schema: retentionPreview.schemas.answer,
      headers: nextPageHeader,
    },
    errors: [],
    call: ({ query, ...request }, { sign }) => {
      const until = query.until === undefined ? {} : { until: timestampFromDate(new Date(query.until)) };
      return sign.previewRetention(
        { ...until, limit: query.limit ?? 0, cursor: query.cursor ?? "" },
        onBehalfOf(request),
      );
    },
    respond: (answer) => jsonReply(200, retentionPreview.answer(answer), nextPage(answer.nextCursor)),
  }),
  defineRoute({
    ...base,
    operationId: "setLegalHold",
    method: "POST",
    path: "/v1/privacy/holds",
    summary: "Set a legal hold",
    description:
      "Keeps one agreement, all agreements of a person, or, when neither is named, all of the organization from being deleted and erased until it is lifted. Once this is answered nothing of it is deleted any more. The address of a person is kept as a keyed hash alone and never shown.",
    body: createBody(legalHold, { example: { email: "ann@example.com", reason: "Lawsuit 4 C 17/26" } }),
    success: { status: 201, description: "The hold.", schema: legalHold.schemas.answer },
    errors: ["ENVELOPE_NOT_FOUND"],
    call: (request, { sign }) => sign.setLegalHold(legalHold.create(request.body), onBehalfOf(request)),
    respond: (answer) => jsonReply(201, legalHold.answer(required(answer.hold))),
  }),
  defineRoute({
    ...base,
    operationId: "listLegalHolds",
    method: "GET",
    path: "/v1/privacy/holds",
    summary: "List legal holds",
    description: "Newest first. Without limit all are returned, up to 1,000.",
    query: queryOf<HoldsQuery>({
      lifted: described(flag, "Whether those are listed too that were lifted."),
      limit: pageLimit,
      cursor,
    }),
    success: {
      status: 200,
      description: "The holds.",
      schema: listOf(legalHold.schemas.answer),
      headers: nextPageHeader,
    },
    errors: [],
    call: ({ query, ...request }, { sign }) =>
      gatherPages(query, async ({ limit, cursor }) => {
        const page = { withLifted: query.lifted ?? false, limit: Math.min(limit, maxPage), cursor };
        const { holds, nextCursor } = await sign.listLegalHolds(page, onBehalfOf(request));
        return { items: holds, nextCursor };
      }),
    respond: (page) => pageReply(legalHold, page),
  }),
  defineRoute({
    ...base,
    operationId: "liftLegalHold",
    method: "DELETE",
    path: "/v1/privacy/holds/{id}",
    summary: "Lift a legal hold",
    description: "It stays in the list of those that were lifted. What it kept alone is deleted as its period says.",
    notFound: { id: "LEGAL_HOLD_NOT_FOUND" },
    success: { status: 200, description: "The hold, with who lifted it and when.", schema: legalHold.schemas.answer },
    errors: [],
    call: (request, { sign }) => sign.liftLegalHold({ id: request.params.id }, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, legalHold.answer(required(answer.hold))),
  }),
  defineRoute({
    ...base,
    operationId: "listDeletions",
    method: "GET",
    path: "/v1/privacy/deletions",
    summary: "List what remains of deleted agreements",
    description:
      "Of those whose period was over, newest agreement first: nothing personal, but enough to check what somebody has kept of them. Without limit all are returned, up to 1,000.",
    query: queryOf<{ agreementId?: string; limit?: number; cursor?: string }>({
      agreementId: described(uuid, "That agreement alone; the list is empty when it was not deleted."),
      limit: pageLimit,
      cursor,
    }),
    success: {
      status: 200,
      description: "What remains.",
      schema: listOf(deletion.schemas.answer),
      headers: nextPageHeader,
    },
    errors: [],
    call: ({ query, ...request }, { sign }) =>
      gatherPages(query, async ({ limit, cursor }) => {
        const page = { agreementId: query.agreementId ?? "", limit: Math.min(limit, maxPage), cursor };
        const { deletions, nextCursor } = await sign.listDeletions(page, onBehalfOf(request));
        return { items: deletions, nextCursor };
      }),
    respond: (page) => pageReply(deletion, page),
  }),
  defineRoute({
    ...base,
    operationId: "listPrivacyActs",
    method: "GET",
    path: "/v1/privacy/audit-events",
    summary: "List what was done about personal data",
    description:
      "Changes of periods, holds and deletions of agreements, newest first. Without limit all are returned, up to 1,000.",
    query: queryOf<{ limit?: number; cursor?: string }>({ limit: pageLimit, cursor }),
    success: {
      status: 200,
      description: "The acts.",
      schema: listOf(privacyAct.schemas.answer),
      headers: nextPageHeader,
    },
    errors: [],
    call: ({ query, ...request }, { sign }) =>
      gatherPages(query, async ({ limit, cursor }) => {
        const { acts, nextCursor } = await sign.listPrivacyActs(
          { limit: Math.min(limit, maxPage), cursor },
          onBehalfOf(request),
        );
        return { items: acts, nextCursor };
      }),
    respond: (page) => pageReply(privacyAct, page),
  }),
];
