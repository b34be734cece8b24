import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { noteItemsEnded } from "../store/batch-progress.ts";
import { cancelWaitingItems, findBatch, markCancelled } from "../store/batch-store.ts";
import { schema } from "../store/orm.ts";
import { batchMessage } from "./batch-messages.ts";
import type { DocgenDeps } from "./deps.ts";
import { canonicalId } from "./ids.ts";

type Deps = Pick<DocgenDeps, "pool" | "clock" | "newId" | "wakeRelay">;

/** What is being rendered goes on, and the batch ends with it. Where nothing waits there is nothing to cancel. */
export const cancelBatch = (deps: Deps): Pick<ServiceImpl<typeof DocgenService>, "cancelBatch"> => ({
  async cancelBatch(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const id = canonicalId(request.batchId);
    const now = deps.clock.now();
    const batch = await inTransaction(orgId, deps.pool, async (client) => {
      const cancelled = await cancelWaitingItems(orgId, client, id, now);
      if (cancelled > 0) {
        await markCancelled(orgId, client, id, now);
        const event = { caller, eventId: deps.newId(), now };
        const counts = { completed: 0, failed: 0, cancelled };
        await insertOutbox(client, schema, await noteItemsEnded(client, orgId, id, counts, event));
      }
      return findBatch(orgId, client, id);
    });
    if (batch === undefined) throw new DomainError("GEN_BATCH_NOT_FOUND");
    deps.wakeRelay();
    return { batch: batchMessage(batch) };
  },
});
