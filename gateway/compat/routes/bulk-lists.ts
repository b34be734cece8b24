import {
  bulkBatchSchema,
  bulkBatchSummary,
  bulkBatchView,
  bulkListSchema,
  bulkListSummary,
  bulkListView,
} from "#api/compat-records.ts";
import { pageOf } from "../../../views/compat/page.ts";
import { numberText } from "../../../views/compat/scalars.ts";
import { jsonReply } from "../../http/reply.ts";
import { jsonBody, onBehalfOf, type Route, type RouteRequest } from "../../routes/route.ts";
import { required } from "../../routes/schema-parts.ts";
import type { Services } from "../../routes/services.ts";
import { problemsOfCopies, readBulkList } from "../bulk/bulk-lists.ts";
import { readWith } from "../read/reader.ts";
import { compatQuery, defineCompatRoute } from "../route.ts";
import { findTarget } from "../target.ts";
import {
  bulkBatchesSchema,
  bulkListBody,
  bulkListExample,
  bulkListsSchema,
  bulkSentSchema,
  bulkTestSchema,
  sendBulkBody,
  sendBulkExample,
} from "./bulk-envelopes.ts";

const tag = "Compatible bulk sending";
const base = { tag, notFound: { bulkSendListId: "BULK_LIST_NOT_FOUND" } } as const;
const read = { ...base, scopes: ["sign:read"] } as const;
const write = { ...base, scopes: ["sign:write"] } as const;
/** Room for a thousand copies with their recipients and tabs. */
const listBodyBytes = 4_194_304;
const body = jsonBody<object>({ schema: bulkListBody, maxBytes: listBodyBytes, example: bulkListExample });
const sendBody = jsonBody<object>({ schema: sendBulkBody, example: sendBulkExample });
/** The number of batches in one answer, newest first. */
const maxBatches = 100;

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
    success: { status: 200, description: "The changed list.", schema: bulkListSchema },
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
    description: "Batches made from it continue.",
    success: { status: 200, description: "The remaining lists.", schema: bulkListsSchema },
    errors: [],
    call: async (request, { sign }) => {
      await sign.deleteBulkList({ id: request.params.bulkSendListId }, onBehalfOf(request));
      return sign.listBulkLists({}, onBehalfOf(request));
    },
    respond: ({ lists }) => jsonReply(200, { bulkListSummaries: lists.map(bulkListSummary.write) }),
  }),
  defineCompatRoute({
    ...base,
    scopes: ["sign:send", "sign:write"],
    operationId: "compatSendBulkList",
    method: "POST",
    path: "/bulk_send_lists/{bulkSendListId}/send",
    summary: "Send an envelope or a template to everyone in a list",
    description: "Sends in the background, each copy exactly once. Read the batch to follow the progress.",
    body: sendBody,
    success: { status: 201, description: "The batch that was queued.", schema: bulkSentSchema },
    errors: ["ENVELOPE_NOT_FOUND", "ENVELOPE_CANNOT_BE_MODIFIED"],
    call: async (request, services) => {
      const { target, list } = await targetAndList(request, services);
      const asked = readWith(request.body, (reader) => reader.text("batchName")?.trim() ?? "");
      const batchName = (asked === "" ? list.name : asked).slice(0, 100);
      const { batch } = await services.sign.sendBulkList({ listId: list.id, target, batchName }, onBehalfOf(request));
      return { batch: required(batch), sentId: target.id.value };
    },
    respond: ({ batch: { id, name, total, queued }, sentId }) =>
      jsonReply(201, {
        batchId: id,
        batchName: name,
        batchSize: numberText(total),
        envelopeOrTemplateId: sentId,
        totalQueued: numberText(queued),
      }),
  }),
  defineCompatRoute({
    ...base,
    scopes: ["sign:read", "sign:send", "sign:write"],
    operationId: "compatTestBulkList",
    method: "POST",
    path: "/bulk_send_lists/{bulkSendListId}/test",
    summary: "Check whether a list can be sent",
    description: "Checks for unknown roles and missing data; addresses are checked when it is sent.",
    body: sendBody,
    success: { status: 200, description: "The problems that would prevent sending.", schema: bulkTestSchema },
    errors: ["ENVELOPE_NOT_FOUND"],
    call: async (request, services) => {
      const { agreement, list } = await targetAndList(request, services);
      return problemsOfCopies(list, agreement);
    },
    respond: (problems) =>
      jsonReply(200, {
        canBeSent: problems.length === 0,
        validationErrors: problems.map(({ code }) => code),
        validationErrorDetails: problems.map(({ message }) => message),
      }),
  }),
  defineCompatRoute({
    tag,
    scopes: ["sign:read"],
    operationId: "compatListBulkBatches",
    method: "GET",
    path: "/bulk_send_batch",
    summary: "List batches",
    description: "The newest 100, newest first.",
    query: compatQuery({
      batch_ids: "IDs of batches, comma-separated. Default: all.",
      count: "How many at most.",
    }),
    success: { status: 200, description: "The batches.", schema: bulkBatchesSchema },
    errors: [],
    call: async (request, { sign }) => {
      const limit = readWith(request.query, (query) => query.integer("count", { min: 1 })) ?? maxBatches;
      const ids = new Set(
        (request.query.batch_ids ?? "")
          .toLowerCase()
          .split(",")
          .filter((id) => id !== ""),
      );
      const { batches } = await sign.listBulkBatches({ limit: maxBatches }, onBehalfOf(request));
      return batches.filter(({ id }) => ids.size === 0 || ids.has(id)).slice(0, limit);
    },
    respond: (batches) =>
      jsonReply(200, {
        ...pageOf({ start: 0, size: batches.length, total: batches.length }),
        bulkBatchSummaries: batches.map(bulkBatchSummary),
      }),
  }),
  defineCompatRoute({
    tag,
    scopes: ["sign:read"],
    notFound: { bulkSendBatchId: "BULK_BATCH_NOT_FOUND" },
    operationId: "compatGetBulkBatch",
    method: "GET",
    path: "/bulk_send_batch/{bulkSendBatchId}",
    summary: "Read the progress of a batch",
    success: { status: 200, description: "The batch.", schema: bulkBatchSchema },
    errors: [],
    call: (request, { sign }) => sign.getBulkBatch({ id: request.params.bulkSendBatchId }, onBehalfOf(request)),
    respond: ({ batch }) => jsonReply(200, bulkBatchView(required(batch))),
  }),
];

type ListRequest = Pick<RouteRequest<`${string}{bulkSendListId}`>, "params" | "body" | "caller">;

async function targetAndList(request: ListRequest, { sign }: Services) {
  const id = readWith(request.body, (reader) => {
    const given = reader.text("envelopeOrTemplateId")?.trim() ?? "";
    if (given === "") reader.problem("envelopeOrTemplateId", "REQUIRED", "is required");
    return given;
  });
  const { list } = await sign.getBulkList({ id: request.params.bulkSendListId }, onBehalfOf(request));
  return { ...(await findTarget(sign, id, onBehalfOf(request))), list: required(list) };
}
