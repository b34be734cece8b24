import type { ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import type { Delivery } from "../domain/delivery.ts";
import { findEndpoint } from "../store/endpoint-store.ts";
import { lockQueue, refreshQueue } from "../store/queue-store.ts";
import { requeueUndelivered, undeliveredConnects } from "../store/requeue-store.ts";
import { deliveryMessage } from "./deliveries.ts";
import type { WebhooksDeps } from "./deps.ts";

/** The latest; a message has an end. Who has more asks again once these are through. */
const maxRetried = 5_000;

export const retryConnect = (
  deps: Pick<WebhooksDeps, "pool" | "clock" | "wakeDeliveries">,
): Pick<ServiceImpl<typeof WebhooksService>, "retryConnect"> => ({
  async retryConnect(request, context) {
    const { orgId } = requireCaller(context);
    const agreementIds = request.agreementIds.filter(isUuid).map((id) => id.toLowerCase());
    // What is no id names nothing, and nothing is not all.
    if (agreementIds.length === 0 && request.agreementIds.length > 0) return { deliveries: [] };
    const found = await inTransaction(orgId, deps.pool, (client) =>
      undeliveredConnects(client, orgId, { agreementIds, limit: maxRetried }),
    );
    const now = deps.clock.now();
    const deliveries: Delivery[] = [];
    for (const [receiverId, rows] of Map.groupBy(found, (row) => row.receiverId)) {
      if (context.signal.aborted) break;
      const of = { receiverId, endpointId: rows[0]?.endpointId, ids: rows.map(({ id }) => id), now };
      deliveries.push(...(await inTransaction(orgId, deps.pool, (client) => retryOf(client, orgId, of))));
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
async function retryOf(
  client: pg.PoolClient,
  orgId: OrgId,
  { receiverId, endpointId, ids, now }: OfReceiver,
): Promise<Delivery[]> {
  if (endpointId !== undefined) {
    const endpoint = await findEndpoint(client, orgId, endpointId, { lock: true });
    if (endpoint?.isEnabled !== true) return [];
  }
  await lockQueue(client, orgId, { receiverId, isOrdered: true });
  const retried = await requeueUndelivered(client, orgId, { ids, receiverId, now });
  await refreshQueue(client, orgId, receiverId, now);
  return retried;
}
