import { bulkListSchema, bulkListSummary, bulkListView } from "#api/compat-records.ts";
import { jsonReply } from "../../http/reply.ts";
import { required } from "../../routes/required.ts";
import { jsonBody, onBehalfOf, type Route } from "../../routes/route.ts";
import { readBulkList } from "../bulk/bulk-lists.ts";
import { readWith } from "../read/reader.ts";
import { defineCompatRoute } from "../route.ts";
import { bulkListBody, bulkListExample, bulkListsSchema } from "./bulk-envelopes.ts";

const tag = "Compatible bulk sending";
const base = { tag, notFound: { bulkSendListId: "BULK_LIST_NOT_FOUND" } } as const;
const read = { ...base, scopes: ["sign:read"] } as const;
const write = { ...base, scopes: ["sign:write"] } as const;
/** Room for a thousand copies with their recipients and tabs. */
const listBodyBytes = 4_194_304;
const body = jsonBody<object>({ schema: bulkListBody, maxBytes: listBodyBytes, example: bulkListExample });

export const compatBulkListRoutes: readonly Route[] = [
  defineCompatRoute({
    ...write,
    notFound: {},
    operationId: "compatCreateBulkList",
    method: "POST",
    path: "/bulk_send_lists",
    summary: "Store the recipients of many copies",
    body,
    success: { status: 201, description: "The list.", schema: bulkListSchema },
    errors: [],
    call: (request, { sign }) => sign.createBulkList(readWith(request.body, readBulkList), onBehalfOf(request)),
    respond: ({ list }) => jsonReply(201, bulkListView(required(list))),
  }),
  defineCompatRoute({
    ...read,
    notFound: {},
    operationId: "compatListBulkLists",
    method: "GET",
    path: "/bulk_send_lists",
    summary: "List the lists of copies",
    description: "Newest first, without their copies.",
    success: { status: 200, description: "All lists.", schema: bulkListsSchema },
    errors: [],
    call: (request, { sign }) => sign.listBulkLists({}, onBehalfOf(request)),
    respond: ({ lists }) => jsonReply(200, { bulkListSummaries: lists.map(bulkListSummary.write) }),
  }),
  defineCompatRoute({
    ...read,
    operationId: "compatGetBulkList",
    method: "GET",
    path: "/bulk_send_lists/{bulkSendListId}",
    summary: "Read a list of copies",
    success: { status: 200, description: "The list.", schema: bulkListSchema },
    errors: [],
    call: (request, { sign }) => sign.getBulkList({ id: request.params.bulkSendListId }, onBehalfOf(request)),
    respond: ({ list }) => jsonReply(200, bulkListView(required(list))),
  }),
  defineCompatRoute({
    ...write,
    operationId: "compatUpdateBulkList",
    method: "PUT",
    path: "/bulk_send_lists/{bulkSendListId}",
    summary: "Replace a list of copies",
    body,
    success: { status: 200, description: "The list after that.", schema: bulkListSchema },
    errors: [],
    call: (request, { sign }) =>
      sign.updateBulkList(
        { id: request.params.bulkSendListId, ...readWith(request.body, readBulkList) },
        onBehalfOf(request),
      ),
    respond: ({ list }) => jsonReply(200, bulkListView(required(list))),
  }),
  defineCompatRoute({
    ...base,
    scopes: ["sign:admin"],
    operationId: "compatDeleteBulkList",
    method: "DELETE",
    path: "/bulk_send_lists/{bulkSendListId}",
    summary: "Delete a list of copies",
    description: "Batches that were made of it go on.",
    success: { status: 200, description: "The lists that are left.", schema: bulkListsSchema },
    errors: [],
    call: async (request, { sign }) => {
      await sign.deleteBulkList({ id: request.params.bulkSendListId }, onBehalfOf(request));
      return sign.listBulkLists({}, onBehalfOf(request));
    },
    respond: ({ lists }) => jsonReply(200, { bulkListSummaries: lists.map(bulkListSummary.write) }),
  }),
];
