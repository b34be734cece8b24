import { batch, batchFilter, batchItem, itemFilter, newBatch } from "#api/generation-documents.ts";
import type { Batch } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { jsonReply, type Reply } from "../../http/reply.ts";
import { nextPageHeader, pageReply } from "../pages.ts";
import { defineRoute, filterQuery, onBehalfOf, type Route, unparsedBody } from "../route.ts";
import { listOf, required } from "../schema-parts.ts";
import { archiveOf } from "./batch-archive.ts";
import {
  gatherAfterIds,
  gatherFromIndex,
  genBase,
  generate,
  location,
  pageQuery,
  planRateHeaders,
  read,
  replayed,
  replayedHeader,
  write,
} from "./pages.ts";

const base = { ...genBase, tag: "Batches" } as const;
const batchBodyBytes = 16_777_216;
/** Every item of a batch is checked before it is accepted. */
const checkTimeoutMs = 60_000;

const batchExample = {
  templateId: "01961234-5678-7abc-8def-0123456789ab",
  version: 3,
  defaults: { locale: "en" },
  items: [
    { ref: "row-1", data: { number: "17", customer: { name: "Example AG" } } },
    { ref: "row-2", data: { number: "18", customer: { name: "Sample Ltd" } } },
  ],
};

/** What the archive of a batch says about itself. */
const manifestNote =
  "A ZIP with the documents that are done, and `manifest.json`: every item with its status, its file, the SHA-256 of it and its error. While the batch runs, it has what is done by then.";

/** Batches are served at two addresses, by the same operations. */
export const batchRoutes: readonly Route[] = [
  ...routesAt("/batches", {
    create: "createBatch",
    list: "listBatches",
    read: "getBatch",
    items: "listBatchItems",
    cancel: "cancelBatch",
    archive: "getBatchArchive",
  }),
  ...routesAt("/v1/gen/batches", {
    create: "createGenBatch",
    list: "listGenBatches",
    read: "getGenBatch",
    items: "listGenBatchItems",
    cancel: "cancelGenBatch",
    archive: "getGenBatchArchive",
  }),
];

/** The operationId of each operation. */
type Ids = Readonly<Record<"create" | "list" | "read" | "items" | "cancel" | "archive", string>>;

function routesAt(root: string, ids: Ids): Route[] {
  return [
    createRoute(root, ids.create),
    listRoute(root, ids.list),
    ...readRoutes(root, ids),
    cancelRoute(root, ids.cancel),
  ];
}

function createRoute(root: string, operationId: string): Route {
  return defineRoute({
    ...base,
    operationId,
    method: "POST",
    path: root,
    summary: "Generate many documents",
    description:
      "Takes one slot of the plan's hour, whatever the number of items. Invalid items are recorded as failed and don't fail the batch. Single documents come first, and organizations take turns. The same X-Idempotency-Key with the same body returns the first batch and takes no slot.",
    access: generate,
    idempotencyKey: "optional",
    body: unparsedBody({ schema: newBatch.schemas.create, maxBytes: batchBodyBytes, example: batchExample }),
    success: {
      status: 202,
      description: "The batch was accepted.",
      schema: batch.schemas.answer,
      headers: { ...location(`${root}/{id}`), ...replayedHeader },
    },
    errors: ["GEN_IDEMPOTENCY_CONFLICT", "GEN_BUSY"],
    call: async (request, { docgen, batchBodies }) => {
      const { idempotencyKey } = request;
      const { items, requestHash } = await batchBodies.read(request.body);
      return docgen.createBatch(
        { items: [...items], idempotencyKey, ...(idempotencyKey === "" ? {} : { requestHash }) },
        { ...onBehalfOf(request), timeoutMs: checkTimeoutMs },
      );
    },
    respond: ({ batch: made, rate, replayed: isReplayed }) =>
      jsonReply(202, batch.answer(required(made)), {
        Location: `${root}/${required(made).id}`,
        ...planRateHeaders(rate),
        ...(isReplayed ? replayed : {}),
      }),
  });
}

function listRoute(root: string, operationId: string): Route {
  return defineRoute({
    ...base,
    operationId,
    method: "GET",
    path: root as `/${string}`,
    summary: "List batches",
    description: "Newest first. Without limit, up to 1,000.",
    access: read,
    query: filterQuery(batchFilter, pageQuery),
    success: {
      status: 200,
      description: "The batches.",
      schema: listOf(batch.schemas.answer),
      headers: nextPageHeader,
    },
    errors: [],
    call: (request, { docgen }) =>
      gatherAfterIds(request.query, async (page) => {
        const wanted = { ...batchFilter.create(request.query), ...page };
        const { batches, hasMore } = await docgen.listBatches(wanted, onBehalfOf(request));
        return { items: batches, hasMore };
      }),
    respond: (page) => pageReply(batch, page),
  });
}

function readRoutes(root: string, ids: Ids): Route[] {
  return [
    defineRoute({
      ...base,
      operationId: ids.read,
      method: "GET",
      path: `${root}/{id}` as `/${string}{id}`,
      summary: "Read the progress of a batch",
      access: read,
      notFound: { id: "GEN_BATCH_NOT_FOUND" },
      success: { status: 200, description: "The batch.", schema: batch.schemas.answer },
      errors: [],
      call: (request, { docgen }) => docgen.getBatch({ batchId: request.params.id }, onBehalfOf(request)),
      respond: (answer) => batchReply(200, answer.batch),
    }),
    defineRoute({
      ...base,
      operationId: ids.items,
      method: "GET",
      path: `${root}/{id}/items` as `/${string}{id}/items`,
      summary: "List the items of a batch",
      description: "In order, with the result of each. Without limit, all are returned.",
      access: read,
      notFound: { id: "GEN_BATCH_NOT_FOUND" },
      query: filterQuery(itemFilter, pageQuery),
      success: {
        status: 200,
        description: "The items.",
        schema: listOf(batchItem.schemas.answer),
        headers: nextPageHeader,
      },
      errors: [],
      call: (request, { docgen }) =>
        gatherFromIndex(request.query, async (page) => {
          const wanted = { ...itemFilter.create(request.query), ...page, batchId: request.params.id };
          return docgen.listBatchItems(wanted, onBehalfOf(request));
        }),
      respond: (page) => pageReply(batchItem, page),
    }),
    defineRoute({
      ...base,
      operationId: ids.archive,
      method: "GET",
      path: `${root}/{id}/archive` as `/${string}{id}/archive`,
      summary: "Download the documents of a batch",
      description: manifestNote,
      access: read,
      notFound: { id: "GEN_BATCH_NOT_FOUND" },
      success: {
        status: 200,
        description: "The archive.",
        contentType: "application/zip",
        headers: { "Content-Disposition": "attachment, with the file's name." },
      },
      errors: [],
      call: async (request, { docgen }) =>
        required((await docgen.getBatch({ batchId: request.params.id }, onBehalfOf(request))).batch),
      respond: ({ id }, { caller }, services) => ({
        status: 200,
        body: undefined,
        stream: archiveOf(services, caller, id),
        headers: { "Content-Type": "application/zip", "Content-Disposition": `attachment; filename="batch-${id}.zip"` },
      }),
    }),
  ];
}

function cancelRoute(root: string, operationId: string): Route {
  return defineRoute({
    ...base,
    operationId,
    method: "POST",
    path: `${root}/{id}/cancel` as `/${string}{id}/cancel`,
    summary: "Cancel a batch",
    description:
      "Cancels items that haven't started; finished documents stay, and so does the slot that the batch took. Canceling a batch that has ended changes nothing.",
    access: write,
    notFound: { id: "GEN_BATCH_NOT_FOUND" },
    success: { status: 200, description: "The batch after the change.", schema: batch.schemas.answer },
    errors: [],
    call: (request, { docgen }) => docgen.cancelBatch({ batchId: request.params.id }, onBehalfOf(request)),
    respond: (answer) => batchReply(200, answer.batch),
  });
}

const batchReply = (status: number, message: Batch | undefined): Reply =>
  jsonReply(status, batch.answer(required(message)));
