import { bulkBatchSummarySchema, bulkListSummary, exampleCopy } from "#api/compat-records.ts";
import { jsonReply } from "../../http/reply.ts";
import { onBehalfOf, type Route } from "../../routes/route.ts";
import { described, flag, listOf } from "../../routes/schema-parts.ts";
import { defineCompatRoute } from "../route.ts";
import { looseBody, pageAnswer, sampleId, textsAnswer } from "../schema-parts.ts";
import { envelopeFilters, findEnvelopes, listAsked, pageView } from "./envelope-lists.ts";
import { envelopesSchema } from "./envelope-schemas.ts";

export const compatBulkEnvelopeRoutes: readonly Route[] = [
  defineCompatRoute({
    tag: "Compatible bulk sending",
    scopes: ["sign:read"],
    notFound: { bulkSendBatchId: "BULK_BATCH_NOT_FOUND" },
    operationId: "compatListBulkBatchEnvelopes",
    method: "GET",
    path: "/bulk_send_batch/{bulkSendBatchId}/envelopes",
    summary: "List the envelopes of a batch",
    description:
      "Page by page, with all parameters of envelope lists. Copies that are waiting or have failed aren't envelopes; the batch counts them.",
    query: envelopeFilters,
    success: { status: 200, description: "A page of envelopes.", schema: envelopesSchema },
    errors: [],
    call: async (request, services) => {
      const list = listAsked(request.query);
      const { bulkSendBatchId } = request.params;
      // An empty list must mean an existing batch without envelopes, never an unknown batch.
      await services.sign.getBulkBatch({ id: bulkSendBatchId }, onBehalfOf(request));
      const wanted = list.wanted === undefined ? undefined : { ...list.wanted, bulkBatchId: bulkSendBatchId };
      return findEnvelopes({ ...list, wanted }, request, services);
    },
    respond: (found, { query, params }) =>
      jsonReply(200, pageView(found, query, `/bulk_send_batch/${params.bulkSendBatchId}/envelopes`)),
  }),
];

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
  envelopeOrTemplateId: "The draft or template that is sent once per copy.",
  batchName: "Your name for the batch. Default: the list's name.",
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
