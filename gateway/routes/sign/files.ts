import { attachment } from "#api/agreement-records.ts";
import type { PdfFile } from "#gen/assent/sign/v1/sign_pb.ts";
import { wordType } from "#platform/office-package.ts";
import { fileReply } from "../../http/file-reply.ts";
import { jsonReply, type Reply } from "../../http/reply.ts";
import { fileAnswer } from "../generation/file-answer.ts";
import { defineRoute, onBehalfOf, queryOf, type Route, type RouteRequest } from "../route.ts";
import { described, flag, listOf, required } from "../schema-parts.ts";
import { agreementTarget, fileErrors, read, signBase, withDocuments } from "./base.ts";
import { signDocumentTag } from "./documents.ts";
import { documentIdParam } from "./parts.ts";

const base = {
  ...signBase,
  tag: signDocumentTag,
  access: read,
  notFound: { id: "ENVELOPE_NOT_FOUND" },
  ...fileAnswer({ description: "The PDF.", contentType: "application/pdf" }),
} as const;

const office = "application/vnd.openxmlformats-officedocument";

/** Of files that are converted to PDFs, by their extensions. What browsers would show is sent as bytes. */
const originalTypes: ReadonlyMap<string, string> = new Map([
  ["docx", wordType],
  ["xlsx", `${office}.spreadsheetml.sheet`],
  ["pptx", `${office}.presentationml.presentation`],
  ["odt", "application/vnd.oasis.opendocument.text"],
  ["doc", "application/msword"],
  ["rtf", "application/rtf"],
  ["png", "image/png"],
  ...["jpg", "jpeg"].map((one): [string, string] => [one, "image/jpeg"]),
  ["tif", "image/tiff"],
  ...["html", "htm", "txt"].map((one): [string, string] => [one, "application/octet-stream"]),
]);

/** What an agreement has as PDF. */
export const signFileRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getDocumentContent",
    method: "GET",
    path: "/v1/sign/agreements/{id}/documents/{documentId}/content",
    summary: "Download a document",
    description:
      "The sealed document once the agreement is completed; before, the document as everyone sees it. That is the uploaded file if it has signatures; any other PDF was rewritten on upload: same pages, without active or unused content.",
    texts: { documentId: documentIdParam },
    ...fileAnswer({
      ...{ description: "The PDF, or the file as it was sent.", contentType: "application/pdf" },
      alsoTypes: [...new Set(originalTypes.values())],
    }),
    query: queryOf<{ readonly original?: boolean }>({
      original: described(
        flag,
        "Whether to download the file as it was sent, of a document that was converted to a PDF (`originalFormat`); false when absent. No one has looked into such a file for viruses.",
      ),
    }),
    errors: ["RANGE_NOT_SATISFIABLE", ...fileErrors],
    call: (request, { sign }) =>
      sign.getDocumentContent(
        {
          target: agreementTarget(request.params.id),
          documentId: request.params.documentId,
          original: request.query.original ?? false,
        },
        withDocuments(request),
      ),
    respond: ({ file }, request) => {
      const extension = request.query.original ? (file?.fileName.split(".").at(-1) ?? "") : "pdf";
      return pdfReply(file, request, originalTypes.get(extension.toLowerCase()));
    },
  }),
  defineRoute({
    ...base,
    operationId: "getCombinedDocument",
    method: "GET",
    path: "/v1/sign/agreements/{id}/combined",
    summary: "Download all documents as one PDF",
    query: queryOf<{ readonly certificate?: boolean }>({
      certificate: described(flag, "Whether the certificate of completion is appended. Default: false."),
    }),
    errors: ["DOCUMENT_NOT_FOUND", "RANGE_NOT_SATISFIABLE", ...fileErrors],
    call: (request, { sign }) =>
      sign.getCombinedDocument(
        { target: agreementTarget(request.params.id), withCertificate: request.query.certificate ?? false },
        withDocuments(request),
      ),
    respond: ({ file }, request) => pdfReply(file, request),
  }),
  defineRoute({
    ...base,
    operationId: "getCertificate",
    method: "GET",
    path: "/v1/sign/agreements/{id}/certificate",
    summary: "Download the certificate of completion",
    description: "Shows who signed what, when and how; before completion it shows the agreement's progress.",
    errors: ["RANGE_NOT_SATISFIABLE", ...fileErrors],
    call: (request, { sign }) => sign.getCertificate({ agreementId: request.params.id }, withDocuments(request)),
    respond: ({ file }, request) => pdfReply(file, request),
  }),
];

function pdfReply(
  file: PdfFile | undefined,
  request: Pick<RouteRequest, "method" | "headers">,
  contentType = "application/pdf",
): Reply {
  const { content, fileName, sha256 } = required(file);
  const stored = {
    bytes: content,
    contentType,
    fileName,
    sha256: Buffer.from(sha256).toString("hex"),
  };
  return fileReply({ ...stored, rangeCode: "RANGE_NOT_SATISFIABLE" }, request);
}

const attachmentBase = { ...signBase, tag: signDocumentTag, method: "GET", access: read } as const;

/** What recipients have attached to tabs. */
export const attachmentRoutes: readonly Route[] = [
  defineRoute({
    ...attachmentBase,
    operationId: "listAttachments",
    path: "/v1/sign/agreements/{id}/attachments",
    summary: "List the files that recipients have attached",
    description: "In the order of attaching. Files that a person has replaced stay in the list.",
    notFound: { id: "ENVELOPE_NOT_FOUND" },
    success: { status: 200, description: "The attachments.", schema: listOf(attachment.schemas.answer) },
    errors: [],
    call: ({ params, ...request }, { sign }) => sign.listAttachments({ agreementId: params.id }, onBehalfOf(request)),
    respond: ({ attachments }) =>
      jsonReply(
        200,
        attachments.map((one) => attachment.answer(one)),
      ),
  }),
  defineRoute({
    ...attachmentBase,
    operationId: "getAttachmentContent",
    path: "/v1/sign/agreements/{id}/attachments/{attachmentId}/content",
    summary: "Download a file that a recipient has attached",
    description:
      "A PDF, checked like a document; a picture becomes a page. Its SHA-256 is in the audit trail, and so is that of the uploaded file. Files that earlier releases stored are as the person uploaded them; they weren't checked.",
    notFound: { id: "ENVELOPE_NOT_FOUND", attachmentId: "ATTACHMENT_NOT_FOUND" },
    ...fileAnswer({
      description: "The file.",
      contentType: "application/pdf",
      alsoTypes: ["image/png", "image/jpeg"],
    }),
    errors: ["RANGE_NOT_SATISFIABLE", ...fileErrors],
    call: (request, { sign }) => {
      const { id: agreementId, attachmentId } = request.params;
      return sign.getAttachmentContent({ agreementId, attachmentId }, withDocuments(request));
    },
    respond: ({ attachment: found, content }, request) => {
      const { contentType, fileName, sha256 } = required(found);
      const file = { bytes: content, contentType, fileName, sha256: Buffer.from(sha256).toString("hex") };
      return fileReply({ ...file, rangeCode: "RANGE_NOT_SATISFIABLE" }, request);
    },
  }),
];
