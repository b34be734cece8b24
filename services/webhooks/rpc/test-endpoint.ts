import type { ServiceImpl } from "@connectrpc/connect";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import { testEventType } from "../domain/event-types-webhooks.ts";
import { testEventText } from "../events.ts";
import { findDelivery } from "../store/delivery-store.ts";
import { insertFanOut } from "../store/fan-out-store.ts";
import { deliveryMessage } from "./delivery-messages.ts";
import type { WebhooksDeps } from "./deps.ts";
import { requireEndpoint } from "./require-endpoint.ts";

export const testEndpoint = (
  deps: Pick<WebhooksDeps, "pool" | "clock" | "newId" | "wakeDeliveries">,
): Pick<ServiceImpl<typeof WebhooksService>, "testEndpoint"> => ({
  async testEndpoint(request, context) {
    const { orgId } = requireCaller(context);
    const now = deps.clock.now();
    const [eventId, id] = [deps.newId(), deps.newId()];
    const delivery = await inTransaction(orgId, deps.pool, async (client) => {
      const endpoint = await requireEndpoint(client, orgId, request.id, { lock: true });
      if (!endpoint.isEnabled) throw new DomainError("WEBHOOK_ENDPOINT_DISABLED");
      const data = testEventText({ orgId, eventId, endpointId: endpoint.id, now });
      const event = { id: eventId, type: testEventType, data, occurredAt: now };
      const receiver = { receiverId: endpoint.id, endpointId: endpoint.id };
      const others = { connectId: undefined, agreementId: undefined, receiverIndex: undefined };
      const added = { id, eventId, eventType: testEventType, occurredAt: now, ...receiver, ...others };
      await insertFanOut(client, [{ orgId, events: [event], deliveries: [added] }], now);
      return findDelivery(client, orgId, id);
    });
    deps.wakeDeliveries();
    return delivery === undefined ? {} : { delivery: deliveryMessage(delivery, []) };
  },
});
