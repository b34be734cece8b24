import { createHash } from "node:crypto";
import { canonicalJson } from "#platform/canonical-json.ts";
import type { DocumentFile } from "../../document-bodies/document-file.ts";

/** What an idempotency key stands for: the operation, its body whatever the order of its fields, and its files. */
export const requestHash = (
  operation: string,
  body: unknown,
  files: readonly DocumentFile[] = [],
): Uint8Array<ArrayBuffer> => {
  const hashes = files.map(({ sha256 }) => Buffer.from(sha256).toString("hex"));
  return new Uint8Array(
    createHash("sha256")
      .update(canonicalJson({ operation, body, files: hashes }))
      .digest(),
  );
};
