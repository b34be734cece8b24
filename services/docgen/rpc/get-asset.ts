import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import { findAsset } from "../store/asset-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { canonicalId } from "./ids.ts";
import { assetMessage } from "./messages.ts";

export const getAsset = (
  deps: Pick<DocgenDeps, "pool" | "blobs">,
): Pick<ServiceImpl<typeof DocgenService>, "getAsset"> => ({
  async getAsset(request, context) {
    const { orgId } = requireCaller(context);
    const id = canonicalId(request.assetId);
    return inTransaction(orgId, deps.pool, async (client) => {
      const asset = await findAsset(orgId, client, id);
      // The bytes are gone when somebody deletes the asset between the two reads.
      const content = asset && (await deps.blobs.read(orgId, asset.sha256, client));
      if (asset === undefined || content === undefined) throw new DomainError("GEN_ASSET_NOT_FOUND");
      return { asset: assetMessage(asset), content };
    });
  },
});
