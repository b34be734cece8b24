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
    summary: "Find what is known of a person",
    description:
      "Looks in all services, one after the other, and says of each item what an erasure would do with it. A page may be empty although another follows: go on while there is X-Next-Cursor. Name the person by `email`, by `userRef`, or by both, in the body: addresses of pages are logged.",
    query: queryOf<{ cursor?: string }>({ cursor }),
    body: createBody(personSearch, { example: { email: "ann@example.com" } }),
    success: {
      status: 200,
      description: "What is known; nothing of it is said.",
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
      "Erases a person from everything: agreements, acceptances, the dashboard. What a law, a retention period or a legal hold keeps is restricted or kept, and the report says why and until when. It goes on by itself, whatever ends a process; every agreement's trail and the evidence log state it. With `dryRun` nothing is erased: do that first.",
    idempotencyKey: "optional",
    body: createBody(personErasure, { example: { email: "ann@example.com", dryRun: true } }),
    success: { status: 201, description: "The erasure, which has begun.", schema: personErasure.schemas.answer },
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
    description: "Newest first, dry runs as well. Without limit all are returned, up to 1,000.",
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
      "What became of what was known of the person, item by item: what was erased, what is kept, why and until when. Nothing in it says who it was.",
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
