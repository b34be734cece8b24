import { createHash } from "node:crypto";
import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { type Asset, parseImage } from "../domain/asset.ts";
import { refuse } from "../domain/problems.ts";
import { nameProblems } from "../domain/text.ts";
import { addAsset } from "../store/asset-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { assetMessage } from "./messages.ts";

export const createAsset = (
  deps: Pick<DocgenDeps, "pool" | "blobs" | "clock" | "newId">,
): Pick<ServiceImpl<typeof DocgenService>, "createAsset"> => ({
  async createAsset(request, context) {
    const { orgId, clientId } = requireCaller(context);
    const { name, content } = request;
    refuse(nameProblems("name", name));
    const wanted: Asset = {
      ...parseImage(content),
      id: deps.newId(),
      name,
      bytes: content.length,
      sha256: createHash("sha256").update(content).digest(),
      createdBy: clientId,
      createdAt: deps.clock.now(),
    };
    const asset = await inTransaction(orgId, deps.pool, async (client) => {
      const added = await addAsset(orgId, client, wanted);
      if (added.isNew) await deps.blobs.put(orgId, wanted.id, content, client);
      return added.asset;
    });
    return { asset: assetMessage(asset) };
  },
});
