import { create } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { BatchItemSchema, DocumentSchema, DocumentStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { documentView, itemView } from "../../views/generation/document.ts";

const documentOf = (sha256: string) => create(DocumentSchema, { id: "d1", status: DocumentStatus.COMPLETED, sha256 });

test("a document says where its bytes are, unless it was deleted", () => {
  const itemOf = (sha256: string) => create(BatchItemSchema, { document: documentOf(sha256) });
  expect(documentView(documentOf("ab")).contentUrl).toBe("/v1/gen/documents/d1/content");
  expect(itemView(itemOf("ab")).contentUrl).toBe("/v1/gen/documents/d1/content");
  expect(documentView(documentOf("")).contentUrl).toBeNull();
  expect(itemView(itemOf(""))).toMatchObject({ status: "completed", sha256: null, contentUrl: null });
});
