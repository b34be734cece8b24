import { documentFilter, genDocument, newDocument } from "#api/generation-documents.ts";
import {
  type CreateDocumentResponse,
  type Document,
  DocumentStatus,
  type Failure,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import { DomainError, isErrorCode } from "#platform/errors.ts";
import { jsonReply, noContent, type Reply } from "../../http/reply.ts";
import { unlessHeld } from "../erasure.ts";
import { nextPageHeader, pageReply } from "../pages.ts";
import {
  createBody,
  defineRoute,
  filterQuery,
  type HeaderParam,
  onBehalfOf,
  type Route,
  type RouteRequest,
} from "../route.ts";
import { listOf, required } from "../schema-parts.ts";
import { requestHash, sourceOf } from "./document-source.ts";
import {
  gatherAfterIds,
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

const preferHeader: HeaderParam = {
  description: "`respond-async` (RFC 7240): responds immediately, without waiting for the document.",
  schema: { type: "string", examples: ["respond-async"] },
};

/** Whether the caller would rather not wait (RFC 7240 §4.1). Node joins repeated headers with commas. */
const preferAsync = ({ prefer }: RouteRequest["headers"]): boolean =>
  typeof prefer === "string" &&
  prefer
    .slice(0, 1_000)
    .split(",")
    .some((preference) => preference.split(";")[0]?.trim().toLowerCase() === "respond-async");

export const documentTag = "Documents";
const base = { ...genBase, tag: documentTag } as const;

/** Below the patience of usual proxies. */
const waitMs = 25_000;
/** What checking the request and its template may take on top. */
const checkMs = 15_000;
/** Data of 1 MB and half as much for what escapes cost. */
const documentBodyBytes = 1_572_864;

export const documentRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "createGenDocument",
    method: "POST",
    path: "/v1/gen/documents",
    summary: "Generate a document",
    description:
      "Takes one slot of the plan's hour and minute once the request is found valid; a request refused before rendering takes none. An error that only rendering finds (422 `invalid_data` or `template_error`, 500 `render_failed`) has `details.documentId` and keeps its slot. Responds when the document is finished, after 25 seconds at the latest. The same X-Idempotency-Key with the same body returns the first document and takes no slot.",
    access: generate,
    idempotencyKey: "optional",
    headerParams: { Prefer: preferHeader },
    body: createBody(newDocument, {
      maxBytes: documentBodyBytes,
      example: {
        templateId: "01961234-5678-7abc-8def-0123456789ab",
        version: 3,
        data: { number: "17", customer: { name: "Example AG" } },
        locale: "de-DE",
        timeZone: "Europe/Berlin",
        output: { profile: "pdf/a-2a", fileName: "Offer-17.pdf" },
      },
    }),
    success: {
      status: 201,
      description: "The finished document.",
      schema: genDocument.schemas.answer,
      also: { 202: "The document is not finished; ask for it at Location." },
      headers: {
        ...location("/v1/gen/documents/{id}"),
        "Preference-Applied": "respond-async, when it was preferred.",
        ...replayedHeader,
      },
    },
    errors: [
      "GEN_TEMPLATE_NOT_FOUND",
      "GEN_TEMPLATE_NOT_PUBLISHED",
      "GEN_ASSET_NOT_FOUND",
      "GEN_INVALID_DATA",
      "GEN_TEMPLATE_ERROR",
      "GEN_IDEMPOTENCY_CONFLICT",
      "GEN_RENDER_FAILED",
      "GEN_BUSY",
    ],
    call: (request, { docgen }) => {
      const { body, idempotencyKey, headers } = request;
      const wait = preferAsync(headers) ? 0 : waitMs;
      return docgen.createDocument(
        {
          source: sourceOf(body),
          idempotencyKey,
          ...(idempotencyKey === "" ? {} : { requestHash: requestHash("createDocument", body) }),
          waitMs: wait,
        },
        { ...onBehalfOf(request), timeoutMs: wait + checkMs },
      );
    },
    respond: (answer, { headers }) => createdReply(answer, preferAsync(headers)),
  }),
  defineRoute({
    ...base,
    operationId: "listGenDocuments",
    method: "GET",
    path: "/v1/gen/documents",
    summary: "List documents",
    description: "Newest first, without deleted ones. Without limit, up to 1,000.",
    access: read,
    query: filterQuery(documentFilter, pageQuery),
    success: {
      status: 200,
      description: "The documents.",
      schema: listOf(genDocument.schemas.answer),
      headers: nextPageHeader,
    },
    errors: [],
    call: (request, { docgen }) =>
      gatherAfterIds(request.query, async (page) => {
        const wanted = { ...documentFilter.create(request.query), ...page };
        const { documents, hasMore } = await docgen.listDocuments(wanted, onBehalfOf(request));
        return { items: documents, hasMore };
      }),
    respond: (page) => pageReply(genDocument, page),
  }),
  defineRoute({
    ...base,
    operationId: "getGenDocument",
    method: "GET",
    path: "/v1/gen/documents/{id}",
    summary: "Read the metadata of a document",
    access: read,
    notFound: { id: "GEN_DOCUMENT_NOT_FOUND" },
    success: { status: 200, description: "The document, without its bytes.", schema: genDocument.schemas.answer },
    errors: [],
    call: (request, { docgen }) => docgen.getDocument({ documentId: request.params.id }, onBehalfOf(request)),
    respond: ({ document }) => jsonReply(200, genDocument.answer(required(document))),
  }),
  defineRoute({
    ...base,
    operationId: "deleteGenDocument",
    method: "DELETE",
    path: "/v1/gen/documents/{id}",
    summary: "Delete a document",
    description:
      "Deletes its bytes. A queued document is canceled, and its slot is returned. While a legal hold covers the whole organization, nothing is deleted.",
    access: write,
    notFound: { id: "GEN_DOCUMENT_NOT_FOUND" },
    success: { status: 204, description: "The document was deleted." },
    errors: ["LEGAL_HOLD", "HOLDS_CHANGED"],
    call: (request, { docgen, sign }) =>
      unlessHeld({ sign }, request, {}, (holdMark) =>
        docgen.deleteDocument({ documentId: request.params.id, holdMark }, onBehalfOf(request)),
      ),
    respond: () => noContent,
  }),
];

function createdReply({ document: made, rate, replayed: isReplayed }: CreateDocumentResponse, isAsync: boolean): Reply {
  const document = required(made);
  if (document.status === DocumentStatus.FAILED) throw failureOf(document, document.failure);
  return jsonReply(isPending(document) ? 202 : 201, genDocument.answer(document), {
    Location: `/v1/gen/documents/${document.id}`,
    ...(isAsync ? { "Preference-Applied": "respond-async" } : {}),
    ...planRateHeaders(rate),
    ...(isReplayed ? replayed : {}),
  });
}

const isPending = ({ status }: Document): boolean =>
  status === DocumentStatus.QUEUED || status === DocumentStatus.RENDERING;

/** The error that whoever waits for the document gets. */
function failureOf({ id }: Document, failure: Failure | undefined): DomainError {
  const { errorCode, message, details } = required(failure);
  const code = isErrorCode(errorCode) ? errorCode : "GEN_RENDER_FAILED";
  return new DomainError(code, { message, metadata: { ...details, documentId: id } });
}
