import type { ServiceImpl } from "@connectrpc/connect";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { type Delivery, isOrdered } from "../domain/delivery.ts";
import { latestAttempts } from "../store/attempt-store.ts";
import { findDelivery } from "../store/delivery-store.ts";
import { findEndpoint } from "../store/endpoint-store.ts";
import { lockQueue, refreshQueue } from "../store/queue-store.ts";
import { requeueOne } from "../store/requeue-store.ts";
import { deliveryMessage } from "./deliveries.ts";
import type { WebhooksDeps } from "./deps.ts";
import { parseId } from "./endpoint-input.ts";

const shownAttempts = 5;

export const resendDelivery = (
  deps: Pick<WebhooksDeps, "pool" | "clock" | "wakeDeliveries">,
): Pick<ServiceImpl<typeof WebhooksService>, "resendDelivery"> => ({
  async resendDelivery(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseId(request.id, "WEBHOOK_DELIVERY_NOT_FOUND");
    const answer = await withOrg(deps.pool, orgId, async (tenant) => {
      const delivery = await resend(tenant, id, deps.clock.now());
      const attempts = await latestAttempts(tenant, { deliveryIds: [id], limit: shownAttempts });
      return { delivery: deliveryMessage(delivery, attempts.get(id) ?? []) };
    });
    deps.wakeDeliveries();
    return answer;
  },
});

async function resend(tenant: Tenant, id: string, now: Date): Promise<Delivery> {
  const found = await findDelivery(tenant, id);
  if (found === undefined) throw new DomainError("WEBHOOK_DELIVERY_NOT_FOUND");
  const { receiverId, endpointId } = found;
  if (endpointId !== undefined) {
    const endpoint = await findEndpoint(tenant, endpointId, { lock: true });
    if (endpoint?.isEnabled !== true) throw new DomainError("WEBHOOK_ENDPOINT_DISABLED");
  }
  await lockQueue(tenant, { receiverId, isOrdered: isOrdered(found) });
  const requeued = await requeueOne(tenant, { id, now });
  await refreshQueue(tenant, receiverId, now);
  // One that is just being sent is sent as it was asked for.
  return requeued ?? (await findDelivery(tenant, id)) ?? found;
}
