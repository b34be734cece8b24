import { createHash } from "node:crypto";

/** A document that came with a request. */
export interface DocumentFile {
  readonly content: Uint8Array<ArrayBuffer> | "invalid-base64" | "missing";
  /** The SHA-256 of the content, also when it is empty. */
  readonly sha256: Uint8Array<ArrayBuffer>;
  /** The documentId of a part or of a bare document; empty when none was sent. */
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
