import { create, fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type BulkBatch as BulkBatchMessage,
  BulkBatchSchema,
  type BulkCopy as BulkCopyMessage,
  BulkCopySchema,
  type BulkList as BulkListMessage,
  BulkListSchema,
} from "#gen/assent/sign/v1/sign_pb.ts";
import type { JsonObject } from "../domain/agreement.ts";
import type { BulkCopy, BulkList } from "../domain/bulk.ts";
import type { Definition } from "../domain/definition.ts";
import type { BulkBatchSummary, BulkListSummary } from "../store/bulk-store.ts";
import { parseCustomField, parseRecipients } from "./input.ts";

/** The copies of a request, as they are stored. Throws VALIDATION_FAILED for what no agreement could be made of. */
export const storedCopies = (copies: readonly BulkCopyMessage[]): BulkCopy[] =>
  copies.map((copy) => {
    parseCopy(copy);
    return toJson(BulkCopySchema, copy) as JsonObject;
  });

const copyMessage = (copy: BulkCopy): BulkCopyMessage =>
  fromJson(BulkCopySchema, copy as JsonValue, { ignoreUnknownFields: true });

/** What a stored copy lays over the agreement that is sent. */
export const copyDefinition = (copy: BulkCopy): Definition => parseCopy(copyMessage(copy));

const parseCopy = ({ recipients, customFields, emailSubject, emailBlurb }: BulkCopyMessage): Definition => ({
  ...(emailSubject === undefined ? {} : { emailSubject }),
  ...(emailBlurb === undefined ? {} : { emailBlurb }),
  documents: [],
  recipients: parseRecipients(recipients),
  customFields: customFields.map(parseCustomField),
});

export const bulkListMessage = (list: BulkList): BulkListMessage =>
  create(BulkListSchema, {
    id: list.id,
    name: list.name,
    copies: list.copies.map(copyMessage),
    copyCount: list.copies.length,
    createdAt: timestampFromDate(list.createdAt),
  });

export const bulkListSummary = ({ id, name, copyCount, createdAt }: BulkListSummary): BulkListMessage =>
  create(BulkListSchema, { id, name, copyCount, createdAt: timestampFromDate(createdAt) });

export const bulkBatchMessage = (batch: BulkBatchSummary): BulkBatchMessage =>
  create(BulkBatchSchema, {
    id: batch.id,
    listId: batch.listId,
    name: batch.name,
    total: batch.total,
    queued: batch.total - batch.sent - batch.failed,
    sent: batch.sent,
    failed: batch.failed,
    submittedAt: timestampFromDate(batch.submittedAt),
    ...(batch.endedAt === null ? {} : { endedAt: timestampFromDate(batch.endedAt) }),
    failures: batch.failures.map((failure) => ({ ...failure })),
    ownerName: batch.createdBy,
  });
