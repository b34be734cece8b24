import { expect, test } from "@jest/globals";
import { isCompatPath } from "../http/express-app.ts";
import { operations } from "../routes/operations.ts";
import { compatSample, coveredOperations } from "./covered-operations.ts";

test("one operation of each kind of the compatible interface is sent everything that is hostile", () => {
  expect(compatSample).toEqual([
    "compatCreateEnvelope",
    "compatGetEnvelope",
    "compatUpdateEnvelope",
    "compatListEnvelopeStatus",
    "compatGetNotification",
    "compatUpdateNotification",
    "compatDeleteLock",
    "compatCreateEnvelopeRecipients",
    "compatDeleteEnvelopeRecipient",
    "compatGetDocument",
    "compatAddDocuments",
    "compatPutDocument",
    "compatCreateChunkedUpload",
    "compatGetChunkedUpload",
    "compatPutChunkedUploadPart",
    "compatCommitChunkedUpload",
    "compatUpdateDocGenFormFields",
    "compatCreateTemplate",
    "compatGetTemplate",
    "compatUpdateTemplate",
    "compatTemplateGetDocument",
    "compatTemplatePutDocument",
    "compatDeleteTemplateRecipient",
    "compatListFolderItems",
    "compatMoveToFolder",
    "compatCreateBulkList",
    "compatGetBulkList",
    "compatGetBulkBatch",
    "compatListBulkBatchEnvelopes",
    "compatGetConnect",
    "compatDeleteConnectSecret",
    "compatGetConnectLog",
    "compatGetUser",
    "compatGetLoginInformation",
    "compatGetBrand",
    "compatUpdateBrand",
    "compatGetBrandLogo",
    "compatPutBrandLogo",
  ]);
});

test("every other operation is sent all of it", () => {
  const missing = operations.filter((operation) => !coveredOperations.includes(operation));
  expect(missing.filter(({ path }) => !isCompatPath(path))).toEqual([]);
  expect(missing.length).toBe(operations.filter(({ path }) => isCompatPath(path)).length - compatSample.length);
});
