import { DocumentProblem } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { DocumentFile } from "./document-file.ts";

/** What the sign service takes of a document. */
export type DocumentSource =
  | { readonly case: "content"; readonly value: Uint8Array }
  | { readonly case: "problem"; readonly value: DocumentProblem };

/** The document that a `documentBase64` of a body stands for. */
export const documentSource = (files: readonly DocumentFile[], reference: string | null | undefined): DocumentSource =>
  fileSource(typeof reference === "string" ? files[Number(reference)] : undefined);

/** What could not be read is said by the service, when its turn comes in the order of its checks. */
export function fileSource(file: DocumentFile | undefined): DocumentSource {
  if (file === undefined || file.content === "missing") return { case: "problem", value: DocumentProblem.MISSING };
  if (file.content === "invalid-base64") return { case: "problem", value: DocumentProblem.INVALID_BASE64 };
  return { case: "content", value: file.content };
}
