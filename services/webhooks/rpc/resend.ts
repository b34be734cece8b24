import { requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { type Delivery, isOrdered } from "../domain/delivery.ts";
import { findDelivery, latestAttempts } from "../store/delivery-store.ts";
import { findEndpoint } from "../store/endpoint-store.ts";
import { lockQueue, refreshQueue } from "../store/queue-store.ts";
import { requeueOne, requeueUndelivered, undeliveredConnects } from "../store/requeue-store.ts";
import { deliveryMessage } from "./deliveries.ts";
import type { WebhooksDeps, WebhooksRpcs } from "./deps.ts";
import { parseId } from "./endpoint-input.ts";

const shownAttempts = 5;

export const resendDelivery = (
  deps: Pick<WebhooksDeps, "pool" | "clock" | "wakeDeliveries">,
): WebhooksRpcs<"resendDelivery"> => ({
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

/** The latest; a message has an end. Who has more asks again once these are through. */
const maxRetried = 5_000;

export const retryConnect = (
  deps: Pick<WebhooksDeps, "pool" | "clock" | "wakeDeliveries">,
): WebhooksRpcs<"retryConnect"> => ({
  async retryConnect(request, context) {
    const { orgId } = requireCaller(context);
    const agreementIds = request.agreementIds.filter(isUuid).map((id) => id.toLowerCase());
    // What is no id names nothing, and nothing is not all.
    if (agreementIds.length === 0 && request.agreementIds.length > 0) return { deliveries: [] };
    const found = await withOrg(deps.pool, orgId, (tenant) =>
      undeliveredConnects(tenant, { agreementIds, limit: maxRetried }),
    );
    const now = deps.clock.now();
    const deliveries: Delivery[] = [];
    for (const [receiverId, rows] of Map.groupBy(found, (row) => row.receiverId)) {
      if (context.signal.aborted) break;
      const of = { receiverId, endpointId: rows[0]?.endpointId, ids: rows.map(({ id }) => id), now };
      deliveries.push(...(await withOrg(deps.pool, orgId, (tenant) => retryOf(tenant, of))));
    }
    deps.wakeDeliveries();
    return { deliveries: deliveries.map((delivery) => deliveryMessage(delivery, [])) };
  },
});

interface OfReceiver {
  readonly receiverId: string;
  readonly endpointId: string | undefined;
  readonly ids: readonly string[];
  readonly now: Date;
}

/** Nothing is sent to a configuration that is disabled. */
async function retryOf(tenant: Tenant, { receiverId, endpointId, ids, now }: OfReceiver): Promise<Delivery[]> {
  if (endpointId !== undefined) {
    const endpoint = await findEndpoint(tenant, endpointId, { lock: true });
    if (endpoint?.isEnabled !== true) return [];
  }
  await lockQueue(tenant, { receiverId, isOrdered: true });
  const retried = await requeueUndelivered(tenant, { ids, receiverId, now });
  await refreshQueue(tenant, receiverId, now);
  return retried;
}
