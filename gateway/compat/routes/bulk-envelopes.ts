import { jsonReply } from "../../http/reply.ts";
import { onBehalfOf, type Route } from "../../routes/route.ts";
import { defineCompatRoute } from "../route.ts";
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
      "Page by page, with everything that lists of envelopes can be asked for. Copies that wait or have failed are none yet: the batch counts them.",
    query: envelopeFilters,
    success: { status: 200, description: "A page of envelopes.", schema: envelopesSchema },
    errors: [],
    call: async (request, services) => {
      const list = listAsked(request.query);
      const { bulkSendBatchId } = request.params;
      // An empty list is of a batch of the organization, and of no other.
      await services.sign.getBulkBatch({ id: bulkSendBatchId }, onBehalfOf(request));
      const wanted = list.wanted === undefined ? undefined : { ...list.wanted, bulkBatchId: bulkSendBatchId };
      return findEnvelopes({ ...list, wanted }, request, services);
    },
    respond: (found, { query, params }) =>
      jsonReply(200, pageView(found, query, `/bulk_send_batch/${params.bulkSendBatchId}/envelopes`)),
  }),
];
