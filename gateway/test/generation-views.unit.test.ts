import { create } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { batchItem, genDocument } from "#api/generation-documents.ts";
import { BatchItemSchema, DocumentSchema, DocumentStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";

const documentOf = (sha256: string) => create(DocumentSchema, { id: "d1", status: DocumentStatus.COMPLETED, sha256 });

test("a document says where its bytes are, unless it was deleted", () => {
  const itemOf = (sha256: string) => create(BatchItemSchema, { document: documentOf(sha256) });
  expect(genDocument.answer(documentOf("ab")).contentUrl).toBe("/v1/gen/documents/d1/content");
  expect(batchItem.answer(itemOf("ab")).contentUrl).toBe("/v1/gen/documents/d1/content");
  expect(genDocument.answer(documentOf("")).contentUrl).toBeNull();
  expect(batchItem.answer(itemOf(""))).toMatchObject({ status: "completed", sha256: null, contentUrl: null });
});
