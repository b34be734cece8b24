import { fileReply } from "../../http/file-reply.ts";
import { defineRoute, type HeaderParam, onBehalfOf, type Route, type RouteDescription } from "../route.ts";
import { required } from "../schema-parts.ts";
import { documentTag } from "./documents.ts";
import { genBase, read } from "./pages.ts";

const header = (description: string, example: string): HeaderParam => ({
  description,
  schema: { type: "string", examples: [example] },
});

/** What an operation says that answers with a file; see fileReply. */
export const fileAnswer = (
  file: Pick<RouteDescription["success"], "description" | "contentType" | "alsoTypes">,
): Pick<RouteDescription, "headerParams" | "success" | "caching"> & {
  readonly success: RouteDescription["success"];
} => ({
  caching: "revalidated",
  headerParams: {
    Range: header("One range of the bytes. A request for several ranges gets all bytes.", "bytes=0-1023"),
    "If-Range": header("The ETag of what you have a part of: when it is another one, all bytes are answered.", etag),
    "If-None-Match": header("The ETag of what you have: when it is still the same, the answer is 304.", etag),
  },
  success: {
    status: 200,
    ...file,
    also: {
      206: "The part that Range asks for.",
      304: "You have it already.",
    },
    headers: {
      ETag: "The SHA-256 of the bytes, in quotes.",
      "Accept-Ranges": "bytes",
      "Content-Range": "Of a part: which bytes of how many.",
      "Content-Disposition": "attachment, with the file's name.",
      "Content-Security-Policy": "Lets nothing run.",
    },
  },
});

const etag = `"${"0123456789abcdef".repeat(4)}"`;

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
