import { tabsView } from "#api/compat-tabs.ts";
import type { JsonSchema } from "#api/kinds.ts";
import { type Agreement, DocumentProblem } from "#gen/assent/sign/v1/agreement_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { documentView, pagesView, summaryView } from "../../../views/compat/documents.ts";
import { pageOf } from "../../../views/compat/page.ts";
import type { Written } from "../../../views/compat/scalars.ts";
import type { DocumentFile } from "../../document-bodies/document-file.ts";
import { jsonReply, type Reply } from "../../http/reply.ts";
import { documentBody, jsonBody, onBehalfOf, type Route, type RouteRequest } from "../../routes/route.ts";
import { required } from "../../routes/schema-parts.ts";
import { type DocumentInit, readDocument, readDocuments } from "../read/definition.ts";
import { type Reader, readWith } from "../read/reader.ts";
import { defineCompatRoute } from "../route.ts";
import { envelopeRoot, type TargetRoot, templateRoot } from "../target.ts";
import { documentContentRoute } from "./document-content.ts";
import {
  compatDocumentSchema,
  documentsBody,
  documentsExample,
  envelopeDocumentsSchema,
  pagesSchema,
  removeDocumentsBody,
  removeDocumentsExample,
  templateDocumentsSchema,
} from "./document-schemas.ts";
import { tabsSchema } from "./envelope-schemas.ts";

/** Storing many megabytes, and checking them first, takes longer than the default of an RPC allows. */
export const uploadTimeoutMs = 60_000;

const inDrafts =
  "Works for drafts only. A document with an existing documentId replaces that document, and the tabs on it stay.";

/** Operations on the documents of envelopes, or of templates. */
export const documentRoutes = (root: TargetRoot): readonly Route[] => [
  listRoute(root),
  documentContentRoute(root),
  ...(root === envelopeRoot ? [addRoute(root, "POST")] : []),
  addRoute(root, "PUT"),
  putOneRoute(root),
  removeRoute(root),
  pagesRoute(root),
  documentTabsRoute(root),
];

const listSchema = (root: TargetRoot): JsonSchema =>
  root === templateRoot ? templateDocumentsSchema : envelopeDocumentsSchema;

/** The documents with these ids; all when no ids are given. */
function listReply(root: TargetRoot, status: number, agreement: Agreement, ids?: readonly string[]): Reply {
  const { id, documents } = agreement;
  const address = root === templateRoot ? `/templates/${id}` : `/envelopes/${id}`;
  const shown = ids === undefined ? documents : documents.filter(({ documentId }) => ids.includes(documentId));
  const views: Written[] = shown.map((document) => documentView(document, address));
  if (root === templateRoot) return jsonReply(status, { templateId: id, templateDocuments: views });
  if (ids === undefined) views.push(summaryView(address));
  return jsonReply(status, { envelopeId: id, envelopeDocuments: views });
}

const listRoute = (root: TargetRoot): Route =>
  defineCompatRoute({
    tag: root.tag,
    scopes: ["sign:read"],
    operationId: `${root.idPrefix}ListDocuments`,
    method: "GET",
    path: `${root.path}/documents`,
    summary: "List the documents",
    ...(root.hasCertificate ? { description: "In order. The last one, of type `summary`, is the certificate." } : {}),
    success: { status: 200, description: "The documents.", schema: listSchema(root) },
    errors: [],
    call: (request, { sign }) => sign.getAgreement({ target: root.targetOf(request.params) }, onBehalfOf(request)),
    respond: ({ agreement }) => listReply(root, 200, required(agreement)),
  });

const bodyErrors = [
  "ENVELOPE_CANNOT_BE_MODIFIED",
  "INVALID_BASE64",
  "INVALID_DOCUMENT_FORMAT",
  "UPLOAD_NOT_FOUND",
  "DOCUMENT_TOO_LARGE",
  "CORRUPTED_DOCUMENT",
] as const;

const addRoute = (root: TargetRoot, method: "POST" | "PUT"): Route =>
  defineCompatRoute({
    tag: root.tag,
    scopes: ["sign:write"],
    operationId: `${root.idPrefix}${method === "POST" ? "Add" : "Put"}Documents`,
    method,
    path: `${root.path}/documents`,
    summary: method === "POST" ? "Add documents" : "Add or replace documents",
    description: inDrafts,
    body: documentBody<object>({ schema: documentsBody, example: documentsExample, lineBreaks: true }),
    success: {
      status: method === "POST" ? 201 : 200,
      description: "The documents that were added or replaced.",
      schema: listSchema(root),
    },
    errors: bodyErrors,
    call: (request, { sign }) =>
      sign.putDocuments(
        {
          target: root.targetOf(request.params),
          documents: readDocumentsOf(request),
          observed: request.observed,
        },
        { ...onBehalfOf(request), timeoutMs: uploadTimeoutMs },
      ),
    respond: ({ agreement, documentIds }) =>
      listReply(root, method === "POST" ? 201 : 200, required(agreement), documentIds),
  });

const putOneRoute = (root: TargetRoot): Route =>
  defineCompatRoute({
    tag: root.tag,
    scopes: ["sign:write"],
    operationId: `${root.idPrefix}PutDocument`,
    method: "PUT",
    path: `${root.path}/documents/{documentId}`,
    summary: "Add or replace a document",
    description: `The raw bytes, with the name in \`Content-Disposition: filename="NDA.pdf"\`; or a definition with one document. ${inDrafts}`,
    body: documentBody<object>({ schema: documentsBody, example: documentsExample, lineBreaks: true, raw: "any" }),
    success: { status: 200, description: "The document.", schema: compatDocumentSchema },
    errors: bodyErrors,
    call: (request, { sign }) => {
      const { documentId } = request.params as unknown as { readonly documentId: string };
      return sign.putDocuments(
        {
          target: root.targetOf(request.params),
          documents: [readNamedDocument(request, documentId)],
          observed: request.observed,
        },
        { ...onBehalfOf(request), timeoutMs: uploadTimeoutMs },
      );
    },
    respond: ({ agreement, documentIds }) => {
      const { id, documents } = required(agreement);
      const document = documents.find(({ documentId }) => documentIds.includes(documentId));
      return jsonReply(
        200,
        documentView(required(document), `${root === templateRoot ? "/templates" : "/envelopes"}/${id}`),
      );
    },
  });

const removeRoute = (root: TargetRoot): Route =>
  defineCompatRoute({
    tag: root.tag,
    scopes: ["sign:write"],
    operationId: `${root.idPrefix}RemoveDocuments`,
    method: "DELETE",
    path: `${root.path}/documents`,
    summary: "Remove documents",
    description: "Works for drafts only. Removes the tabs on them too.",
    body: jsonBody<object>({ schema: removeDocumentsBody, example: removeDocumentsExample }),
    success: { status: 200, description: "The remaining documents.", schema: listSchema(root) },
    errors: ["DOCUMENT_NOT_FOUND", "ENVELOPE_CANNOT_BE_MODIFIED"],
    call: (request, { sign }) =>
      sign.removeDocuments(
        {
          target: root.targetOf(request.params),
          documentIds: readWith(request.body, readDocumentIds),
          observed: request.observed,
        },
        onBehalfOf(request),
      ),
    respond: ({ agreement }) => listReply(root, 200, required(agreement)),
  });

const pagesRoute = (root: TargetRoot): Route =>
  defineCompatRoute({
    tag: root.tag,
    scopes: ["sign:read"],
    operationId: `${root.idPrefix}ListDocumentPages`,
    method: "GET",
    path: `${root.path}/documents/{documentId}/pages`,
    summary: "List the pages of a document",
    description: "With their sizes in points. Page images aren't available.",
    success: { status: 200, description: "All pages.", schema: pagesSchema },
    errors: [],
    call: async (request, { sign }) => {
      const target = root.targetOf(request.params);
      const { documentId } = request.params as unknown as { readonly documentId: string };
      const { documents } = required((await sign.getAgreement({ target }, onBehalfOf(request))).agreement);
      const document = documents.find((one) => one.documentId === documentId || one.id === documentId.toLowerCase());
      if (document === undefined) throw new DomainError("DOCUMENT_NOT_FOUND");
      return pagesView(document);
    },
    respond: (pages) => jsonReply(200, { ...pageOf({ start: 0, size: pages.length, total: pages.length }), pages }),
  });

/** The tabs on a document, of all recipients. */
const documentTabsRoute = (root: TargetRoot): Route =>
  defineCompatRoute({
    tag: root.tag,
    scopes: ["sign:read"],
    operationId: `${root.idPrefix}ListDocumentTabs`,
    method: "GET",
    path: `${root.path}/documents/{documentId}/tabs`,
    summary: "Read the tabs on a document",
    description: "Tabs of all recipients. Tabs with an anchor are on no document until the envelope is sent.",
    success: { status: 200, description: "The tabs, each with its recipientId.", schema: tabsSchema },
    errors: [],
    call: async (request, { sign }) => {
      const { documentId } = request.params as unknown as { readonly documentId: string };
      const target = root.targetOf(request.params);
      const { agreement } = await sign.getAgreement({ target }, onBehalfOf(request));
      return tabsOnDocument(required(agreement), documentId);
    },
    respond: (tabs) => jsonReply(200, tabs),
  });

function tabsOnDocument({ documents, recipients }: Agreement, wanted: string): Readonly<Record<string, Written>> {
  const document =
    documents.find(({ documentId }) => documentId === wanted) ??
    documents.find(({ id }) => id === wanted.toLowerCase());
  if (document === undefined) throw new DomainError("DOCUMENT_NOT_FOUND");
  const kinds = new Map<string, Written[]>();
  for (const recipient of recipients) {
    const tabs = recipient.tabs.filter(({ documentId }) => documentId === document.documentId);
    for (const [kind, written] of Object.entries(tabsView(tabs, recipient))) {
      kinds.set(kind, [...(kinds.get(kind) ?? []), ...(written as readonly Written[])]);
    }
  }
  return Object.fromEntries(kinds);
}

type DocumentRequest = Pick<RouteRequest, "body" | "files">;

/** The documents of a request: `{ "documents": […] }`, or one document bare. */
const readDocumentsOf = ({ body: value, files }: DocumentRequest): DocumentInit[] =>
  readWith(value, (body) => {
    const documents = isBare(body) ? [readDocument(body, files)] : readDocuments(body, files);
    if (documents.length === 0) body.problem("documents", "REQUIRED", "must have at least one document");
    return documents;
  });

/** The single document of a path: sent as bytes, or as the only document of a definition. */
function readNamedDocument({ body: value, files }: DocumentRequest, documentId: string): DocumentInit {
  const [file] = files;
  if (file !== undefined && saysNothing(value)) return fileInit(file, documentId);
  return readWith(value, (body) => {
    const [document, ...others] = isBare(body) ? [readDocument(body, files)] : readDocuments(body, files);
    if (document === undefined || others.length > 0)
      body.problem("documents", "COUNT", "must have exactly one document");
    return { ...document, documentId };
  });
}

const saysNothing = (body: unknown): boolean => Object.keys(body as object).length === 0;

const fileInit = ({ name, content, contentType }: DocumentFile, documentId: string): DocumentInit => ({
  documentId,
  name: name === "" ? `document.${extensionOf(contentType)}` : name,
  source:
    typeof content === "string"
      ? { case: "problem", value: DocumentProblem.MISSING }
      : { case: "content", value: content },
});

/** The ids of the documents to remove. */
const readDocumentIds = (body: Reader): string[] => {
  const ids = body.objects("documents").map((document) => {
    const id = (document.text("documentId") ?? document.text("documentIdGuid") ?? "").trim();
    if (id === "") document.problem("documentId", "REQUIRED", "is required");
    return id;
  });
  if (ids.length === 0) body.problem("documents", "REQUIRED", "must have at least one document");
  return ids;
};

const isBare = (body: Reader): boolean =>
  !body.has("documents") && ["documentBase64", "htmlDefinition", "documentId", "name"].some((name) => body.has(name));

/** Clients that send bytes without a file name send PDF, whatever Content-Type they declare. */
function extensionOf(contentType: string): string {
  if (contentType === "text/html") return "html";
  return contentType === "text/plain" ? "txt" : "pdf";
}
