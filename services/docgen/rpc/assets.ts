import { createHash } from "node:crypto";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { type Asset, parseAsset } from "../domain/asset.ts";
import { nameProblems, refuse } from "../domain/problems.ts";
import { addAsset, deleteAsset as deleteRow, findAsset, pageOfAssets } from "../store/asset-store.ts";
import type { DocgenDeps, DocgenRpcs } from "./deps.ts";
import { assetMessage, canonicalId, parseAfterId } from "./documents.ts";

export const createAsset = (
  deps: Pick<DocgenDeps, "pool" | "blobs" | "clock" | "newId">,
): DocgenRpcs<"createAsset"> => ({
  async createAsset(request, context) {
    const { orgId, clientId } = requireCaller(context);
    const { name, content } = request;
    refuse(nameProblems("name", name));
    const wanted: Asset = {
      ...parseAsset(content),
      id: deps.newId(),
      name,
      bytes: content.length,
      sha256: createHash("sha256").update(content).digest(),
      createdBy: clientId,
      createdAt: deps.clock.now(),
    };
    const asset = await withOrg(deps.pool, orgId, async (tenant) => {
      const added = await addAsset(tenant, wanted);
      if (added.isNew) await deps.blobs.put(tenant, wanted.id, content);
      return added.asset;
    });
    return { asset: assetMessage(asset) };
  },
});

export const deleteAsset = (deps: Pick<DocgenDeps, "pool" | "blobs">): DocgenRpcs<"deleteAsset"> => ({
  async deleteAsset(request, context) {
    const { orgId } = requireCaller(context);
    const id = canonicalId(request.assetId);
    await withOrg(deps.pool, orgId, async (tenant) => {
      if (!(await deleteRow(tenant, id))) throw new DomainError("GEN_ASSET_NOT_FOUND");
      await deps.blobs.release(tenant, id);
    });
    return {};
  },
});

export const getAsset = (deps: Pick<DocgenDeps, "pool" | "blobs">): DocgenRpcs<"getAsset"> => ({
  async getAsset(request, context) {
    const { orgId } = requireCaller(context);
    const id = canonicalId(request.assetId);
    return withOrg(deps.pool, orgId, async (tenant) => {
      const asset = await findAsset(tenant, id);
      // The bytes are missing if somebody deletes the asset between the two reads.
      const content = asset && (await deps.blobs.read(tenant, asset.sha256));
      if (asset === undefined || content === undefined) throw new DomainError("GEN_ASSET_NOT_FOUND");
      return { asset: assetMessage(asset), content };
    });
  },
});

export const listAssets = (deps: Pick<DocgenDeps, "pool">): DocgenRpcs<"listAssets"> => ({
  async listAssets(request, context) {
    const { orgId } = requireCaller(context);
    const { pageSize } = request;
    const afterId = parseAfterId(request.afterId);
    const found = await withOrg(deps.pool, orgId, (tenant) => pageOfAssets(tenant, { afterId, limit: pageSize + 1 }));
    const page = found.slice(0, pageSize);
    return { assets: page.map(assetMessage), hasMore: found.length > page.length };
  },
});
