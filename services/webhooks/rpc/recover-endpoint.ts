import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { RecoverEndpointRequest, WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import { problem, refuse } from "../domain/problems.ts";
import { lockQueue, refreshQueue } from "../store/queue-store.ts";
import { type RecoverPosition, requeueOfEndpoint } from "../store/requeue-store.ts";
import type { WebhooksDeps } from "./deps.ts";
import { requireEndpoint } from "./require-endpoint.ts";

/** So many in a transaction: whoever sends waits for it. */
const batch = 1_000;
const maxQueued = 100_000;

export const recoverEndpoint = (
  deps: Pick<WebhooksDeps, "pool" | "clock" | "wakeDeliveries">,
): Pick<ServiceImpl<typeof WebhooksService>, "recoverEndpoint"> => ({
  async recoverEndpoint(request, context) {
    const { orgId } = requireCaller(context);
    const now = deps.clock.now();
    const range = rangeOf(request, now);
    let queued = 0;
    let after: RecoverPosition | undefined;
    do {
      // All become due at the same time, so that they are sent in their order.
      const found = await inTransaction(orgId, deps.pool, async (client) => {
        const { id, isEnabled } = await requireEndpoint(client, orgId, request.id, { lock: true });
        if (!isEnabled) throw new DomainError("WEBHOOK_ENDPOINT_DISABLED");
        await lockQueue(client, orgId, { receiverId: id, isOrdered: false });
        const limit = Math.min(batch, maxQueued - queued);
        const some = await requeueOfEndpoint(client, orgId, { ...range, endpointId: id, after, limit, now });
        await refreshQueue(client, orgId, id, now);
        return some;
      });
      queued += found.count;
      after = found.last;
      deps.wakeDeliveries();
    } while (after !== undefined && queued < maxQueued && !context.signal.aborted);
    return { queued };
  },
});

function rangeOf({ since, until }: RecoverEndpointRequest, now: Date): { since: Date; until: Date } {
  const [from, to] = [dateOf(since) ?? new Date(Number.NaN), until === undefined ? now : dateOf(until)];
  if (to !== undefined && from < to) return { since: from, until: to };
  refuse([problem("since", "NOT_ALLOWED", "must be a time before until")]);
  return { since: from, until: from };
}

const dateOf = (timestamp: RecoverEndpointRequest["since"]): Date | undefined =>
  timestamp === undefined ? undefined : timestampDate(timestamp);
