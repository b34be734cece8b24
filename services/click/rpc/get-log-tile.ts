import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { tileWidth } from "#platform/transparency/tiles.ts";
import type { ClickDeps } from "./deps.ts";

export const getLogTile = ({
  proofs,
}: Pick<ClickDeps, "proofs">): Pick<ServiceImpl<typeof ClickService>, "getLogTile"> => ({
  async getLogTile({ level, tile, width }, context) {
    const { orgId } = requireCaller(context);
    const hashes = await proofs.tile(orgId, { level, tile: Number(tile) }, width === 0 ? tileWidth : width);
    if (hashes === undefined) throw new DomainError("CLICK_TILE_NOT_FOUND");
    return { hashes };
  },
});
