import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { planLimits } from "../domain/plan.ts";
import { type UsageWindow, windowsNow } from "../domain/usage.ts";
import { readUsed } from "../store/usage-store.ts";
import type { DocgenDeps } from "./deps.ts";

export const getUsage = (
  deps: Pick<DocgenDeps, "pool" | "plans">,
): Pick<ServiceImpl<typeof DocgenService>, "getUsage"> => ({
  async getUsage(_request, context) {
    const { orgId } = requireCaller(context);
    const plan = await deps.plans.of(orgId);
    const usedNow = await inTransaction(orgId, deps.pool, (client) => readUsed(client, orgId));
    const { hour, minute } = windowsNow(planLimits[plan], usedNow);
    return { plan, hour: windowMessage(hour), minute: windowMessage(minute) };
  },
});

const windowMessage = ({ limit, used, resetAt }: UsageWindow) => ({ limit, used, resetAt: BigInt(resetAt) });
