import type { ServiceImpl } from "@connectrpc/connect";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import type { WebhooksDeps } from "./deps.ts";
import { endpointMessage } from "./messages.ts";
import { requireEndpoint } from "./require-endpoint.ts";

export const getEndpoint = (
  deps: Pick<WebhooksDeps, "pool" | "clock">,
): Pick<ServiceImpl<typeof WebhooksService>, "getEndpoint"> => ({
  async getEndpoint({ id }, context) {
    const { orgId } = requireCaller(context);
    const endpoint = await inTransaction(orgId, deps.pool, (client) => requireEndpoint(client, orgId, id));
    return { endpoint: endpointMessage(endpoint, deps.clock.now()) };
  },
});
