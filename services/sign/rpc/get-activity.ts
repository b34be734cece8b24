import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inSnapshot } from "#platform/db/transaction.ts";
import { momentOf } from "#platform/rpc/moment-of.ts";
import { countByStatus, countMoves } from "../store/activity-store.ts";
import type { SignDeps } from "./deps.ts";
import { wireAgreementStatuses } from "./messages.ts";

export const getActivity = (deps: Pick<SignDeps, "pool">): Pick<ServiceImpl<typeof SignService>, "getActivity"> => ({
  async getActivity({ since }, context) {
    const { orgId } = requireCaller(context);
    const from = momentOf("since", since);
    return inSnapshot(orgId, deps.pool, async (client) => {
      const statuses = await countByStatus(client, orgId);
      const { sent, completed, declined } = await countMoves(client, orgId, from);
      return {
        statuses: statuses.map(({ status, agreements }) => ({
          status: wireAgreementStatuses[status],
          agreements: BigInt(agreements),
        })),
        sent: BigInt(sent),
        completed: BigInt(completed),
        declined: BigInt(declined),
      };
    });
  },
});
