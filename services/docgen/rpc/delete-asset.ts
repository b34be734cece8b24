import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import { deleteAsset as deleteRow } from "../store/asset-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { canonicalId } from "./ids.ts";

export const deleteAsset = (
  deps: Pick<DocgenDeps, "pool" | "blobs">,
): Pick<ServiceImpl<typeof DocgenService>, "deleteAsset"> => ({
  async deleteAsset(request, context) {
    const { orgId } = requireCaller(context);
    const id = canonicalId(request.assetId);
    await inTransaction(orgId, deps.pool, async (client) => {
      if (!(await deleteRow(orgId, client, id))) throw new DomainError("GEN_ASSET_NOT_FOUND");
      await deps.blobs.release(orgId, id, client);
    });
    return {};
  },
});
