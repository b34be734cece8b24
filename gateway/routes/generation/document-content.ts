import { fileReply } from "../../http/file-reply.ts";
import { required } from "../required.ts";
import { defineRoute, onBehalfOf, type Route } from "../route.ts";
import { genBase, read } from "./base.ts";
import { documentTag } from "./documents.ts";
import { fileAnswer } from "./file-answer.ts";

/** A document may have 25 MB. */
export const contentTimeoutMs = 20_000;

export const documentContentRoutes: readonly Route[] = [
  defineRoute({
    ...genBase,
    tag: documentTag,
    operationId: "getGenDocumentContent",
    method: "GET",
    path: "/v1/gen/documents/{id}/content",
    summary: "Download a document",
    access: read,
    notFound: { id: "GEN_DOCUMENT_NOT_FOUND" },
    ...fileAnswer({ description: "The bytes.", contentType: "application/pdf" }),
    errors: ["GEN_DOCUMENT_NOT_READY", "GEN_RANGE_NOT_SATISFIABLE"],
    call: (request, { docgen }) =>
      docgen.getDocumentContent(
        { documentId: request.params.id },
        { ...onBehalfOf(request), timeoutMs: contentTimeoutMs },
      ),
    respond: ({ document, content }, request) => {
      const { fileName, sha256 } = required(document);
      return fileReply({ bytes: content, contentType: "application/pdf", fileName, sha256 }, request);
    },
  }),
];
