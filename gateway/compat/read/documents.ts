import type { MessageInitShape } from "@bufbuild/protobuf";
import { type DocumentInputSchema, DocumentProblem } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { DocumentFile } from "../../document-bodies/document-file.ts";
import type { Reader } from "./reader.ts";
import { refuseMeaningful } from "./refuse.ts";

export type DocumentInit = MessageInitShape<typeof DocumentInputSchema>;

/** The `documents` of a definition, whose bytes came as these files. */
export const readDocuments = (reader: Reader, files: readonly DocumentFile[]): DocumentInit[] =>
  reader.objects("documents").map((document) => readDocument(document, files));

export function readDocument(document: Reader, files: readonly DocumentFile[]): DocumentInit {
  refuseMeaningful(document, refused);
  const order = document.integer("order", { min: 0, max: 1_000_000 });
  const html = document.object("htmlDefinition")?.text("source");
  const given = document.text("fileExtension")?.trim() ?? "";
  const extension = given.startsWith(".") ? given.slice(1) : given;
  return {
    documentId: document.text("documentId")?.trim() ?? "",
    name: document.text("name") ?? "",
    ...(order === undefined ? {} : { order }),
    ...(html === undefined || document.has("documentBase64")
      ? { fileExtension: extension, source: sourceOf(document, files) }
      : { fileExtension: "html", source: { case: "content", value: new TextEncoder().encode(html) } as const }),
  };
}

/** What a document would be shown or filled otherwise without. */
const refused = ["remoteUrl", "transformPdfFields", "tabs", "docGenFormFields", "encryptedWithKeyManager"];

/** In place of documentBase64 stands the index of its file. */
function sourceOf(document: Reader, files: readonly DocumentFile[]): NonNullable<DocumentInit["source"]> {
  const index = document.text("documentBase64") ?? "";
  const content = /^\d{1,4}$/.test(index) ? files[Number(index)]?.content : undefined;
  if (content === undefined || content === "missing") return { case: "problem", value: DocumentProblem.MISSING };
  if (content === "invalid-base64") return { case: "problem", value: DocumentProblem.INVALID_BASE64 };
  return { case: "content", value: content };
}
