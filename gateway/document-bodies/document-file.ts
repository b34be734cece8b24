import { createHash } from "node:crypto";

/** A document that came with a request. */
export interface DocumentFile {
  readonly content: Uint8Array<ArrayBuffer> | "invalid-base64" | "missing";
  /** Of the content; of nothing when there is none. */
  readonly sha256: Uint8Array<ArrayBuffer>;
  /** Of parts and of bodies that are nothing but a document; empty when it was not said. */
  readonly documentId: string;
  readonly name: string;
  /** In lower case, without parameters. */
  readonly contentType: string;
}

export const fileOf = (
  content: DocumentFile["content"],
  said: Partial<Pick<DocumentFile, "documentId" | "name" | "contentType">> = {},
): DocumentFile => ({
  content,
  sha256: new Uint8Array(createHash("sha256").update(content).digest()),
  documentId: "",
  name: "",
  contentType: "",
  ...said,
});
