import type { PdfFile } from "#gen/assent/sign/v1/sign_pb.ts";
import { fileReply } from "../../http/file-reply.ts";
import type { Reply } from "../../http/reply.ts";
import { fileAnswer } from "../generation/file-answer.ts";
import { required } from "../required.ts";
import { defineRoute, queryOf, type Route, type RouteRequest } from "../route.ts";
import { described, flag } from "../schema-parts.ts";
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

/** What an agreement has as PDF. */
export const signFileRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getDocumentContent",
    method: "GET",
    path: "/v1/sign/agreements/{id}/documents/{documentId}/content",
    summary: "Download a document",
    description:
      "Sealed once the agreement is completed; before, the document as everybody sees it. That is the file that was sent when it carries signatures; any other PDF was written anew when it came: same pages, without what acts or what nothing refers to.",
    texts: { documentId: documentIdParam },
    errors: ["RANGE_NOT_SATISFIABLE", ...fileErrors],
    call: (request, { sign }) =>
      sign.getDocumentContent(
        { target: agreementTarget(request.params.id), documentId: request.params.documentId },
        withDocuments(request),
      ),
    respond: ({ file }, request) => pdfReply(file, request),
  }),
  defineRoute({
    ...base,
    operationId: "getCombinedDocument",
    method: "GET",
    path: "/v1/sign/agreements/{id}/combined",
    summary: "Download all documents as one PDF",
    query: queryOf<{ readonly certificate?: boolean }>({
      certificate: described(flag, "Whether the certificate of completion is appended; false when absent."),
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
    description: "Who signed what, when and how; before completion it says how far the agreement is.",
    errors: ["RANGE_NOT_SATISFIABLE", ...fileErrors],
    call: (request, { sign }) => sign.getCertificate({ agreementId: request.params.id }, withDocuments(request)),
    respond: ({ file }, request) => pdfReply(file, request),
  }),
];

function pdfReply(file: PdfFile | undefined, request: Pick<RouteRequest, "method" | "headers">): Reply {
  const { content, fileName, sha256 } = required(file);
  const stored = {
    bytes: content,
    contentType: "application/pdf",
    fileName,
    sha256: Buffer.from(sha256).toString("hex"),
  };
  return fileReply({ ...stored, rangeCode: "RANGE_NOT_SATISFIABLE" }, request);
}
