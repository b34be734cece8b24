import { erasureReport, personalItem, personErasure, personSearch } from "#api/person-erasures.ts";
import { signDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { listing, nextPage, nextPageHeader, type PageQuery, pageLimit, pageReply } from "./pages.ts";
import { createBody, defineRoute, onBehalfOf, queryOf, type Route } from "./route.ts";
import { listOf, required, text } from "./schema-parts.ts";

const base = {
  tag: "Privacy",
  dialect: signDialect,
  access: { scopes: ["privacy:admin"], limitGroup: "other" },
} as const;

const maxPage = 200;
const cursor = text(1, 200, "X-Next-Cursor of the previous page.");
/** Services look through much at once. */
const searchMs = 60_000;

export const personErasureRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    access: { ...base.access, whileSuspended: true },
    operationId: "searchPerson",
    method: "POST",
    path: "/v1/privacy/persons/search",
    summary: "Find what is kept about a person",
    description:
      "Searches all services, one after the other, and says for each item what an erasure would do with it. A page can be empty even if another follows: continue while there is X-Next-Cursor. Name the person by `email`, `userRef`, or both, in the body, because URLs are logged.",
    query: queryOf<{ cursor?: string }>({ cursor }),
    body: createBody(personSearch, { example: { email: "ann@example.com" } }),
    success: {
      status: 200,
      description: "The kinds of data that are kept, not the data itself.",
      schema: listOf(personalItem.schemas.answer),
      headers: nextPageHeader,
    },
    errors: [],
    call: ({ body, query, ...request }, { erasures }) =>
      erasures.searchPerson(
        { ...personSearch.create(body), cursor: query.cursor ?? "" },
        { ...onBehalfOf(request), timeoutMs: searchMs },
      ),
    respond: (page) => pageReply(personalItem, page),
  }),
  defineRoute({
    ...base,
    operationId: "createErasure",
    method: "POST",
    path: "/v1/privacy/erasures",
    summary: "Erase a person",
    description:
      "Erases a person from everything: agreements, acceptances, the dashboard. What a law, a retention period or a legal hold requires is restricted or kept, and the report says why and until when. The erasure proceeds by itself, even if processes end, and is recorded in every agreement's trail and the evidence log. With `dryRun` nothing is erased: do that first.",
    idempotencyKey: "optional",
    body: createBody(personErasure, { example: { email: "ann@example.com", dryRun: true } }),
    success: { status: 201, description: "The erasure, which has started.", schema: personErasure.schemas.answer },
    errors: ["IDEMPOTENCY_KEY_REUSED"],
    call: (request, { erasures }) =>
      erasures.createErasure(
        { ...personErasure.create(request.body), idempotencyKey: request.idempotencyKey },
        onBehalfOf(request),
      ),
    respond: ({ erasure }) => jsonReply(201, personErasure.answer(required(erasure))),
  }),
  defineRoute({
    ...base,
    operationId: "listErasures",
    method: "GET",
    path: "/v1/privacy/erasures",
    summary: "List erasures of people",
    description: "Newest first, including dry runs. Without limit, up to 1,000.",
    query: queryOf<PageQuery>({ limit: pageLimit, cursor }),
    ...listing(
      { name: "erasures", items: personErasure, description: "The erasures.", maxPage },
      ({ erasures }, page, options) => erasures.listErasures(page, options),
    ),
  }),
  defineRoute({
    ...base,
    operationId: "getErasure",
    method: "GET",
    path: "/v1/privacy/erasures/{id}",
    summary: "Read the report of an erasure",
    description:
      "What happened to the data about the person, item by item: what was erased, what is kept, why and until when. It doesn't say who the person was.",
    notFound: { id: "ERASURE_NOT_FOUND" },
    query: queryOf<{ cursor?: string }>({ cursor }),
    success: {
      status: 200,
      description: "The erasure, with a page of its items.",
      schema: erasureReport.schemas.answer,
      headers: nextPageHeader,
    },
    errors: [],
    call: ({ params, query, ...request }, { erasures }) =>
      erasures.getErasure({ id: params.id, cursor: query.cursor ?? "" }, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, erasureReport.answer(answer), nextPage(answer.nextCursor)),
  }),
];
