import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  deletion,
  fileSearch,
  legalHold,
  privacyAct,
  retention,
  retentionPreview,
  templateRetention,
} from "#api/privacy.ts";
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

const fileSearchRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getFileSearch",
    method: "GET",
    path: "/v1/privacy/file-search",
    summary: "Read whether files are searched",
    // Whoever may search may know in what.
    access: { scopes: ["sign:read"], limitGroup: "sign" },
    success: {
      status: 200,
      description: "The setting, and how far files were read.",
      schema: fileSearch.schemas.answer,
    },
    errors: [],
    call: (request, { sign }) => sign.getFileSearch({}, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, fileSearch.answer(required(answer.setting))),
  }),
  defineRoute({
    ...base,
    operationId: "putFileSearch",
    method: "PUT",
    path: "/v1/privacy/file-search",
    summary: "Turn the search in files on or off",
    description:
      "While it is on, agreements and templates are found by the words of their files: by words and text of the lists, and by search_text of the compatible interface. New files are read seconds after they come, those of before in the background. Keyed hashes of the words are kept, which tell neither words nor text, until the file goes or the search is turned off; off, nothing is found at once, and the hashes are deleted in the background.",
    body: createBody(fileSearch, { example: { enabled: true } }),
    success: { status: 200, description: "The setting, as it is now.", schema: fileSearch.schemas.answer },
    errors: [],
    call: (request, { sign }) => sign.putFileSearch(fileSearch.create(request.body), onBehalfOf(request)),
    respond: (answer) => jsonReply(200, fileSearch.answer(required(answer.setting))),
  }),
];

export const privacyRoutes: readonly Route[] = [
  ...fileSearchRoutes,
  defineRoute({
    ...base,
    operationId: "getRetention",
    method: "GET",
    path: "/v1/privacy/retention",
    summary: "Read the retention periods",
    success: {
      status: 200,
      description: "One period for each agreement status and each kind of record.",
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
    summary: "Set the retention periods",
    description:
      "A longer period takes effect immediately. A shorter one takes effect in seven days; until then you can take it back. What you don't name is kept forever, which is the default; webhook deliveries are kept for at most 30 days. Agreements that are still to be signed are never deleted, and acceptances not before the retentionDays of their terms are over.",
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
    summary: "Read the retention periods of a template",
    notFound: { id: "TEMPLATE_NOT_FOUND" },
    success: {
      status: 200,
      description: "The template's own periods. Other statuses follow the organization.",
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
    summary: "Set the retention periods of a template",
    description:
      "Replaces the organization's periods for agreements made from the template; null days keep them forever. Statuses you don't name follow the organization. Shorter periods take effect in seven days here as well. Agreements made by an earlier release aren't linked to a template and follow the organization.",
    notFound: { id: "TEMPLATE_NOT_FOUND" },
    body: createBody(templateRetention, { example: { periods: [{ status: "completed", days: 3650 }] } }),
    success: {
      status: 200,
      description: "The template's own periods after the change.",
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
    description: "Based on the current periods, and on shorter ones from when they take effect.",
    query: queryOf<PreviewQuery>({
      until: described(dateTime, "The time until which deletions are listed. Default: now."),
      limit: described(integer(1, maxPage), "The most agreements that one answer may have; 100 when absent."),
      cursor,
    }),
    success: {
      status: 200,
      description: "How many records are due, and which are first.",
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
      "Keeps one agreement, all agreements of a person, or, if you name neither, everything of the organization from being deleted and erased until the hold is lifted. Once this request is answered, nothing it covers is deleted any more. It waits for deletions in progress, usually for less than a second, and returns 503 if they don't end within half a minute or a service is unavailable. After a 503 the hold may or may not be in force. Send the same request again: it creates no second hold. A person's address is kept only as a keyed hash and never shown.",
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
    description: "Newest first. Without limit, up to 1,000.",
    query: queryOf<HoldsQuery>({
      lifted: described(flag, "Whether lifted holds are listed too."),
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
    description:
      "It stays in the list of lifted holds. Whatever only this hold kept is deleted as its retention period says.",
    notFound: { id: "LEGAL_HOLD_NOT_FOUND" },
    success: {
      status: 200,
      description: "The lifted hold, with who lifted it and when.",
      schema: legalHold.schemas.answer,
    },
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
      "Agreements whose retention period ended, newest first: no personal data, but enough to verify copies that someone kept. Without limit, up to 1,000.",
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
    summary: "List privacy activity",
    description: "Changes of retention periods, holds, purges and deletions, newest first. Without limit, up to 1,000.",
    query: queryOf<PageQuery>({ limit: pageLimit, cursor }),
    ...listing({ name: "acts", items: privacyAct, description: "The activity.", maxPage }, ({ sign }, page, options) =>
      sign.listPrivacyActs(page, options),
    ),
  }),
];
