import type { ServiceImpl } from "@connectrpc/connect";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inSnapshot } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import { latestAttempts } from "../store/attempt-store.ts";
import { findDelivery } from "../store/delivery-store.ts";
import { deliveryMessage } from "./delivery-messages.ts";
import type { WebhooksDeps } from "./deps.ts";
import { parseId } from "./require-endpoint.ts";

/** More than the schedule ever makes; only who resends again and again has more, and a message has an end. */
const shownAttempts = 1_000;

export const getDelivery = (
  deps: Pick<WebhooksDeps, "pool">,
): Pick<ServiceImpl<typeof WebhooksService>, "getDelivery"> => ({
  async getDelivery(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseId(request.id, "WEBHOOK_DELIVERY_NOT_FOUND");
    return inSnapshot(orgId, deps.pool, async (client) => {
      const delivery = await findDelivery(client, orgId, id);
      if (delivery === undefined) throw new DomainError("WEBHOOK_DELIVERY_NOT_FOUND");
      const attempts = await latestAttempts(client, orgId, { deliveryIds: [id], limit: shownAttempts });
      return { delivery: deliveryMessage(delivery, attempts.get(id) ?? []) };
    });
  },
});
