import type { ServiceImpl } from "@connectrpc/connect";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inSnapshot } from "#platform/db/transaction.ts";
import { momentOf } from "#platform/rpc/moment-of.ts";
import { readActivity } from "../store/activity-store.ts";
import type { WebhooksDeps } from "./deps.ts";

export const getActivity = (
  deps: Pick<WebhooksDeps, "pool">,
): Pick<ServiceImpl<typeof WebhooksService>, "getActivity"> => ({
  async getActivity({ since }, context) {
    const { orgId } = requireCaller(context);
    const from = momentOf("since", since);
    const { undelivered, ...endpoints } = await inSnapshot(orgId, deps.pool, (client) =>
      readActivity(client, orgId, from),
    );
    return { ...endpoints, undelivered: BigInt(undelivered) };
  },
});
