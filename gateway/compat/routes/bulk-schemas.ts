import { described, flag, listOf } from "../../routes/schema-parts.ts";
import { looseBody, pageAnswer, sampleId, sampleTime, textsAnswer } from "../schema-parts.ts";

const copy = {
  recipients: [{ roleName: "signer", name: "Ann", email: "ann@example.com", tabs: [] }],
  customFields: [{ name: "order", value: "17" }],
};

export const bulkListExample = { name: "Spring", bulkCopies: [copy] };

export const bulkListBody = looseBody({
  name: "Your name for the list.",
  bulkCopies:
    "1 to 1,000 copies: recipients that fill the roles of the envelope or template (roleName, else recipientId), with values of tabs by their labels; customFields; emailSubject and emailBlurb.",
});

export const bulkListSchema = textsAnswer(
  { listId: sampleId, name: "Spring" },
  { bulkCopies: listOf({ type: "object", examples: [copy] }) },
  ["listId", "name", "bulkCopies"],
);

export const bulkListsSchema = textsAnswer(
  {},
  {
    bulkListSummaries: listOf(
      textsAnswer({ bulkSendListId: sampleId, name: "Spring", createdDate: sampleTime }, {}, ["bulkSendListId"]),
    ),
  },
  ["bulkListSummaries"],
);

export const sendBulkBody = looseBody({
  envelopeOrTemplateId: "What is sent once for each copy: a draft or a template.",
  batchName: "Your name for the batch; that of the list when absent.",
});

export const sendBulkExample = { envelopeOrTemplateId: sampleId, batchName: "Spring, first part" };

export const bulkSentSchema = textsAnswer(
  {
    batchId: sampleId,
    batchName: "Spring, first part",
    batchSize: "200",
    envelopeOrTemplateId: sampleId,
    totalQueued: "200",
  },
  {},
  ["batchId", "batchName", "batchSize", "envelopeOrTemplateId", "totalQueued"],
);

export const bulkTestSchema = textsAnswer(
  {},
  {
    canBeSent: described(flag, "A boolean, unlike other flags."),
    validationErrors: listOf({ type: "string", examples: ["RECIPIENT_NOT_FOUND"] }),
    validationErrorDetails: listOf({
      type: "string",
      examples: ['Copy 1: there is no recipient with the role "signer".'],
    }),
  },
  ["canBeSent", "validationErrors", "validationErrorDetails"],
);

const batch = {
  batchId: sampleId,
  batchName: "Spring, first part",
  batchSize: "200",
  batchUri: `/bulk_send_batch/${sampleId}`,
  queued: "40",
  sent: "158",
  failed: "2",
  submittedDate: sampleTime,
};

const ofBatch = ["batchId", "batchName", "batchSize", "queued", "sent", "failed"] as const;

export const bulkBatchSchema = textsAnswer(
  { ...batch, mailingListId: sampleId },
  {
    bulkErrors: listOf(
      textsAnswer({ errorMessage: "INVALID_EMAIL: copy 3: …" }, { recipientEmails: listOf({ type: "string" }) }, [
        "errorMessage",
        "recipientEmails",
      ]),
    ),
  },
  [...ofBatch, "bulkErrors"],
);

export const bulkBatchesSchema = pageAnswer("bulkBatchSummaries", textsAnswer(batch, {}, ofBatch));
