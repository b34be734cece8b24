import type { ServiceImpl } from "@connectrpc/connect";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { deleteEndpoint as deleteRow } from "../store/endpoint-store.ts";
import { giveUpWaiting } from "../store/give-up.ts";
import type { WebhooksDeps } from "./deps.ts";
import { requireEndpoint } from "./require-endpoint.ts";

export const deleteEndpoint = (
  deps: Pick<WebhooksDeps, "pool" | "clock">,
): Pick<ServiceImpl<typeof WebhooksService>, "deleteEndpoint"> => ({
  async deleteEndpoint(request, context) {
    const { orgId } = requireCaller(context);
    await inTransaction(orgId, deps.pool, async (client) => {
      const { id } = await requireEndpoint(client, orgId, request.id, { lock: true });
      await deleteRow(client, orgId, id, deps.clock.now());
      await giveUpWaiting(client, orgId, id);
    });
    return {};
  },
});
