import { bulkBatchSummarySchema, bulkListSummary, exampleCopy } from "#api/compat-records.ts";
import { described, flag, listOf } from "../../routes/schema-parts.ts";
import { looseBody, pageAnswer, sampleId, textsAnswer } from "../schema-parts.ts";

export const bulkListExample = { name: "Spring", bulkCopies: [exampleCopy] };

export const bulkListBody = looseBody({
  name: "Your name for the list.",
  bulkCopies:
    "1 to 1,000 copies: recipients that fill the roles of the envelope or template (roleName, else recipientId), with values of tabs by their labels; customFields; emailSubject and emailBlurb.",
});

export const bulkListsSchema = textsAnswer(
  {},
  {
    bulkListSummaries: listOf(bulkListSummary.schema),
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

export const bulkBatchesSchema = pageAnswer("bulkBatchSummaries", bulkBatchSummarySchema);
