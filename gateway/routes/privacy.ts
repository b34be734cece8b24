import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { deletion, legalHold, privacyAct, retention, retentionPreview, templateRetention } from "#api/privacy.ts";
import { signDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { listing, nextPage, nextPageHeader, type PageQuery, pageLimit } from "./pages.ts";
import { createBody, defineRoute, onBehalfOf, queryOf, type Route } from "./route.ts";
import { dateTime, described, flag, integer, required, text, uuid } from "./schema-parts.ts";

const base = {
  tag: "Privacy",
  dialect: signDialect,
  access: { scopes: ["privacy:admin"], limitGroup: "sign" },
} as const;

/** Longer than auth waits. */
const awaitMs = 40_000;
/** What services give at once. */
const maxPage = 200;
const cursor = text(1, 200, "X-Next-Cursor of the previous page.");

interface PreviewQuery extends PageQuery {
  readonly until?: string;
}

interface HoldsQuery extends PageQuery {
  readonly lifted?: boolean;
}

interface DeletionsQuery extends PageQuery {
  readonly agreementId?: string;
}

export const privacyRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getRetention",
    method: "GET",
    path: "/v1/privacy/retention",
    summary: "Read how long records are kept",
    success: {
      status: 200,
      description: "A period for each status and each kind of records.",
      schema: retention.schemas.answer,
    },
    errors: [],
    call: (request, { sign }) => sign.getRetention({}, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, retention.answer(answer)),
  }),
  defineRoute({
    ...base,
    operationId: "putRetention",
    method: "PUT",
    path: "/v1/privacy/retention",
    summary: "Say how long records are kept",
    description:
      "A longer period holds at once. A shorter one holds in seven days, and until then it can be taken back. What is not named is kept forever, as all is at first; deliveries of webhooks stay for 30 days at most. Agreements that are still to be signed are never deleted, and acceptances not before the retentionDays of their terms are over.",
    body: createBody(retention, {
      example: {
        periods: [
          { status: "created", days: 90 },
          { status: "declined", days: 365 },
          { status: "acceptances", days: 1_825 },
        ],
      },
    }),
    success: { status: 200, description: "The periods, as they are now.", schema: retention.schemas.answer },
    errors: [],
    call: (request, { sign }) =>
      sign.putRetention(retention.create(request.body), { ...onBehalfOf(request), timeoutMs: awaitMs }),
    respond: (answer) => jsonReply(200, retention.answer(answer)),
  }),
  defineRoute({
    ...base,
    operationId: "getTemplateRetention",
    method: "GET",
    path: "/v1/privacy/retention/templates/{id}",
    summary: "Read how long agreements of a template are kept",
    notFound: { id: "TEMPLATE_NOT_FOUND" },
    success: {
      status: 200,
      description: "The periods that it has of its own; for other statuses, those of the organization hold.",
      schema: templateRetention.schemas.answer,
    },
    errors: [],
    call: (request, { sign }) => sign.getRetention({ templateId: request.params.id }, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, templateRetention.answer(answer)),
  }),
  defineRoute({
    ...base,
    operationId: "putTemplateRetention",
    method: "PUT",
    path: "/v1/privacy/retention/templates/{id}",
    summary: "Say how long agreements of a template are kept",
    description:
      "These periods take the place of those of the organization for what is made from the template; with null days, it is kept forever. For statuses that are not named, the organization's hold again. What shortens the time holds in seven days here as well. Agreements that an earlier release made know no template, and follow the organization.",
    notFound: { id: "TEMPLATE_NOT_FOUND" },
    body: createBody(templateRetention, { example: { periods: [{ status: "completed", days: 3650 }] } }),
    success: {
      status: 200,
      description: "The periods that it has of its own, as they are now.",
      schema: templateRetention.schemas.answer,
    },
    errors: [],
    call: (request, { sign }) =>
      sign.putRetention(
        { ...templateRetention.create(request.body), templateId: request.params.id },
        { ...onBehalfOf(request), timeoutMs: awaitMs },
      ),
    respond: (answer) => jsonReply(200, templateRetention.answer(answer)),
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
      "Keeps one agreement, all agreements of a person, or, when neither is named, all of the organization from being deleted and erased until it is lifted. Once this is answered nothing of it is deleted any more: it waits for what is just being deleted, mostly for less than a second, and answers 503 when that does not end within half a minute or a service is away. After a 503 the hold may or may not stand. Send the same request again: it makes no second hold. The address of a person is kept as a keyed hash alone and never shown.",
    body: createBody(legalHold, { example: { email: "ann@example.com", reason: "Lawsuit 4 C 17/26" } }),
    success: { status: 201, description: "The hold.", schema: legalHold.schemas.answer },
    errors: ["ENVELOPE_NOT_FOUND"],
    call: (request, { sign }) =>
      sign.setLegalHold(legalHold.create(request.body), { ...onBehalfOf(request), timeoutMs: awaitMs }),
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
    ...listing(
      { name: "holds", items: legalHold, description: "The holds.", maxPage },
      ({ sign }, page, options, query: HoldsQuery) =>
        sign.listLegalHolds({ ...page, withLifted: query.lifted ?? false }, options),
    ),
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
    call: (request, { sign }) =>
      sign.liftLegalHold({ id: request.params.id }, { ...onBehalfOf(request), timeoutMs: awaitMs }),
    respond: (answer) => jsonReply(200, legalHold.answer(required(answer.hold))),
  }),
  defineRoute({
    ...base,
    operationId: "listDeletions",
    method: "GET",
    path: "/v1/privacy/deletions",
    summary: "List what remains of deleted agreements",
    description:
      "Of those whose period was over, newest agreement first: nothing personal, but enough to check what someone has kept of them. Without limit all are returned, up to 1,000.",
    query: queryOf<DeletionsQuery>({
      agreementId: described(uuid, "That agreement alone; the list is empty when it was not deleted."),
      limit: pageLimit,
      cursor,
    }),
    ...listing(
      { name: "deletions", items: deletion, description: "What remains.", maxPage },
      ({ sign }, page, options, query: DeletionsQuery) =>
        sign.listDeletions({ ...page, agreementId: query.agreementId ?? "" }, options),
    ),
  }),
  defineRoute({
    ...base,
    operationId: "listPrivacyActs",
    method: "GET",
    path: "/v1/privacy/audit-events",
    summary: "List what was done about personal data",
    description:
      "Changes of periods, holds, purges and deletions, newest first. Without limit all are returned, up to 1,000.",
    query: queryOf<PageQuery>({ limit: pageLimit, cursor }),
    ...listing({ name: "acts", items: privacyAct, description: "The acts.", maxPage }, ({ sign }, page, options) =>
      sign.listPrivacyActs(page, options),
    ),
  }),
];
