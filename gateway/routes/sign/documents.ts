import type { MessageInitShape } from "@bufbuild/protobuf";
import { documentFields, documentInput, documentsInput, exampleBase64 } from "#api/agreement-bodies.ts";
import { agreementDocument } from "#api/agreements.ts";
import type { CreateOf } from "#api/members.ts";
import { tabProposal } from "#api/tabs.ts";
import type { Agreement, DocumentInputSchema } from "#gen/assent/sign/v1/agreement_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { fileSource } from "../../document-bodies/document-bodies.ts";
import type { DocumentFile } from "../../document-bodies/document-file.ts";
import { jsonReply, noContent } from "../../http/reply.ts";
import { defineRoute, documentsBody, filterQuery, onBehalfOf, type Route } from "../route.ts";
import { listOf, required } from "../schema-parts.ts";
import { documentOf } from "./agreement-input.ts";
import { agreementTarget, fileErrors, read, signBase, withDocuments, write } from "./base.ts";
import { documentEditErrors, documentIdParam } from "./parts.ts";

export const signDocumentTag = "Agreement documents";
const base = { ...signBase, tag: signDocumentTag, notFound: { id: "ENVELOPE_NOT_FOUND" } } as const;
const all = "/v1/sign/agreements/{id}/documents";
const one = `${all}/{documentId}` as const;
const texts = { documentId: documentIdParam } as const;

const exampleDocument = { documentId: "1", name: "NDA.pdf", documentBase64: exampleBase64 };

export const signDocumentRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listDocuments",
    method: "GET",
    path: all,
    summary: "List the documents",
    access: read,
    success: {
      status: 200,
      description: "The documents, in their order.",
      schema: listOf(agreementDocument.schemas.answer),
    },
    errors: [],
    call: (request, { sign }) => sign.getAgreement({ target: agreementTarget(request.params.id) }, onBehalfOf(request)),
    respond: ({ agreement }) =>
      jsonReply(
        200,
        required(agreement).documents.map((one) => agreementDocument.answer(one)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "addDocuments",
    method: "POST",
    path: all,
    summary: "Add documents to a draft",
    description: "A document with an existing documentId replaces that document, and the tabs on it stay.",
    access: write,
    body: documentsBody(documentsInput, {
      multipart: true,
      example: { documents: [exampleDocument] },
    }),
    success: { status: 201, description: "All documents.", schema: listOf(agreementDocument.schemas.answer) },
    errors: documentEditErrors,
    call: ({ params, body, files, observed, ...request }, { sign }) => {
      const documents = body.documents.map((document) => documentOf(document, files));
      return sign.putDocuments({ target: agreementTarget(params.id), documents, observed }, withDocuments(request));
    },
    respond: ({ agreement }) =>
      jsonReply(
        201,
        required(agreement).documents.map((one) => agreementDocument.answer(one)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "getDocument",
    method: "GET",
    path: one,
    texts,
    summary: "Read the metadata of a document",
    access: read,
    success: { status: 200, description: "The document, without its bytes.", schema: agreementDocument.schemas.answer },
    errors: [],
    call: async ({ params, ...request }, { sign }) => {
      const { agreement } = await sign.getAgreement({ target: agreementTarget(params.id) }, onBehalfOf(request));
      return documentIn(agreement, params.documentId);
    },
    respond: (document) => jsonReply(200, agreementDocument.answer(document)),
  }),
  defineRoute({
    ...base,
    operationId: "proposeTabs",
    method: "GET",
    path: `${one}/proposals`,
    texts,
    summary: "Propose tabs for a document",
    description:
      "Finds places in its text that ask for tabs: tags such as `{{signature:1}}`, blanks, and words such as `Signature:`. Nothing is changed; places that already have a tab are left out.",
    access: read,
    success: {
      status: 200,
      description: "The proposals, by page and from top to bottom; at most 1,000.",
      schema: listOf(tabProposal.schemas.answer),
    },
    errors: ["CORRUPTED_DOCUMENT", ...fileErrors],
    call: ({ params, ...request }, { sign }) =>
      sign.proposeTabs({ target: agreementTarget(params.id), documentId: params.documentId }, withDocuments(request)),
    respond: ({ proposals }) =>
      jsonReply(
        200,
        proposals.map((one) => tabProposal.answer(one)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "putDocument",
    method: "PUT",
    path: one,
    texts,
    summary: "Add a document to a draft, or replace it",
    description:
      'As JSON, or as the raw bytes of any type, with the name in Content-Disposition: `attachment; filename="NDA.pdf"`. For raw bytes, the query takes `pdfFields` and `pdfFieldsRecipientId` of the JSON.',
    access: write,
    query: filterQuery(documentFields),
    headerParams: {
      "Content-Disposition": {
        description: "The name of a document sent as raw bytes.",
        schema: { type: "string", examples: ['attachment; filename="NDA.pdf"'] },
      },
    },
    body: documentsBody(documentInput, { raw: "any", example: exampleDocument }),
    success: { status: 200, description: "The document.", schema: agreementDocument.schemas.answer },
    errors: documentEditErrors,
    call: async ({ params, query, body, files, observed, headers, ...request }, { sign }) => {
      const isJson = body.name !== undefined;
      const document = isJson ? documentOf(body, files) : { ...fieldsOf(query), ...documentAlone(files[0]) };
      const documents = [{ ...document, documentId: params.documentId }];
      const wanted = { target: agreementTarget(params.id), documents, observed };
      const { agreement } = await sign.putDocuments(wanted, withDocuments(request));
      return documentIn(agreement, params.documentId);
    },
    respond: (document) => jsonReply(200, agreementDocument.answer(document)),
  }),
  defineRoute({
    ...base,
    operationId: "removeDocument",
    method: "DELETE",
    path: one,
    texts,
    summary: "Remove a document of a draft",
    access: write,
    success: { status: 204, description: "The document and the tabs on it were deleted." },
    errors: ["ENVELOPE_CANNOT_BE_MODIFIED"],
    call: ({ params, observed, ...request }, { sign }) =>
      sign.removeDocuments(
        { target: agreementTarget(params.id), documentIds: [params.documentId], observed },
        onBehalfOf(request),
      ),
    respond: () => noContent,
  }),
];

const fieldsOf = ({ pdfFields, pdfFieldsRecipientId }: CreateOf<typeof documentFields.table>) =>
  documentFields.create({ pdfFields, pdfFieldsRecipientId });

function documentIn(agreement: Agreement | undefined, id: string) {
  const found = required(agreement).documents.find((one) => one.documentId === id || one.id === id.toLowerCase());
  if (found === undefined) throw new DomainError("DOCUMENT_NOT_FOUND");
  return found;
}

/** Types that say what a name without an extension does not. */
const extensions: ReadonlyMap<string, string> = new Map([
  ["application/pdf", "pdf"],
  ["text/html", "html"],
  ["text/plain", "txt"],
]);

function documentAlone(file: DocumentFile | undefined): MessageInitShape<typeof DocumentInputSchema> {
  const { name = "", contentType = "" } = file ?? {};
  const extension = extensions.get(contentType) ?? "";
  const known = name === "" ? `document${extension === "" ? "" : `.${extension}`}` : name;
  return { name: known, fileExtension: known.includes(".") ? "" : extension, source: fileSource(file) };
}
