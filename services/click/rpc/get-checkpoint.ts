import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { anchorLogId } from "../log/leaf.ts";
import { findNewestCheckpoint } from "../store/tree-store.ts";
import type { ClickDeps } from "./deps.ts";

export const getCheckpoint = ({
  pool,
}: Pick<ClickDeps, "pool">): Pick<ServiceImpl<typeof ClickService>, "getCheckpoint"> => ({
  async getCheckpoint({ anchor }, context) {
    const { orgId } = requireCaller(context);
    const checkpoint = await withOrg(pool, orgId, (client) =>
      findNewestCheckpoint(anchor ? anchorLogId : orgId, client),
    );
    if (checkpoint === undefined) throw new DomainError("CLICK_CHECKPOINT_NOT_FOUND");
    return { note: checkpoint.note };
  },
});
