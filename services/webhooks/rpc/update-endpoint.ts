import type { ServiceImpl } from "@connectrpc/connect";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { changeEndpoint } from "../domain/change-endpoint.ts";
import { saveEndpoint } from "../store/endpoint-store.ts";
import { giveUpWaiting } from "../store/give-up.ts";
import type { WebhooksDeps } from "./deps.ts";
import { checkEndpointInput } from "./endpoint-input.ts";
import { endpointMessage } from "./messages.ts";
import { requireEndpoint } from "./require-endpoint.ts";

export const updateEndpoint = (
  deps: Pick<WebhooksDeps, "pool" | "rules" | "clock">,
): Pick<ServiceImpl<typeof WebhooksService>, "updateEndpoint"> => ({
  async updateEndpoint({ id, url, description, eventTypes, enabled }, context) {
    const { orgId } = requireCaller(context);
    // Who names an unknown one hears that, and nothing of its fields; and no name is looked up for it.
    await inTransaction(orgId, deps.pool, (client) => requireEndpoint(client, orgId, id));
    const input = await checkEndpointInput(deps, { url, description, eventTypes: eventTypes?.types });
    const now = deps.clock.now();
    const endpoint = await inTransaction(orgId, deps.pool, async (client) => {
      const before = await requireEndpoint(client, orgId, id, { lock: true });
      const changed = changeEndpoint(before, { ...input, isEnabled: enabled }, now);
      await saveEndpoint(client, orgId, changed.endpoint);
      if (changed.givesUp) await giveUpWaiting(client, orgId, before.id);
      return changed.endpoint;
    });
    return { endpoint: endpointMessage(endpoint, now) };
  },
});
