import { inTransaction } from "#platform/db/transaction.ts";
import type { OrgId } from "#platform/ids.ts";
import { type Plan, planLimits } from "../domain/plan.ts";
import type { WindowName } from "../domain/usage.ts";
import { findKey, type KeyedRequest } from "../store/idempotency-store.ts";
import { readRefusal } from "../store/usage-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { rateLimited } from "./rate-messages.ts";

export interface EarlyRequest {
  readonly plan: Plan;
  readonly windows: readonly WindowName[];
  readonly keyed: KeyedRequest | undefined;
}

/**
 * Refuses what the plan has no slot for before it is checked, so that a refusal is cheap. It takes nothing: what decides
 * is the transaction that takes the slot.
 */
export const refuseUsedUp = (
  { pool }: Pick<DocgenDeps, "pool">,
  orgId: OrgId,
  { plan, windows, keyed }: EarlyRequest,
): Promise<void> =>
  inTransaction(orgId, pool, async (client) => {
    const refusal = await readRefusal(client, orgId, planLimits[plan], windows);
    if (refusal === undefined) return;
    // The last slot may be that of the same request, which is answered again then.
    if (keyed !== undefined && (await findKey(orgId, client, keyed)).kind !== "new") return;
    throw rateLimited(plan, refusal);
  });
