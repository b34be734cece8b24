import { DocumentProblem } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { DocumentFile } from "../../document-bodies/document-file.ts";
import type { RouteRequest } from "../../routes/route.ts";
import { type DocumentInit, readDocument, readDocuments } from "./definition.ts";
import { type Reader, readWith } from "./reader.ts";

type DocumentRequest = Pick<RouteRequest, "body" | "files">;

/** The documents of a request: `{ "documents": […] }`, or one document bare. */
export const readDocumentsOf = ({ body: value, files }: DocumentRequest): DocumentInit[] =>
  readWith(value, (body) => {
    const documents = isBare(body) ? [readDocument(body, files)] : readDocuments(body, files);
    if (documents.length === 0) body.problem("documents", "REQUIRED", "must have at least one document");
    return documents;
  });

/** The one document that an address names: its bytes alone, or the only document of a definition. */
export function readNamedDocument({ body: value, files }: DocumentRequest, documentId: string): DocumentInit {
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

/** Ids of the documents of a request, for their removal. */
export const readDocumentIds = (body: Reader): string[] => {
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

/** Clients that send bytes without a name send PDF, whatever else they say. */
function extensionOf(contentType: string): string {
  if (contentType === "text/html") return "html";
  return contentType === "text/plain" ? "txt" : "pdf";
}
