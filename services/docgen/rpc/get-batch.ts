import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import { findBatch } from "../store/batch-store.ts";
import { batchMessage } from "./batch-messages.ts";
import type { DocgenDeps } from "./deps.ts";
import { canonicalId } from "./ids.ts";

export const getBatch = (deps: Pick<DocgenDeps, "pool">): Pick<ServiceImpl<typeof DocgenService>, "getBatch"> => ({
  async getBatch(request, context) {
    const { orgId } = requireCaller(context);
    const id = canonicalId(request.batchId);
    const batch = await inTransaction(orgId, deps.pool, (client) => findBatch(orgId, client, id));
    if (batch === undefined) throw new DomainError("GEN_BATCH_NOT_FOUND");
    return { batch: batchMessage(batch) };
  },
});
