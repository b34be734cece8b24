import type { RecipientInput } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { BulkBatch, BulkCopy, BulkList } from "#gen/assent/sign/v1/sign_pb.ts";
import { compatTime, filled, numberText, present, type Written } from "../../../views/compat/scalars.ts";

export const bulkListView = ({ id, name, copies }: BulkList): Written => ({
  listId: id,
  name,
  bulkCopies: copies.map(copyView),
});

export const bulkListSummary = ({ id, name, createdAt }: BulkList): Written =>
  present({ bulkSendListId: id, name, createdDate: compatTime(createdAt) });

const copyView = ({ emailSubject, emailBlurb, recipients, customFields }: BulkCopy): Written =>
  present({
    emailSubject,
    emailBlurb,
    recipients: recipients.map(recipientView),
    customFields: customFields.map(({ name, value }) => ({ name, value })),
  });

const recipientView = (recipient: RecipientInput): Written =>
  present({
    recipientId: filled(recipient.recipientId),
    name: recipient.name,
    email: recipient.email,
    roleName: recipient.roleName,
    clientUserId: recipient.clientUserId,
    note: recipient.note,
    hostName: recipient.hostName,
    hostEmail: recipient.hostEmail,
    tabs: recipient.tabs.map(({ label = "", value = "" }) => ({ tabLabel: label, initialValue: value })),
  });

/** How far a batch is, as a list of batches shows it. */
export const bulkBatchSummary = (batch: BulkBatch): Readonly<Record<string, Written>> =>
  present({
    batchId: batch.id,
    batchName: batch.name,
    batchSize: numberText(batch.total),
    batchUri: `/bulk_send_batch/${batch.id}`,
    queued: numberText(batch.queued),
    sent: numberText(batch.sent),
    failed: numberText(batch.failed),
    submittedDate: compatTime(batch.submittedAt),
  });

/** The same with what is only told of one batch. */
export const bulkBatchView = (batch: BulkBatch): Written => ({
  ...bulkBatchSummary(batch),
  mailingListId: batch.listId,
  bulkErrors: batch.failures.map(({ index, errorCode, message }) => ({
    errorMessage: `${errorCode}: copy ${index + 1}: ${message}`,
    recipientEmails: [],
  })),
});
