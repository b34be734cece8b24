import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { momentOf } from "#platform/rpc/moment-of.ts";
import { sumByHour } from "../store/stat-read-store.ts";
import type { ClickDeps } from "./deps.ts";

export const getActivity = (deps: Pick<ClickDeps, "pool">): Pick<ServiceImpl<typeof ClickService>, "getActivity"> => ({
  async getActivity({ since }, context) {
    const { orgId } = requireCaller(context);
    const from = momentOf("since", since);
    const hours = await withOrg(deps.pool, orgId, (client) => sumByHour(orgId, client, from));
    return {
      hours: hours.map(({ hour, acceptances, declines }) => ({
        hour: timestampFromDate(hour),
        acceptances: BigInt(acceptances),
        declines: BigInt(declines),
      })),
    };
  },
});
